// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fault_guard.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace core {

namespace {

/// One guarded mapping; free while `begin` is 0. The handler reads slots without a lock.
struct Slot
{
    std::atomic<std::uintptr_t> begin = 0;
    std::atomic<std::uintptr_t> end = 0;
    std::atomic<std::atomic<bool>*> faulted = nullptr;
};

/// Blocks are added and never removed, so that the handler can walk them at any moment.
struct Block
{
    std::array<Slot, 128> slots;
    std::atomic<Block*> next = nullptr;
};

// A signal handler can be given nothing: what it needs has to be global.
Block firstBlock;
std::mutex slotsMutex;
struct sigaction previousAction = {};
std::uintptr_t pageBytes = 4096;

bool mapZeros(std::uintptr_t address)
{
    for (Block* block = &firstBlock; block; block = block->next.load(std::memory_order_acquire)) {
        for (Slot& slot : block->slots) {
            const auto begin = slot.begin.load(std::memory_order_acquire);
            const auto end = slot.end.load(std::memory_order_relaxed);
            if (begin == 0 || address < begin || address >= end)
                continue;
            const auto page = address & ~(pageBytes - 1);
            void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
            if (zeros == MAP_FAILED)
                return false;
            slot.faulted.load(std::memory_order_relaxed)->store(true);
            return true;
        }
    }
    return false;
}

void onBusError(int signal, siginfo_t* info, void* context)
{
    const int savedErrno = errno;
    const bool handled = mapZeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = savedErrno;
    if (handled)
        return;
    if ((previousAction.sa_flags & SA_SIGINFO) != 0)
        previousAction.sa_sigaction(signal, info, context);
    else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN)
        previousAction.sa_handler(signal);
    else // The instruction runs again and the default action ends the program.
        ::sigaction(signal, &previousAction, nullptr);
}

void installHandler()
{
    static const bool installed = [] {
        pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action = {};
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigemptyset(&action.sa_mask);
        return ::sigaction(SIGBUS, &action, &previousAction) == 0;
    }();
    static_cast<void>(installed);
}

Slot& freeSlot()
{
    for (Block* block = &firstBlock;; block = block->next.load(std::memory_order_relaxed)) {
        for (Slot& slot : block->slots)
            if (slot.begin.load(std::memory_order_relaxed) == 0)
                return slot;
        if (!block->next.load(std::memory_order_relaxed))
            block->next.store(new Block, std::memory_order_release);
    }
}

} // namespace

void* guardMapping(std::span<const std::byte> mapping, std::atomic<bool>& faulted)
{
    const std::lock_guard lock(slotsMutex);
    installHandler();
    Slot& slot = freeSlot();
    const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
    slot.end.store(begin + mapping.size(), std::memory_order_relaxed);
    slot.faulted.store(&faulted, std::memory_order_relaxed);
    slot.begin.store(begin, std::memory_order_release);
    return &slot;
}

void unguardMapping(void* token)
{
    const std::lock_guard lock(slotsMutex);
    static_cast<Slot*>(token)->begin.store(0, std::memory_order_release);
}

} // namespace core

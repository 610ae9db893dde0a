// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gpu/host_device.h"

#include <ucontext.h>

#include <functional>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace support {

/// The threads of a block, each with a stack of its own: it runs until it waits for others, as on a device, and not in step
/// with them. What a body reads of another thread without a barrier between, or a barrier that some threads do not meet, shows.
class BlockThreads
{
public:
    BlockThreads()
    {
        for (Fiber& fiber : m_fibers)
            fiber.stack.resize(stackBytes);
    }

    /// Runs work(thread) for all; whether none waits for ever.
    bool run(const std::array<int, gpu::blockThreads>& order, const std::function<void(int)>& work)
    {
        m_work = &work;
        for (Fiber& fiber : m_fibers)
            prepare(fiber);
        do {
            for (const int thread : order)
                if (at(thread).state == State::ready)
                    resume(thread);
        } while (release());
        return std::all_of(m_fibers.begin(), m_fibers.end(), [](const Fiber& f) { return f.state == State::done; });
    }

    void barrier(int thread) { wait(thread, State::atBarrier); }

    struct Exchanged
    {
        std::uint32_t bits;
        std::uint32_t sum;
    };
    /// Waits for the threads of the same warp.
    Exchanged exchange(int thread, std::uint32_t given)
    {
        at(thread).given = given;
        wait(thread, State::atExchange);
        return at(thread).taken;
    }

private:
    static constexpr std::size_t stackBytes = 128 << 10;
    enum class State { ready, atBarrier, atExchange, done };
    struct Fiber
    {
        ucontext_t context;
        std::vector<std::byte> stack;
        State state;
        std::uint32_t given;
        Exchanged taken;
    };

    Fiber& at(int thread) { return m_fibers[static_cast<std::size_t>(thread)]; }

    static void start()
    {
        BlockThreads& self = *running;
        const int thread = self.m_current;
        self.arrive();
        (*self.m_work)(thread);
        self.wait(thread, State::done);
    }

    void prepare(Fiber& fiber)
    {
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, &BlockThreads::start, 0);
        fiber.state = State::ready;
    }

    void resume(int thread)
    {
        running = this;
        m_current = thread;
        leave(at(thread).stack.data(), stackBytes);
        swapcontext(&m_main, &at(thread).context);
        arrive();
    }

    void wait(int thread, State state)
    {
        at(thread).state = state;
        leave(m_mainStack, m_mainBytes);
        swapcontext(&at(thread).context, &m_main);
        arrive();
    }

    /// Lets those go on whose wait is over.
    bool release()
    {
        bool isAny = false;
        for (int warp = 0; warp < gpu::blockWarps; ++warp)
            isAny |= releaseWarp(warp * gpu::warpThreads);
        if (isAny)
            return true;
        const auto waits = [](const Fiber& f) { return f.state == State::atBarrier; };
        if (!std::all_of(m_fibers.begin(), m_fibers.end(), waits))
            return false;
        for (Fiber& fiber : m_fibers)
            fiber.state = State::ready;
        return true;
    }

    bool releaseWarp(int first)
    {
        Exchanged all{0, 0};
        for (int lane = 0; lane < gpu::warpThreads; ++lane) {
            if (at(first + lane).state != State::atExchange)
                return false;
            all.bits |= (at(first + lane).given & 1) << lane;
            all.sum += at(first + lane).given;
        }
        for (int lane = 0; lane < gpu::warpThreads; ++lane) {
            at(first + lane).taken = all;
            at(first + lane).state = State::ready;
        }
        return true;
    }

    /// Around a change of stacks, for the address sanitizer.
    void leave([[maybe_unused]] const void* stack, [[maybe_unused]] std::size_t bytes)
    {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(nullptr, stack, bytes);
#endif
    }
    void arrive()
    {
#ifdef __SANITIZE_ADDRESS__
        const void* from = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(nullptr, &from, &bytes);
        if (!m_mainStack) {
            m_mainStack = from;
            m_mainBytes = bytes;
        }
#endif
    }

    static inline thread_local BlockThreads* running = nullptr;
    std::array<Fiber, gpu::blockThreads> m_fibers;
    const std::function<void(int)>* m_work = nullptr;
    int m_current = 0;
    ucontext_t m_main{};
    const void* m_mainStack = nullptr;
    std::size_t m_mainBytes = 0;
};

/// A thread's view of its block: both_sides.h as on a device.
class ThreadBlock
{
public:
    template <class X>
    struct PerThread
    {
        X value;
        PerThread() { std::memset(static_cast<void*>(&value), 0xa5, sizeof value); }
        X& operator[](int) { return value; }
    };

    ThreadBlock(BlockThreads& threads, std::int64_t index, int thread) : m_threads(threads), m_index(index), m_thread(thread) {}

    std::int64_t index() const { return m_index; }

    template <class Work>
    void each(Work work) const
    {
        work(m_thread);
    }
    template <class Work>
    void phase(Work work) const
    {
        work(m_thread);
        m_threads.barrier(m_thread);
    }
    template <class Test, class Use>
    void vote(Test test, Use use) const
    {
        use(m_thread, m_threads.exchange(m_thread, test(m_thread)).bits);
    }
    template <class Get, class Use>
    void sum(Get get, Use use) const
    {
        use(m_thread, m_threads.exchange(m_thread, get(m_thread)).sum);
    }
    template <class T>
    void add(T* to, T n) const
    {
        *to += n;
    }
    void lower(std::uint64_t* to, std::uint64_t n) const { *to = std::min(*to, n); }

private:
    BlockThreads& m_threads;
    std::int64_t m_index;
    int m_thread;
};

/// Kernels as threads of their own.
struct Threads
{
    template <class Body>
    static void run(std::int64_t blocks, const typename Body::Parameters& parameters, Turns turns)
    {
        // Too large for the stack, and for what belongs to a thread.
        static thread_local const auto kept = std::make_unique<BlockThreads>();
        BlockThreads& threads = *kept;
        const auto shared = std::make_unique<typename Body::Shared>();
        for (std::int64_t i = 0; i < blocks; ++i) {
            std::memset(static_cast<void*>(shared.get()), 0xa5, sizeof *shared);
            const bool isComplete = threads.run(threadOrder(turns), [&](int thread) {
                ThreadBlock block(threads, turns == Turns::ascending ? i : blocks - 1 - i, thread);
                Body::run(block, *shared, parameters);
            });
            if (!isComplete)
                throw gpu::DeviceError("threads wait for others that never come", false);
        }
    }
};

using ThreadDevice = HostDeviceOf<Threads>;

} // namespace support

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <csignal>
#include <filesystem>
#include <regex>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace app::cli {

namespace {

sigset_t watchedSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, number);
    return set;
}

bool isWritable(int descriptor)
{
    const int flags = ::fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

} // namespace

void removeTemporaries()
{
    const std::regex temporary(R"(\..+\.[a-z0-9]{6})");
    std::error_code error;
    for (const auto& link : std::filesystem::directory_iterator("/proc/self/fd", error)) {
        const auto target = std::filesystem::read_symlink(link.path(), error);
        if (!error && std::regex_match(target.filename().string(), temporary) &&
            isWritable(std::stoi(link.path().filename().string())))
            std::filesystem::remove(target, error);
    }
}

Interrupt::Interrupt()
{
    // A reader that goes must not kill the process before temporary files are removed: writing fails instead.
    std::signal(SIGPIPE, SIG_IGN);
    const auto set = watchedSignals();
    ::pthread_sigmask(SIG_BLOCK, &set, &m_before);
    m_signals = ::signalfd(-1, &set, SFD_CLOEXEC);
    m_finished = ::eventfd(0, EFD_CLOEXEC);
    m_thread = std::thread([this] { watch(); });
}

Interrupt::~Interrupt()
{
    ::eventfd_write(m_finished, 1);
    m_thread.join();
    ::close(m_finished);
    ::close(m_signals);
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

bool Interrupt::readable(int descriptor, int timeoutMs)
{
    pollfd wanted{descriptor, POLLIN, 0};
    return ::poll(&wanted, 1, timeoutMs) > 0;
}

void Interrupt::watch()
{
    pollfd wanted[] = {{m_signals, POLLIN, 0}, {m_finished, POLLIN, 0}};
    ::poll(wanted, 2, -1);
    signalfd_siginfo arrived{};
    if (!(wanted[0].revents & POLLIN) || ::read(m_signals, &arrived, sizeof arrived) != sizeof arrived)
        return;
    m_signal = static_cast<int>(arrived.ssi_signo);
    m_source.request_stop();
    constexpr int patienceMs = 800;
    if (readable(m_finished, patienceMs))
        return;
    removeTemporaries();
    ::_exit(exitCode());
}

} // namespace app::cli

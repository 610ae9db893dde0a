// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <string>
#include <thread>

namespace app::cli {

/// While it lives, Ctrl+C (SIGINT), SIGTERM and SIGHUP request a stop instead of killing the process. Work that has not ended
/// 0.8 s later (a blocked read or write, a slow disk) is ended with its exit code; the temporary file beside the output is
/// removed first. SIGPIPE is ignored from then on. Make one before other threads begin: they inherit the blocked signals.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return m_source.get_token(); }
    /// The signal that arrived, or 0.
    int signal() const { return m_signal; }
    /// What the shell expects of a program ended by the signal: 130 for Ctrl+C.
    int exitCode() const { return 128 + m_signal; }

private:
    void watch();
    /// True when `descriptor` becomes readable within the time (-1: any time).
    static bool readable(int descriptor, int timeoutMs);

    std::stop_source m_source;
    std::atomic<int> m_signal = 0;
    /// Signals that were blocked before.
    sigset_t m_before{};
    int m_signals = -1;
    int m_finished = -1;
    std::thread m_thread;
};

/// Removes files open for writing whose names are those of AtomicFile's temporaries (`.NAME.XXXXXX`).
void removeTemporaries();

} // namespace app::cli

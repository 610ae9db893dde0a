// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include "core/error.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace app {

/// How the runner is started.
struct RunnerSettings
{
    /// Empty: actiscope-runner beside this program.
    std::filesystem::path program;
    /// Threads of a forward pass; 0: as many as the machine has cores.
    int threads = 0;
    /// Address space that it may take; 0: three quarters of the machine's memory, and what LibTorch maps.
    std::int64_t memoryBytes = 0;
    /// "cpu", "cuda" (the first GPU) or "cuda:N".
    std::string device = "cpu";
    /// Libraries of custom operators.
    std::vector<std::filesystem::path> operatorLibraries;
    /// Leaves the sandbox out.
    bool trust = false;
    /// When a run ended the process, start the next one at once: for a program that goes on.
    bool startsAhead = false;
    /// Longest time for one open or run; 0: no limit.
    std::chrono::seconds timeLimit{0};
};

/// The runner beside this program, or the settings' own; nothing when there is none.
std::optional<std::filesystem::path> findRunner(const RunnerSettings& settings);

/// Thrown when an answer did not come in time.
class TimeLimitPassed : public core::Error
{
public:
    TimeLimitPassed() : core::Error("the model took longer than the time limit; it was ended") {}
};

/// A running actiscope-runner: its channel, its log, its end. Blocking; for one thread, which must outlive it (the runner dies
/// with the thread that started it).
class RunnerProcess
{
public:
    /// Throws core::Error when the program is missing or cannot be started.
    explicit RunnerProcess(const RunnerSettings& settings);
    /// Kills.
    ~RunnerProcess();
    RunnerProcess(const RunnerProcess&) = delete;
    RunnerProcess& operator=(const RunnerProcess&) = delete;

    /// Sends a line, with a descriptor on its first byte unless that is -1. Throws as receive() does.
    void send(const std::string& line, int descriptor = -1);
    /// Waits for the next line. Throws core::Cancelled when stopped (within 50 ms; the runner is killed), core::Error when the
    /// deadline passes (killed), when it died (how, in one sentence), or when the line is longer than the protocol allows.
    std::string receive(const std::stop_token& stop, std::optional<std::chrono::steady_clock::time_point> deadline);
    void kill();
    /// Whether it runs at this moment.
    bool isAlive() const;
    pid_t process() const { return m_process; }
    /// What it wrote to its standard error since the last call: at most about the last 64 KiB, from the beginning of a line
    /// where there is one, and said so.
    std::string takeLog();

private:
    void readLog();
    void cutLog();
    void readChannel();
    [[noreturn]] void failDead();
    void close();

    pid_t m_process = -1;
    int m_channel = -1;
    int m_logPipe = -1;
    std::string m_received;
    /// Bytes of m_received known to hold no end of line.
    std::size_t m_searched = 0;
    std::string m_log;
    bool m_isLogCut = false;
};

} // namespace app

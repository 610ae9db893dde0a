// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/arena_pool.h"
#include "app/model/model.h"
#include "app/model/runner_process.h"
#include "core/progress.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace app {

/// What happens during a run. Called on the thread that runs it.
struct RunEvents
{
    /// A value has arrived; it is not named yet.
    std::function<void(const Capture&)> captured;
    /// The layer being run, and how many of all layer calls are done.
    std::function<void(const std::string& layer, std::int64_t done, std::int64_t total)> progress;
};

/// One model in a process of its own (docs/runner-protocol.md). The process starts with the first open and again after it died;
/// then the model is opened anew before the next run. Blocking; for one thread, which must outlive it.
class ModelProcess
{
public:
    explicit ModelProcess(RunnerSettings settings) : m_settings(std::move(settings)) {}

    /// Starts the process without waiting for it, so that the next open or run is quick. What goes wrong is told then.
    void startAhead() noexcept;
    /// Longest time for each open and run from now on; 0: no limit.
    void setTimeLimit(std::chrono::seconds limit) { m_settings.timeLimit = limit; }
    /// Loads a TorchScript file. Throws core::Error: not installed, damaged, unknown operators, crashed, too slow;
    /// core::Cancelled.
    ModelInfo open(const std::filesystem::path& file, const core::Job& job);
    /// Runs the open model. A model that fails, crashes or runs too long is a result with `failure`. Throws core::Error when
    /// the process cannot be started, core::Cancelled when stopped (within 100 ms; what was captured is dropped).
    RunResult run(const RunRequest& request, const RunEvents& events, const core::Job& job);

    /// Operators that the file opened last needs and LibTorch lacks; known also when it could not be loaded.
    const std::vector<std::string>& customOperators() const { return m_operators; }
    /// What the sandbox lacks here ("no Landlock"), or "" when it is whole; known after the first open.
    const std::string& sandboxLack() const { return m_sandboxLack; }
    const std::string& libTorchVersion() const { return m_libTorch; }
    /// What the model printed since the last call.
    std::string takeLog() { return std::exchange(m_lastLog, {}) + (m_process ? m_process->takeLog() : std::string()); }

private:
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;

    void launch();
    void greet(const core::Job& job);
    void start(const core::Job& job);
    /// After a death or a stop.
    void end() noexcept;
    ModelInfo load(const core::Job& job);
    Deadline deadline() const;

    RunnerSettings m_settings;
    std::unique_ptr<RunnerProcess> m_process;
    /// Of this process only.
    std::unique_ptr<ArenaPool> m_arenas;
    std::filesystem::path m_file;
    std::vector<std::string> m_operators;
    /// Classes that the file names and LibTorch lacks.
    std::vector<std::string> m_classes;
    /// The process has said hello.
    bool m_greeted = false;
    bool m_loaded = false;
    std::int64_t m_lastId = 0;
    std::string m_sandboxLack;
    std::string m_libTorch;
    std::string m_lastLog;
};

/// A quarter of the machine's memory: what captures of one run may take unless told otherwise.
std::int64_t defaultBudgetBytes();

} // namespace app

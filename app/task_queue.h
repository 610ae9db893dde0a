// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace app {

/// Runs tasks in order on a thread of its own.
class TaskQueue
{
public:
    /// Gets a token that tells the task to end soon. Must not throw.
    using Task = std::function<void(const std::stop_token&)>;

    /// `idle` is called on the queue's thread whenever nothing is left to do.
    explicit TaskQueue(std::function<void()> idle = {});
    /// Stops the running task and drops the others.
    ~TaskQueue();
    TaskQueue(const TaskQueue&) = delete;
    TaskQueue& operator=(const TaskQueue&) = delete;

    void post(Task task);
    /// Stops the running task and drops the others.
    void cancel();
    bool isIdle() const;

private:
    void loop(std::stop_token quit);

    const std::function<void()> m_idle;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Task> m_tasks;
    bool m_busy = false;
    std::stop_source m_stop;

    std::jthread m_thread; // last: ends before the rest goes
};

} // namespace app

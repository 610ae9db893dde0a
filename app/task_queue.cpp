// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/task_queue.h"

#include <utility>

namespace app {

TaskQueue::TaskQueue(std::function<void()> idle)
    : m_idle(std::move(idle)), m_thread([this](std::stop_token quit) { loop(std::move(quit)); })
{
}

TaskQueue::~TaskQueue() = default;

void TaskQueue::post(Task task)
{
    const std::lock_guard lock(m_mutex);
    m_tasks.push_back(std::move(task));
    m_wake.notify_one();
}

void TaskQueue::cancel()
{
    const std::lock_guard lock(m_mutex);
    m_tasks.clear();
    m_stop.request_stop();
}

bool TaskQueue::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return !m_busy && m_tasks.empty();
}

void TaskQueue::loop(std::stop_token quit)
{
    for (;;) {
        std::unique_lock lock(m_mutex);
        if (std::exchange(m_busy, false) && m_tasks.empty() && m_idle)
            m_idle();
        if (!m_wake.wait(lock, quit, [this] { return !m_tasks.empty(); }) || quit.stop_requested())
            return;
        const auto task = std::move(m_tasks.front());
        m_tasks.pop_front();
        m_busy = true;
        m_stop = std::stop_source();
        const auto stop = m_stop.get_token();
        const std::stop_callback whenQuitting(quit, [source = m_stop]() mutable { source.request_stop(); });
        lock.unlock();
        task(stop);
    }
}

} // namespace app

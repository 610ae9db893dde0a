// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/summarizer.h"

#include "app/translate.h"
#include "app/whole_summary.h"
#include "core/machine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace app {

namespace {

constexpr std::chrono::milliseconds deliveryInterval{100};
constexpr std::chrono::milliseconds pausedLook{5};

/// Not lower still: a thread that hardly ever runs could hold a lock that the window waits for.
void runBehindOthers()
{
    constexpr int niceness = 10;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

} // namespace

/// Summaries of one document that are not yet delivered.
struct Summarizer::Results
{
    int id = -1;
    std::shared_ptr<const core::Document> document;
    std::vector<ui::NamedSummary> summaries;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};

ui::EntrySummary entrySummary(const WholeSummary& whole)
{
    ui::EntrySummary summary;
    summary.statistics = whole.statistics;
    summary.channels = whole.channels;
    summary.deadChannels = whole.deadChannels;
    return summary;
}

Summarizer::Summarizer(std::unique_ptr<const core::Engine> engine, std::function<bool()> isBusy, QObject* parent)
    : QObject(parent), m_engine(std::move(engine)), m_isBusy(std::move(isBusy)), m_mailbox(this),
      m_thread([this](const std::stop_token& quit) { loop(quit); })
{
}

Summarizer::~Summarizer() = default;

std::int64_t Summarizer::budgetBytes()
{
    constexpr std::int64_t most = std::int64_t{4} << 30;
    const std::int64_t memory = core::machineBytes();
    return memory > 0 ? std::min(most, memory / 4) : most;
}

void Summarizer::add(int id, std::shared_ptr<const core::Document> document)
{
    remove(id);
    const std::lock_guard lock(m_mutex);
    for (const auto& entry : document->entries)
        if (entry.isTensor())
            m_tasks.push_back({id, &entry});
    // Taken from the back: small before large, then in the order of opening and of the file.
    const auto key = [](const Task& task) { return std::tuple(task.entry->bytes, task.id, task.entry); };
    std::sort(m_tasks.begin(), m_tasks.end(), [&](const Task& a, const Task& b) { return key(a) > key(b); });
    m_documents[id] = {std::move(document), {}};
    m_wake.notify_one();
}

void Summarizer::remove(int id)
{
    const std::lock_guard lock(m_mutex);
    m_documents.erase(id);
    std::erase_if(m_tasks, [id](const Task& task) { return task.id == id; });
    if (m_running.id == id)
        m_stop.request_stop();
}

void Summarizer::skip(int id, const core::Entry* entry)
{
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_documents.find(id); known != m_documents.end())
        known->second.done.insert(entry);
    if (m_running.id == id && m_running.entry == entry)
        m_stop.request_stop();
}

bool Summarizer::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return m_running.id < 0 && m_tasks.empty() && m_mailbox.isEmpty();
}

void Summarizer::makeWay(const std::stop_token& stop) const
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested() && m_isBusy && m_isBusy())
        wake.wait_for(lock, stop, pausedLook, [] { return false; });
}

void Summarizer::loop(const std::stop_token& quit)
{
    runBehindOthers();
    Results results;
    for (;;) {
        std::unique_lock lock(m_mutex);
        if (m_tasks.empty())
            deliver(results);
        m_running = {};
        if (!m_wake.wait(lock, quit, [this] { return !m_tasks.empty(); }) || quit.stop_requested())
            return;
        const Task task = m_tasks.back();
        m_tasks.pop_back();
        const Known& known = m_documents.at(task.id);
        if (known.done.contains(task.entry)) {
            if (m_tasks.empty())
                deliver(results);
            continue;
        }
        if (results.document != known.document) {
            deliver(results);
            results.id = task.id;
            results.document = known.document;
        }
        m_running = task;
        m_stop = std::stop_source();
        const auto stop = m_stop.get_token();
        const std::stop_callback whenQuitting(quit, [source = m_stop]() mutable { source.request_stop(); });
        lock.unlock();
        try {
            makeWay(stop);
            const core::Job job{stop, [&](double) { makeWay(stop); }};
            job.check();
            results.summaries.push_back({QString::fromStdString(task.entry->name), summaryOf(*task.entry, job)});
        } catch (const core::Cancelled&) {
        }
        if (std::chrono::steady_clock::now() - results.since > deliveryInterval) {
            lock.lock();
            deliver(results);
        }
    }
}

ui::EntrySummary Summarizer::summaryOf(const core::Entry& entry, const core::Job& job) const
{
    ui::EntrySummary summary;
    try {
        if (entry.bytes > budgetBytes()) {
            summary.state = ui::SummaryState::whenShown;
            return summary;
        }
        const auto content = entry.load(job);
        return entrySummary(summarize(*m_engine->load(content, defaultSelection(entry), job), job));
    } catch (const core::Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        summary.state = ui::SummaryState::failed;
        summary.problem = messageOf(error);
        return summary;
    }
}

/// Called with the mutex held: whoever sees no task waiting finds the results on their way.
void Summarizer::deliver(Results& results)
{
    auto now = std::exchange(results, {});
    results.id = now.id;
    results.document = now.document;
    if (m_tasks.empty())
        results = {};
    if (now.summaries.empty())
        return;
    m_mailbox.deliver([this, now = std::move(now)] {
        const auto isOpen = [&] {
            const std::lock_guard lock(m_mutex);
            const auto known = m_documents.find(now.id);
            return known != m_documents.end() && known->second.document == now.document;
        };
        if (isOpen())
            Q_EMIT summarized(now.id, now.summaries);
    });
}

} // namespace app

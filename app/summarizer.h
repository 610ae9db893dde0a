// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/mailbox.h"
#include "core/document.h"
#include "core/engine/engine.h"
#include "ui/contents_panel.h"

#include <QObject>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <unordered_set>
#include <vector>

namespace app {

struct WholeSummary;

/// Summarizes every tensor of the open documents for Contents, as `analyze --all` does, on a thread of its own that makes way
/// for everything else: small tensors first, one in memory at a time. Signals arrive on the thread that it lives in.
class Summarizer : public QObject
{
    Q_OBJECT
public:
    /// `engine` should use no other thread. `isBusy`, called on any thread, says whether the user waits for something: a
    /// summary then pauses.
    Summarizer(std::unique_ptr<const core::Engine> engine, std::function<bool()> isBusy, QObject* parent = nullptr);
    ~Summarizer() override;

    /// Starts on a document, or again on the one of that id.
    void add(int id, std::shared_ptr<const core::Document> document);
    /// Stops what is done about a document and forgets it.
    void remove(int id);
    /// Somebody else has summarized the entry: what is done about it stops.
    void skip(int id, const core::Entry* entry);
    /// Whether nothing runs, waits or is on its way.
    bool isIdle() const;

    /// Larger tensors are summarized only once somebody shows them.
    static std::int64_t budgetBytes();

Q_SIGNALS:
    /// Several at once, not more often than the window can show them.
    void summarized(int id, const std::vector<ui::NamedSummary>& summaries);

private:
    struct Task
    {
        int id = -1;
        const core::Entry* entry = nullptr;
    };
    struct Known
    {
        std::shared_ptr<const core::Document> document;
        std::unordered_set<const core::Entry*> done;
    };
    struct Results;

    void loop(const std::stop_token& quit);
    ui::EntrySummary summaryOf(const core::Entry& entry, const core::Job& job) const;
    void makeWay(const std::stop_token& stop) const;
    void deliver(Results& results);

    const std::unique_ptr<const core::Engine> m_engine;
    const std::function<bool()> m_isBusy;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::map<int, Known> m_documents;
    /// The next one last.
    std::vector<Task> m_tasks;
    /// What is being summarized; of no document: nothing.
    Task m_running;
    std::stop_source m_stop;

    Mailbox m_mailbox;
    std::jthread m_thread; // last: ends before the rest goes
};

/// What Contents shows of a whole tensor.
ui::EntrySummary entrySummary(const WholeSummary& whole);

} // namespace app

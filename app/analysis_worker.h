// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/mailbox.h"
#include "core/document.h"
#include "core/frame.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace app {

/// A tensor of an open document and the part of it to be shown.
struct TensorChoice
{
    /// The caller's id of the document.
    int document = 0;
    /// Keeps `entry` alive.
    std::shared_ptr<const core::Document> file;
    const core::Entry* entry = nullptr;
    core::Selection selection;
};

/// A tensor that the engine has taken in.
struct TakenTensor
{
    TensorChoice choice;
    std::string engine;
    std::shared_ptr<const core::LoadedTensor> tensor;
    /// Per selected plane, batch-major, and of all.
    std::shared_ptr<const std::vector<core::Statistics>> planes;
    core::Statistics total;
};

/// Answers requests on a thread of its own. One slot for a request, one for a tensor; the newest wins. A waiting request lets
/// a running one finish that is nearly done and stops one that would take long, but never two in a row, so that frames keep
/// coming while the mouse moves. Signals arrive on the thread that the worker lives in, oldest first.
class AnalysisWorker : public QObject
{
    Q_OBJECT
public:
    explicit AnalysisWorker(std::unique_ptr<const core::Engine> engine, QObject* parent = nullptr);
    ~AnalysisWorker() override;

    /// Takes a tensor in: loads its data, scans it. What runs is stopped. Ends with taken(), takeFailed() or takeCancelled();
    /// until taken() requests are about the tensor before.
    void take(TensorChoice choice);
    /// Lets the tensor go.
    void release();
    /// Asks for a frame of the tensor that taken() told of last; without one nothing happens. Numbers the request.
    void ask(core::Request request);
    /// Stops taking a tensor in (the one before stays) and answering requests.
    void cancel();
    /// The tensor that taken() told of last, or null.
    std::shared_ptr<const TakenTensor> current() const { return m_current; }
    /// Number of the request asked last.
    std::uint64_t lastNumber() const { return m_lastNumber; }
    /// Whether nothing runs, waits or is on its way (the background's index and checks aside).
    bool isIdle() const;
    /// Whether indexed() was said of the current tensor.
    bool isIndexed() const { return m_isIndexed; }

    /// How long a running request may keep a newer one waiting.
    static constexpr std::chrono::milliseconds patience{50};
    /// Work that lasts longer is told of.
    static constexpr std::chrono::milliseconds quietTime{150};

Q_SIGNALS:
    void taken(std::shared_ptr<const app::TakenTensor> tensor);
    void takeFailed(const QString& message);
    void takeCancelled();
    /// Work lasts: how far it is, 0 to 1, or (negative) unknown.
    void progressed(const QString& what, double done);
    /// What progressed() told of is over.
    void progressEnded();
    /// cancel() left a request unanswered.
    void answerCancelled();
    void answered(std::shared_ptr<const core::Frame> frame);
    /// A request could not be answered.
    void failed(const QString& message);
    /// The current tensor got its index and its histogram, or cannot have them: requests get no faster any more, and frames
    /// are complete.
    void indexed();
    /// A check in the background found something worth a warning.
    void warned(const QString& message);

private:
    struct State;
    enum class Work { none, take, frame };
    using Clock = std::chrono::steady_clock;

    void loop(std::stop_token quit);
    void takeIn(State& state, const TensorChoice& choice, std::uint64_t generation, const std::stop_token& stop);
    void answer(State& state, const core::Request& request, const core::Job& job);
    void startBackground(State& state, bool withChecks);
    void considerStopping();
    /// Tells of work that lasts, and of its end.
    void tellProgress();
    void endProgress();

    const std::unique_ptr<const core::Engine> m_engine;

    // Used on the worker's own (GUI) thread only.
    std::shared_ptr<const TakenTensor> m_current;
    std::uint64_t m_currentGeneration = 0;
    /// Tensors up to this number were let go.
    std::uint64_t m_released = 0;
    std::uint64_t m_lastNumber = 0;
    bool m_isIndexed = false;
    QTimer m_patience;
    QTimer m_quiet;
    bool m_toldProgress = false;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::optional<TensorChoice> m_nextTensor;
    bool m_nextRelease = false;
    /// Number of the newest tensor asked for.
    std::uint64_t m_generation = 0;
    std::optional<core::Request> m_nextRequest;
    std::uint64_t m_nextRequestGeneration = 0;
    Work m_running = Work::none;
    /// What the running work is about.
    QString m_runningWhat;
    bool m_cancelled = false;
    Clock::time_point m_runningSince;
    bool m_runningIsDrag = false;
    /// The request before the running one was stopped, so the running one may finish.
    bool m_stoppedBefore = false;
    std::stop_source m_stop;

    Mailbox m_mailbox;
    std::jthread m_thread; // last: ends before the rest goes
};

} // namespace app

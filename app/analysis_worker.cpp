// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analysis_worker.h"

#include "app/job.h"
#include "app/translate.h"
#include "core/render/render.h"

#include <utility>

namespace app {

namespace {

/// The message of an error, with the file and the tensor where the engine, which knows neither, did not name them.
QString explain(const TensorChoice& choice, const std::exception& error)
{
    const auto message = messageOf(error);
    const auto file = fromPath(choice.file->file);
    if (message.contains(file))
        return message;
    return QStringLiteral("%1: %2: %3").arg(file, QString::fromStdString(choice.entry->name), message);
}

} // namespace

/// What the thread keeps between jobs.
struct AnalysisWorker::State
{
    std::shared_ptr<const TakenTensor> tensor;
    std::uint64_t generation = 0;
    std::shared_ptr<const core::Frame> previous;
    /// Data of the entry shown, so that another layout of it reads nothing again.
    std::shared_ptr<const core::Document> contentFile;
    const core::Entry* contentEntry = nullptr;
    std::optional<core::Content> content;
    /// Builds the index and checks checksums; replaced (stopped and joined) with the tensor.
    std::jthread background;

    void drop()
    {
        background = {};
        tensor.reset();
        previous.reset();
        content.reset();
        contentFile.reset();
        contentEntry = nullptr;
    }
};

AnalysisWorker::AnalysisWorker(std::unique_ptr<const core::Engine> engine, QObject* parent)
    : QObject(parent), m_engine(std::move(engine)), m_mailbox(this),
      m_thread([this](std::stop_token quit) { loop(std::move(quit)); })
{
    m_patience.setSingleShot(true);
    m_patience.setTimerType(Qt::PreciseTimer);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        const std::lock_guard lock(m_mutex);
        considerStopping();
    });
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(quietTime);
    connect(&m_quiet, &QTimer::timeout, this, &AnalysisWorker::tellProgress);
    connect(this, &AnalysisWorker::progressed, this, [this] { m_toldProgress = true; });
    connect(this, &AnalysisWorker::taken, this, &AnalysisWorker::endProgress);
    connect(this, &AnalysisWorker::takeFailed, this, &AnalysisWorker::endProgress);
    connect(this, &AnalysisWorker::takeCancelled, this, &AnalysisWorker::endProgress);
    connect(this, &AnalysisWorker::answered, this, &AnalysisWorker::endProgress);
    connect(this, &AnalysisWorker::failed, this, &AnalysisWorker::endProgress);
    connect(this, &AnalysisWorker::answerCancelled, this, &AnalysisWorker::endProgress);
}

AnalysisWorker::~AnalysisWorker() = default;

void AnalysisWorker::tellProgress()
{
    QString what;
    {
        const std::lock_guard lock(m_mutex);
        if (m_running == Work::none)
            return;
        what = m_runningWhat;
    }
    // Where parts done are known, they have been told by now.
    if (!m_toldProgress)
        Q_EMIT progressed(what, -1);
}

void AnalysisWorker::endProgress()
{
    m_quiet.stop();
    if (std::exchange(m_toldProgress, false))
        Q_EMIT progressEnded();
    if (!isIdle())
        m_quiet.start();
}

void AnalysisWorker::take(TensorChoice choice)
{
    if (!m_quiet.isActive())
        m_quiet.start();
    const std::lock_guard lock(m_mutex);
    m_nextTensor = std::move(choice);
    m_nextRelease = false;
    ++m_generation;
    m_stop.request_stop();
    m_wake.notify_one();
}

void AnalysisWorker::release()
{
    m_current.reset();
    m_currentGeneration = 0;
    const std::lock_guard lock(m_mutex);
    m_nextTensor.reset();
    m_nextRequest.reset();
    m_nextRelease = true;
    m_released = ++m_generation;
    m_stop.request_stop();
    m_wake.notify_one();
}

void AnalysisWorker::ask(core::Request request)
{
    if (!m_current)
        return;
    request.number = ++m_lastNumber;
    if (!m_quiet.isActive())
        m_quiet.start();
    const std::lock_guard lock(m_mutex);
    m_nextRequest = std::move(request);
    m_nextRequestGeneration = m_currentGeneration;
    considerStopping();
    m_wake.notify_one();
}

void AnalysisWorker::cancel()
{
    const std::lock_guard lock(m_mutex);
    if (m_nextTensor) {
        m_nextTensor.reset();
        m_mailbox.deliver([this] { Q_EMIT takeCancelled(); });
    }
    if (m_running == Work::none)
        return;
    m_cancelled = true;
    m_nextRequest.reset();
    m_stop.request_stop();
}

bool AnalysisWorker::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return m_running == Work::none && !m_nextTensor && !m_nextRequest && !m_nextRelease && m_mailbox.isEmpty();
}

void AnalysisWorker::considerStopping()
{
    if (m_running != Work::frame || !m_nextRequest)
        return;
    const bool dragEnded = m_runningIsDrag && !m_nextRequest->dragging;
    if (m_stoppedBefore && !dragEnded)
        return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience - (Clock::now() - m_runningSince));
    if (left.count() > 0)
        m_patience.start(left);
    else
        m_stop.request_stop();
}

void AnalysisWorker::loop(std::stop_token quit)
{
    State state;
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_running = Work::none;
        const auto hasWork = [this] { return m_nextTensor || m_nextRequest || m_nextRelease; };
        if (!m_wake.wait(lock, quit, hasWork) || quit.stop_requested())
            return;
        const bool drop = std::exchange(m_nextRelease, false);
        const auto choice = std::exchange(m_nextTensor, std::nullopt);
        // A request waits for the tensor: when that cannot be taken in, it is about the one before.
        const auto request = choice ? std::nullopt : std::exchange(m_nextRequest, std::nullopt);
        const bool outdated = request && m_nextRequestGeneration != state.generation;
        const auto generation = m_generation;
        m_stop = std::stop_source();
        m_running = choice ? Work::take : Work::frame;
        m_cancelled = false;
        if (choice)
            m_runningWhat = tr("Reading %1").arg(QString::fromStdString(choice->entry->name));
        else if (state.tensor)
            m_runningWhat = tr("Counting in %1").arg(QString::fromStdString(state.tensor->choice.entry->name));
        m_runningSince = Clock::now();
        m_runningIsDrag = request && request->dragging;
        core::Job job;
        job.stop = m_stop.get_token();
        const std::stop_callback whenQuitting(quit, [stop = m_stop]() mutable { stop.request_stop(); });
        lock.unlock();
        if (drop)
            state.drop();
        if (choice)
            takeIn(state, *choice, generation, job.stop);
        else if (request && state.tensor && !outdated)
            answer(state, *request, job);
    }
}

void AnalysisWorker::takeIn(State& state, const TensorChoice& choice, std::uint64_t generation, const std::stop_token& stop)
{
    const auto job =
        makeJob(stop, [this, what = tr("Reading %1").arg(QString::fromStdString(choice.entry->name))](double done) {
            m_mailbox.deliver([this, what, done] { Q_EMIT progressed(what, done); });
        });
    // Two cores are few: the index of a tensor on its way out would only be in the way.
    const bool wasIndexing = std::exchange(state.background, {}).joinable();
    try {
        if (state.contentEntry != choice.entry || !state.content) {
            auto content = choice.entry->load(job);
            state.content = std::move(content);
            state.contentEntry = choice.entry;
            state.contentFile = choice.file;
        }
        auto taken = std::make_shared<TakenTensor>();
        taken->choice = choice;
        taken->tensor = m_engine->load(*state.content, choice.selection, job);
        taken->engine = taken->tensor->engine();
        taken->planes = {taken->tensor, &taken->tensor->planeStatistics(job)};
        taken->total = taken->tensor->statistics(job);
        job.check();
        state.tensor = taken;
        state.generation = generation;
        state.previous.reset();
        m_mailbox.deliver([this, taken, generation] {
            if (generation <= m_released)
                return;
            m_current = taken;
            m_currentGeneration = generation;
            m_isIndexed = false;
            Q_EMIT this->taken(taken);
        });
    } catch (const core::Cancelled&) {
        const std::lock_guard lock(m_mutex);
        if (generation == m_generation)
            m_mailbox.deliver([this] { Q_EMIT takeCancelled(); });
    } catch (const std::exception& error) {
        m_mailbox.deliver([this, message = explain(choice, error)] { Q_EMIT takeFailed(message); });
    }
    if (wasIndexing && state.generation != generation)
        startBackground(state, false);
}

void AnalysisWorker::answer(State& state, const core::Request& request, const core::Job& job)
{
    try {
        const auto frame = std::make_shared<const core::Frame>(
            core::makeFrame(*state.tensor->tensor, state.tensor->tensor->engine(), request, state.previous.get(), job));
        const bool first = !state.previous;
        state.previous = frame;
        {
            const std::lock_guard lock(m_mutex);
            m_stoppedBefore = false;
            m_mailbox.deliver([this, frame, generation = state.generation] {
                if (generation == m_currentGeneration)
                    Q_EMIT answered(frame);
            });
        }
        if (first)
            startBackground(state, true);
    } catch (const core::Cancelled&) {
        const std::lock_guard lock(m_mutex);
        m_stoppedBefore = true;
        if (m_cancelled)
            m_mailbox.deliver([this] { Q_EMIT answerCancelled(); });
    } catch (const std::exception& error) {
        const std::lock_guard lock(m_mutex);
        m_stoppedBefore = false;
        m_mailbox.deliver([this, message = explain(state.tensor->choice, error)] { Q_EMIT failed(message); });
    }
}

void AnalysisWorker::startBackground(State& state, bool withChecks)
{
    state.background = std::jthread([this, tensor = state.tensor, withChecks](const std::stop_token& stop) {
        core::Job job;
        job.stop = stop;
        const auto warn = [this](const QString& message) { m_mailbox.deliver([this, message] { Q_EMIT warned(message); }); };
        const auto attempt = [&](const auto& work) {
            try {
                work();
            } catch (const std::exception& error) {
                warn(explain(tensor->choice, error));
            }
        };
        try {
            attempt([&] {
                tensor->tensor->buildIndex(job);
                // Frames made meanwhile come without it.
                if (!tensor->tensor->isHistogramQuick(std::nullopt))
                    (void)tensor->tensor->histogram(std::nullopt, core::distributionBins, job);
            });
            m_mailbox.deliver([this, tensor] {
                if (tensor != m_current)
                    return;
                m_isIndexed = true;
                Q_EMIT indexed();
            });
            attempt([&] {
                const auto& verify = tensor->choice.entry->verify;
                if (const auto warning = withChecks && verify ? verify(job) : std::nullopt)
                    warn(QString::fromStdString(*warning));
            });
        } catch (const core::Cancelled&) {
        }
    });
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/input_images.h"
#include "app/mailbox.h"
#include "app/model/arguments.h"
#include "app/model/model_process.h"
#include "app/task_queue.h"

#include <QObject>

#include <atomic>
#include <map>
#include <memory>

namespace app {

/// What the user allows models.
struct ModelLimits
{
    /// Longest time for loading or running; 0: no limit.
    std::chrono::seconds time{0};
    /// Memory for the captures of a run.
    std::int64_t bytes = 0;
    /// Custom operators, besides those of the settings.
    std::vector<std::filesystem::path> libraries;
};

/// What a run is asked to do: the input, and the layers to keep ("output" is always kept).
struct ModelRun
{
    ModelInput input;
    std::vector<std::string> layers;
    /// Shapes and statistics of all layers, no values.
    bool dry = false;
    /// Also what every operator within the layers gives.
    bool operators = false;
    ModelLimits limits;
    /// The caller's own.
    int number = 0;
};

/// What came of a run.
struct ModelAnswer
{
    ModelRun run;
    RunResult result;
    PreparedArguments arguments;
    InputImages images;
    /// What the model printed.
    std::string log;
};

/// What would go into a model.
struct PreparedAnswer
{
    PreparedArguments arguments;
    InputImages images;
    /// Why the arguments cannot be made; usually empty.
    QString problem;
};

/// Loads and runs models, each in a process of its own, on a thread that lives as long as this. Signals arrive on the thread
/// that the worker lives in. What is asked is done in order; cancel() ends all of it.
class ModelWorker : public QObject
{
    Q_OBJECT
public:
    explicit ModelWorker(RunnerSettings settings = {}, QObject* parent = nullptr);

    /// Starts a process ahead, so that the first model to be opened need not wait for LibTorch. Returns at once.
    void warmUp();
    /// Loads a model, with these libraries of custom operators. Ends with opened() or openFailed(), unless cancelled.
    void open(int id, const QString& file, const ModelLimits& limits);
    /// Prepares an input without running it; only the last one asked for a model is. Ends with prepared(), unless cancelled.
    void prepare(int id, ModelInput input);
    /// Ends with ran() or runFailed(); with runCancelled() when stopped.
    void run(int id, ModelRun run);
    /// Ends the model's process.
    void close(int id);
    /// Stops what runs and drops what waits.
    void cancel();
    bool isIdle() const { return m_queue.isIdle() && m_mailbox.isEmpty(); }

Q_SIGNALS:
    void opened(int id, std::shared_ptr<const app::ModelInfo> info);
    void openFailed(int id, const QString& message);
    void prepared(int id, std::shared_ptr<const app::PreparedAnswer> answer);
    /// The model ran, perhaps up to a failure (result.failure).
    void ran(int id, std::shared_ptr<const app::ModelAnswer> answer);
    /// The model could not be run at all: an input that cannot be read, a process that does not start.
    void runFailed(int id, const QString& message);
    void runCancelled(int id, int number);
    /// Work lasts: what, and how far, 0 to 1 (negative: unknown).
    void progressed(const QString& what, double done);
    /// Nothing runs or waits any more.
    void finished();

private:
    struct Model
    {
        QString file;
        std::unique_ptr<ModelProcess> process;
        std::vector<std::filesystem::path> libraries;
        std::shared_ptr<const ModelInfo> info;
    };

    void makeSpare();
    /// A process with libraries besides those of the settings; the spare one where there are none.
    std::unique_ptr<ModelProcess> takeProcess(const std::vector<std::filesystem::path>& libraries);
    void openNow(int id, const QString& file, const ModelLimits& limits, const std::stop_token& stop);
    void prepareNow(int id, const ModelInput& input, const std::stop_token& stop);
    void runNow(int id, const ModelRun& run, const std::stop_token& stop);
    core::Job makeJob(const QString& what, const std::stop_token& stop);

    const RunnerSettings m_settings;
    /// Number of the newest preparation asked for.
    std::atomic<int> m_newestPreparation = 0;
    // Used on the queue's thread only.
    std::map<int, Model> m_models;
    /// A process without a model, waiting for the next one to be opened; may be none.
    std::unique_ptr<ModelProcess> m_spare;

    Mailbox m_mailbox;
    TaskQueue m_queue; // last: ends before the rest goes
};

} // namespace app

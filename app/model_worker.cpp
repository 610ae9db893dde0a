// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_worker.h"

#include "app/image_file.h"
#include "app/job.h"
#include "app/translate.h"

#include <QFileInfo>

#include <utility>

namespace app {

namespace {

/// A window goes on after a model's process died.
RunnerSettings windowSettings(RunnerSettings settings)
{
    settings.startsAhead = true;
    return settings;
}

} // namespace

ModelWorker::ModelWorker(RunnerSettings settings, QObject* parent)
    : QObject(parent), m_settings(windowSettings(std::move(settings))), m_mailbox(this),
      m_queue([this] { m_mailbox.deliver([this] { Q_EMIT finished(); }); })
{
}

void ModelWorker::warmUp()
{
    m_queue.post([this](const std::stop_token&) {
        if (m_models.empty())
            makeSpare();
    });
}

void ModelWorker::makeSpare()
{
    if (m_spare || !findRunner(m_settings))
        return;
    m_spare = std::make_unique<ModelProcess>(m_settings);
    m_spare->startAhead();
}

std::unique_ptr<ModelProcess> ModelWorker::takeProcess(const std::vector<std::filesystem::path>& libraries)
{
    if (m_spare && libraries.empty())
        return std::exchange(m_spare, nullptr);
    auto settings = m_settings;
    settings.operatorLibraries.insert(settings.operatorLibraries.end(), libraries.begin(), libraries.end());
    return std::make_unique<ModelProcess>(settings);
}

void ModelWorker::open(int id, const QString& file, const ModelLimits& limits)
{
    m_queue.post([this, id, file, limits](const std::stop_token& stop) { openNow(id, file, limits, stop); });
}

void ModelWorker::prepare(int id, ModelInput input)
{
    const int number = ++m_newestPreparation;
    m_queue.post([this, id, number, input = std::move(input)](const std::stop_token& stop) {
        if (number == m_newestPreparation)
            prepareNow(id, input, stop);
    });
}

void ModelWorker::run(int id, ModelRun run)
{
    m_queue.post([this, id, run = std::move(run)](const std::stop_token& stop) { runNow(id, run, stop); });
}

void ModelWorker::close(int id)
{
    m_queue.post([this, id](const std::stop_token&) {
        if (m_models.erase(id) > 0)
            makeSpare();
    });
}

void ModelWorker::cancel()
{
    m_queue.cancel();
}

core::Job ModelWorker::makeJob(const QString& what, const std::stop_token& stop)
{
    return app::makeJob(
        stop, [this, what](double done) { m_mailbox.deliver([this, what, done] { Q_EMIT progressed(what, done); }); });
}

void ModelWorker::openNow(int id, const QString& file, const ModelLimits& limits, const std::stop_token& stop)
{
    const auto what = tr("Loading %1").arg(QFileInfo(file).fileName());
    m_mailbox.deliver([this, what] { Q_EMIT progressed(what, -1); });
    try {
        auto& model = m_models[id];
        model.file = file;
        if (!model.process || model.libraries != limits.libraries) {
            model.process = takeProcess(limits.libraries);
            model.libraries = limits.libraries;
        }
        model.process->setTimeLimit(limits.time);
        model.info = std::make_shared<const ModelInfo>(model.process->open(toPath(file), makeJob(what, stop)));
        m_mailbox.deliver([this, id, info = model.info] { Q_EMIT opened(id, info); });
    } catch (const core::Cancelled&) {
        m_models.erase(id);
        makeSpare();
    } catch (const std::exception& error) {
        m_models.erase(id);
        makeSpare();
        m_mailbox.deliver([this, id, message = messageOf(error)] { Q_EMIT openFailed(id, message); });
    }
}

void ModelWorker::prepareNow(int id, const ModelInput& input, const std::stop_token& stop)
{
    const auto model = m_models.find(id);
    if (model == m_models.end() || !model->second.info)
        return;
    auto answer = std::make_shared<PreparedAnswer>();
    try {
        answer->arguments = makeArguments(*model->second.info, input, decodePicture, makeJob(tr("Reading the input"), stop));
        answer->images = inputImages(answer->arguments, false);
    } catch (const core::Cancelled&) {
        return;
    } catch (const std::exception& error) {
        answer->problem = messageOf(error);
    }
    m_mailbox.deliver([this, id, answer = std::shared_ptr<const PreparedAnswer>(answer)] { Q_EMIT prepared(id, answer); });
}

void ModelWorker::runNow(int id, const ModelRun& run, const std::stop_token& stop)
{
    const auto found = m_models.find(id);
    if (found == m_models.end() || !found->second.info)
        return;
    auto& model = found->second;
    const auto what = tr("Running %1").arg(QFileInfo(model.file).fileName());
    const auto job = makeJob(what, stop);
    // A layer that never ends tells nothing of its progress.
    m_mailbox.deliver([this, what] { Q_EMIT progressed(what, -1); });
    try {
        auto answer = std::make_shared<ModelAnswer>();
        answer->run = run;
        answer->arguments = makeArguments(*model.info, run.input, decodePicture, job);
        answer->images = inputImages(answer->arguments, !run.dry);
        RunRequest request;
        request.arguments = answer->arguments.values;
        request.layers = run.layers;
        request.allLayers = run.dry;
        request.operators = run.operators && !run.dry;
        request.budgetBytes = run.dry ? 0 : run.limits.bytes;
        RunEvents events;
        events.progress = [&job](const std::string&, std::int64_t done, std::int64_t total) {
            job.report(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : -1);
        };
        model.process->setTimeLimit(run.limits.time);
        answer->result = model.process->run(request, events, job);
        answer->log = model.process->takeLog();
        m_mailbox.deliver([this, id, answer = std::shared_ptr<const ModelAnswer>(answer)] { Q_EMIT ran(id, answer); });
    } catch (const core::Cancelled&) {
        m_mailbox.deliver([this, id, number = run.number] { Q_EMIT runCancelled(id, number); });
    } catch (const std::exception& error) {
        m_mailbox.deliver([this, id, message = messageOf(error)] { Q_EMIT runFailed(id, message); });
    }
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_controller.h"

#include "app/model_input.h"
#include "app/translate.h"
#include "core/error.h"

#include <QFileInfo>

#include <algorithm>

namespace app {

namespace {

/// A model that took longer is not run again by itself when its input changes.
constexpr qint64 liveRunMs = 1000;

bool isEmpty(const ui::InputChoice& choice)
{
    return std::ranges::all_of(choice.arguments, [](const auto& one) { return one.kind == ui::ArgumentChoice::Kind::nothing; });
}

/// The choice with files for the first arguments that take tensors.
ui::InputChoice withFiles(const ui::InputModel& model, const QStringList& files)
{
    auto choice = model.choice;
    auto next = files.begin();
    for (std::size_t i = 0; i < model.arguments.size() && next != files.end(); ++i) {
        if (!model.arguments[i].takesTensors)
            continue;
        auto& argument = choice.arguments[i];
        argument.kind = ui::ArgumentChoice::Kind::file;
        argument.text = *next++;
        while (model.arguments[i].takesMany && next != files.end())
            argument.text += QLatin1Char('\n') + *next++;
    }
    return choice;
}

/// "photo.jpg", "random 1x3x224x224": the first thing given.
QString nameOf(const ui::InputChoice& choice)
{
    using Kind = ui::ArgumentChoice::Kind;
    for (const auto& argument : choice.arguments) {
        if (argument.kind == Kind::file)
            return QFileInfo(argument.text.section(QLatin1Char('\n'), 0, 0)).fileName();
        if (argument.kind == Kind::random || argument.kind == Kind::ones)
            return (argument.kind == Kind::random ? QStringLiteral("random ") : QStringLiteral("ones ")) + argument.text;
    }
    return {};
}

} // namespace

ModelController::ModelController(ui::MainWindow& window, RunnerSettings settings, QObject* parent)
    : QObject(parent), m_window(window), m_canRun(findRunner(settings).has_value()), m_worker(std::move(settings))
{
    connectWindow();
    connectWorker();
}

void ModelController::connectWindow()
{
    using ui::MainWindow;
    connect(&m_window, &MainWindow::inputChanged, this, &ModelController::setChoice);
    connect(&m_window, &MainWindow::runRequested, this, &ModelController::run);
    connect(&m_window, &MainWindow::stopRequested, this, &ModelController::cancel);
}

void ModelController::connectWorker()
{
    connect(&m_worker, &ModelWorker::opened, this, &ModelController::onOpened);
    connect(&m_worker, &ModelWorker::openFailed, this, [this](int, const QString& message) { Q_EMIT failed(message); });
    connect(&m_worker, &ModelWorker::prepared, this,
            [this](int id, const std::shared_ptr<const PreparedAnswer>& answer) { onPrepared(id, *answer); });
    connect(&m_worker, &ModelWorker::ran, this,
            [this](int id, const std::shared_ptr<const ModelAnswer>& answer) { onRan(id, *answer); });
    connect(&m_worker, &ModelWorker::runFailed, this, [this](int id, const QString& message) {
        stop(id);
        Q_EMIT failed(message);
    });
    connect(&m_worker, &ModelWorker::runCancelled, this, [this](int id, int number) {
        if (const auto* model = find(id); model && model->run == number)
            stop(id);
    });
    connect(&m_worker, &ModelWorker::progressed, this, &ModelController::progressed);
    connect(&m_worker, &ModelWorker::finished, this, &ModelController::finished);
}

ModelController::Model* ModelController::find(int id)
{
    const auto found = m_models.find(id);
    return found == m_models.end() ? nullptr : &found->second;
}

void ModelController::adopt(int id, const QString& file, std::shared_ptr<const core::Document> document,
                            const QStringList& inputs)
{
    auto& model = m_models[id];
    model.file = file;
    model.parts.file = std::move(document);
    model.waitingInputs = inputs;
    m_worker.open(id, file);
}

void ModelController::drop(int id)
{
    if (m_models.erase(id) == 0)
        return;
    m_worker.close(id);
    m_window.clearInput(id);
    if (m_shown == id)
        m_shown = -1;
}

void ModelController::showInput(int id)
{
    const auto* model = find(id);
    if (!model || !model->parts.info || id == m_shown)
        return;
    m_shown = id;
    m_window.showInput(model->input);
    showRunning();
    setChoice(id, model->input.choice);
}

void ModelController::showRunning()
{
    const auto* model = find(m_shown);
    m_window.setModelRunning(model && model->isRunning);
}

void ModelController::onOpened(int id, const std::shared_ptr<const ModelInfo>& info)
{
    auto* model = find(id);
    if (!model)
        return;
    const bool again = model->parts.info != nullptr;
    const auto choice = model->input.choice;
    model->parts = {model->parts.file, info, {}, {}, {}};
    model->input = inputModel(id, QFileInfo(model->file).fileName(), *info);
    if (again && choice.arguments.size() == model->input.choice.arguments.size())
        model->input.choice = choice;
    const bool runs = !model->waitingInputs.isEmpty();
    if (runs)
        model->input.choice = withFiles(model->input, std::exchange(model->waitingInputs, {}));
    for (const auto& warning : info->warnings)
        m_window.showMessage(ui::Severity::warning, model->input.name + QStringLiteral(": ") + QString::fromStdString(warning));
    m_shown = id;
    m_window.showInput(model->input);
    Q_EMIT changed(id, modelDocument(model->parts), {});
    setChoice(id, model->input.choice);
    if (runs || (again && model->hasRun))
        run(id);
    else if (!isEmpty(model->input.choice))
        start(id, true);
}

void ModelController::setChoice(int id, const ui::InputChoice& choice)
{
    auto* model = find(id);
    if (!model || !model->parts.info)
        return;
    const bool isNew = !(choice == model->input.choice);
    model->input.choice = choice;
    try {
        m_worker.prepare(id, modelInput(choice));
        if (isNew && model->hasRun && model->lastRunMs < liveRunMs && !model->isRunning)
            run(id);
    } catch (const core::Error& error) {
        onPrepared(id, {{}, {}, messageOf(error)});
    }
}

void ModelController::onPrepared(int id, const PreparedAnswer& answer)
{
    auto* model = find(id);
    if (!model || id != m_shown)
        return;
    auto preview = inputPreview(answer.arguments, model->input.choice, *model->parts.info);
    preview.picture = answer.images.given;
    // Nothing chosen yet is no problem.
    if (!answer.problem.isEmpty() && !isEmpty(model->input.choice))
        preview.problem = answer.problem;
    m_window.setInputPreview(preview);
}

bool ModelController::choose(int id, const QString& entry)
{
    auto* model = find(id);
    if (!model || !model->parts.info)
        return false;
    const auto name = entry.toStdString();
    if (!model->parts.info->layer(name) && name != "output")
        return false;
    // What runs is no longer wanted.
    if (model->isRunning)
        cancel();
    model->layer = name;
    run(id);
    return true;
}

void ModelController::run(int id)
{
    auto* model = find(id);
    if (!model || !model->parts.info || model->isRunning)
        return;
    const bool needsShapes = model->layer.empty() && model->parts.shapes.empty();
    model->runsAfterDry = needsShapes;
    start(id, needsShapes);
}

void ModelController::start(int id, bool dry)
{
    auto& model = m_models.at(id);
    ModelRun run;
    try {
        run.input = modelInput(model.input.choice);
    } catch (const core::Error& error) {
        Q_EMIT failed(messageOf(error));
        return;
    }
    if (!dry && model.layer.empty())
        model.layer = usualLayer(model.parts);
    // With the same input, what is there already stays.
    if (!dry && !(model.ranWith == model.input.choice))
        model.parts.captures.clear();
    if (!dry && model.layer != "output")
        run.layers.push_back(model.layer);
    run.dry = dry;
    run.number = ++model.run;
    model.ranWith = dry ? model.ranWith : model.input.choice;
    model.isRunning = true;
    model.sinceStart.start();
    showRunning();
    m_worker.run(id, std::move(run));
}

void ModelController::stop(int id)
{
    if (auto* model = find(id)) {
        model->isRunning = false;
        model->runsAfterDry = false;
        // The next run is about what is seen, not about what came to nothing.
        model->layer = model->shownLayer;
    }
    showRunning();
}

void ModelController::cancel()
{
    m_worker.cancel();
    for (auto& [id, model] : m_models)
        if (model.isRunning)
            stop(id);
}

void ModelController::onDryRun(int id, Model& model, const ModelAnswer& answer)
{
    model.parts.shapes = answer.result.captures;
    model.parts.notExecuted = answer.result.notExecuted;
    Q_EMIT changed(id, modelDocument(model.parts), {});
    if (!std::exchange(model.runsAfterDry, false)) {
        // Nobody asked for this run: that the suggested input fails is told beside the input only.
        if (!answer.result.failure.empty()) {
            auto preview = inputPreview(answer.arguments, model.input.choice, *model.parts.info);
            preview.picture = answer.images.given;
            preview.problem = QString::fromStdString(answer.result.failure);
            if (id == m_shown)
                m_window.setInputPreview(preview);
        }
        return;
    }
    if (answer.result.failure.empty())
        start(id, false);
    else
        Q_EMIT failed(model.input.name + QStringLiteral(": ") + QString::fromStdString(answer.result.failure));
}

void ModelController::onRan(int id, const ModelAnswer& answer)
{
    auto* model = find(id);
    if (!model)
        return;
    model->isRunning = false;
    showRunning();
    if (answer.run.dry)
        return onDryRun(id, *model, answer);
    model->hasRun = true;
    model->lastRunMs = model->sinceStart.elapsed();
    // Masks lie over the picture that the network got; over none where it got no picture.
    model->picture.reset();
    if (const auto& picture = answer.arguments.picture)
        model->picture = {picture->geometry, answer.images.given, answer.images.original};
    model->parts.notExecuted = answer.result.notExecuted;
    auto& kept = model->parts.captures;
    for (const auto& capture : answer.result.captures) {
        std::erase_if(kept, [&](const Capture& old) { return old.name == capture.name; });
        kept.push_back(capture);
    }
    const auto shown = shownEntry(model->parts, model->layer);
    if (shown.empty() && answer.result.failure.empty())
        Q_EMIT failed(tr("%1: the layer %2 gave no values with this input (a branch that did not run, or None)")
                          .arg(model->input.name, QString::fromStdString(model->layer)));
    if (shown.empty())
        model->layer = model->shownLayer;
    else
        model->shownLayer = model->layer;
    const auto& result = answer.result;
    if (!result.failure.empty())
        Q_EMIT failed(model->input.name + QStringLiteral(": ") + QString::fromStdString(result.failure));
    if (result.unkept > 0)
        m_window.showMessage(ui::Severity::warning,
                             tr("%1: %2 values did not fit the memory for captures and are shown without their values")
                                 .arg(model->input.name)
                                 .arg(result.unkept));
    Q_EMIT changed(id, modelDocument(model->parts), QString::fromStdString(shown));
}

QString ModelController::inputName(int id) const
{
    const auto found = m_models.find(id);
    return found == m_models.end() ? QString() : nameOf(found->second.ranWith);
}

std::optional<ui::NetworkInput> ModelController::picture(int id) const
{
    const auto found = m_models.find(id);
    return found == m_models.end() ? std::nullopt : found->second.picture;
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_controller.h"

#include "app/cli/model_options.h"
#include "app/model_input.h"
#include "app/translate.h"
#include "core/error.h"

#include <QFileInfo>

#include <algorithm>

namespace app {

namespace {

bool isEmpty(const ui::InputChoice& choice)
{
    return std::ranges::all_of(choice.arguments, [](const auto& one) { return one.kind == ui::ArgumentChoice::Kind::nothing; });
}

/// Messages about a model's run have this id.
QString failureOf(int id)
{
    return QStringLiteral("run of ") + QString::number(id);
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
    : QObject(parent), m_window(window), m_canRun(findRunner(settings).has_value()), m_worker(std::move(settings)),
      m_options(window.runOptions())
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
    connect(&m_window, &MainWindow::runOptionsChanged, this, &ModelController::setOptions);
    connect(&m_window, &MainWindow::messageAction, this, [this](const QString& action) {
        if (action == libraryAction)
            m_window.addOperatorLibrary();
    });
}

void ModelController::connectWorker()
{
    connect(&m_worker, &ModelWorker::opened, this, &ModelController::onOpened);
    connect(&m_worker, &ModelWorker::openFailed, this, &ModelController::fail);
    connect(&m_worker, &ModelWorker::prepared, this,
            [this](int id, const std::shared_ptr<const PreparedAnswer>& answer) { onPrepared(id, *answer); });
    connect(&m_worker, &ModelWorker::ran, this,
            [this](int id, const std::shared_ptr<const ModelAnswer>& answer) { onRan(id, *answer); });
    connect(&m_worker, &ModelWorker::runFailed, this, [this](int id, const QString& message) {
        if (auto* model = find(id)) {
            model->hasTried = true;
            model->lastRunMs = model->sinceStart.elapsed();
        }
        stop(id);
        fail(id, message);
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
    m_worker.open(id, file, limits());
}

void ModelController::drop(int id)
{
    if (m_models.erase(id) == 0)
        return;
    m_worker.close(id);
    forgetFailure(id);
    m_window.clearInput(id);
    if (m_shown == id)
        m_shown = -1;
}

void ModelController::showInput(int id, const QString& entry)
{
    auto* model = find(id);
    if (!model || !model->parts.info)
        return;
    // The next run is about what is seen.
    if (const auto layer = layerOf(model->parts, entry.toStdString()); !layer.empty()) {
        model->shownEntry = entry.toStdString();
        model->shownLayer = layer;
        if (!model->isRunning || (model->isDry && !model->runsAfterDry))
            model->layer = layer;
    }
    if (id == m_shown)
        return showRunning();
    m_shown = id;
    m_window.showInput(model->input);
    showRunning();
    setChoice(id, model->input.choice);
}

ModelLimits ModelController::limits() const
{
    ModelLimits limits;
    limits.time = std::chrono::seconds(m_options.timeLimit);
    limits.bytes =
        m_options.memory.isEmpty() ? defaultBudgetBytes() : cli::parseBytes(m_options.memory.toStdString(), "Memory");
    for (const auto& library : m_options.libraries)
        limits.libraries.push_back(toPath(library));
    return limits;
}

void ModelController::setOptions(const ui::RunOptions& options)
{
    const auto before = std::exchange(m_options, options);
    try {
        const auto known = limits();
        if (before.libraries == options.libraries)
            return;
        for (auto& [id, model] : m_models) {
            model.isRunning = false;
            m_worker.open(id, model.file, known);
        }
        showRunning();
    } catch (const core::Error& error) {
        Q_EMIT failed(messageOf(error));
    }
}

void ModelController::forgetFailure(int id)
{
    m_window.withdrawMessage(failureOf(id));
}

void ModelController::tellStopped(int id)
{
    forgetFailure(id);
    m_window.showMessage(ui::Severity::information, tr("The run of %1 was stopped").arg(m_models.at(id).input.name), {},
                         failureOf(id));
}

void ModelController::fail(int id, const QString& message)
{
    forgetFailure(id);
    if (auto* model = find(id))
        model->failedWith = model->startedWith;
    auto text = windowWords(message);
    text.replace(QStringLiteral("trust the model if it needs that"),
                 QStringLiteral("if it needs that, run it with actiscope capture --trust"));
    if (!text.contains(QStringLiteral("with --op-library FILE")))
        return Q_EMIT failed(text, {}, failureOf(id));
    text.remove(QStringLiteral(" when the program is started"));
    text.replace(QStringLiteral("with --op-library FILE"), QStringLiteral("with Choose library"));
    Q_EMIT failed(text, tr("Choose library\u2026"), libraryAction);
}

bool ModelController::takesFiles(int id) const
{
    const auto found = m_models.find(id);
    return id >= 0 && id == m_shown && found != m_models.end() && found->second.parts.info &&
           std::ranges::any_of(found->second.input.arguments, [](const auto& argument) { return argument.takesTensors; });
}

bool ModelController::wantsPictures(int id, qsizetype count) const
{
    if (!takesFiles(id))
        return false;
    const auto& model = m_models.at(id);
    const auto& arguments = model.input.arguments;
    const auto first = std::ranges::find_if(arguments, [](const auto& argument) { return argument.takesTensors; });
    if (count > 1 && !first->takesMany)
        return false;
    const auto& info = *model.parts.info;
    if (info.channels)
        return *info.channels == 3 && info.axes.value_or(2) == 2;
    return !info.vocabulary && !info.features;
}

void ModelController::give(const QStringList& files)
{
    if (m_window.giveInputFiles(files))
        run(m_shown);
}

void ModelController::onOpened(int id, const std::shared_ptr<const ModelInfo>& info)
{
    auto* model = find(id);
    if (!model)
        return;
    const bool again = model->parts.info != nullptr;
    const auto choice = model->input.choice;
    model->parts = {model->parts.file, info, {}, {}, {}};
    model->shapesWith.reset();
    forgetFailure(id);
    model->input = inputModel(id, QFileInfo(model->file).fileName(), *info);
    if (again && choice.arguments.size() == model->input.choice.arguments.size())
        model->input.choice = choice;
    const bool runs = !model->waitingInputs.isEmpty();
    if (runs)
        model->input.choice = withFiles(model->input, std::exchange(model->waitingInputs, {}));
    for (const auto& warning : info->warnings) {
        const auto text = QString::fromStdString(warning);
        const bool named = text.startsWith(model->file);
        m_window.showMessage(ui::Severity::warning, named ? text : model->input.name + QStringLiteral(": ") + text);
    }
    m_shown = id;
    m_window.showInput(model->input);
    Q_EMIT changed(id, modelDocument(model->parts), {});
    setChoice(id, model->input.choice);
    if (runs || (again && model->hasRun))
        run(id);
    else if (!isEmpty(model->input.choice))
        start(id, true);
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
        preview.problem = windowWords(answer.problem);
    m_window.setInputPreview(preview);
    // What failed with another input no longer holds.
    if (preview.problem.isEmpty() && !(model->failedWith == model->input.choice))
        forgetFailure(id);
}

QString ModelController::inputName(int id) const
{
    const auto found = m_models.find(id);
    return found == m_models.end() ? QString() : nameOf(found->second.shownWith);
}

std::optional<ui::NetworkInput> ModelController::picture(int id) const
{
    const auto found = m_models.find(id);
    return found == m_models.end() ? std::nullopt : found->second.picture;
}

} // namespace app

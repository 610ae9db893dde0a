// SPDX-License-Identifier: GPL-3.0-or-later
// When a model runs, and what becomes of what it gave.
#include "app/model_controller.h"

#include "app/model_input.h"
#include "app/translate.h"
#include "core/error.h"

#include <unordered_set>
#include <vector>

namespace app {

namespace {

/// A model that took longer is not run again by itself when its input changes.
constexpr qint64 liveRunMs = 1000;

} // namespace

bool ModelController::isLive(const Model& model)
{
    return model.hasTried && model.lastRunMs < liveRunMs;
}

bool ModelController::dropOldShapes(Model& model)
{
    if (model.shapesWith == model.startedWith)
        return false;
    model.shapesWith.reset();
    model.parts.shapes.clear();
    return isLive(model);
}

void ModelController::showRunning()
{
    const auto* model = find(m_shown);
    m_window.setModelRunning(model && model->isRunning);
    // A short run is about to bring it up to date.
    const bool soon = model && model->isRunning && model->lastRunMs < liveRunMs;
    m_window.setOutdated(m_shown, model && model->hasRun && !soon && !(model->shownWith == model->input.choice));
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
        if (isNew && isLive(*model))
            run(id);
    } catch (const core::Error& error) {
        onPrepared(id, {{}, {}, messageOf(error)});
    }
    showRunning();
}

bool ModelController::choose(int id, const QString& entry)
{
    auto* model = find(id);
    if (!model || !model->parts.info)
        return false;
    const auto name = entry.toStdString();
    if (!model->parts.info->layer(name) && name != outputName)
        return false;
    // What runs is no longer wanted; shapes are.
    if (model->isRunning && !model->isDry)
        stopAll();
    model->layer = name;
    run(id);
    return true;
}

void ModelController::run(int id)
{
    auto* model = find(id);
    if (!model || !model->parts.info)
        return;
    if (model->isRunning) {
        // A short run is let end; a long one is not waited for.
        const bool same = model->startedWith == model->input.choice;
        (model->isDry && same ? model->runsAfterDry : model->runsAgain) = true;
        if (model->sinceStart.elapsed() < liveRunMs)
            return;
        m_worker.cancel();
        model->isRunning = false;
        model->runsAgain = false;
        m_worker.prepare(id, modelInput(model->input.choice));
    }
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
        run.limits = limits();
    } catch (const core::Error& error) {
        fail(id, messageOf(error));
        return;
    }
    if (!dry && model.layer.empty())
        model.layer = usualLayer(model.parts);
    // With the same input, what is there already stays.
    if (!dry && !(model.ranWith == model.input.choice))
        model.parts.captures.clear();
    if (!dry && model.layer != outputName)
        run.layers.push_back(model.layer);
    // What the model itself gives comes as its output; its operators come with the layer without a name.
    if (!dry && model.layer == outputName && m_options.operators)
        run.layers.emplace_back();
    run.dry = dry;
    run.operators = m_options.operators;
    run.number = ++model.run;
    model.startedWith = model.input.choice;
    model.ranWith = dry ? model.ranWith : model.input.choice;
    model.isRunning = true;
    model.isDry = dry;
    model.runsAgain = false;
    model.sinceStart.start();
    showRunning();
    m_worker.run(id, std::move(run));
}

void ModelController::stop(int id)
{
    if (auto* model = find(id)) {
        model->isRunning = false;
        model->runsAfterDry = false;
        model->runsAgain = false;
        // The next run is about what is seen, not about what came to nothing.
        model->layer = model->shownLayer;
    }
    showRunning();
}

void ModelController::cancel()
{
    std::vector<int> stopped;
    for (const auto& [id, model] : m_models)
        if (model.isRunning && (!model.isDry || model.runsAfterDry))
            stopped.push_back(id);
    stopAll();
    for (const int id : stopped)
        tellStopped(id);
}

void ModelController::stopAll()
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
    model.shapesWith = model.startedWith;
    Q_EMIT changed(id, modelDocument(model.parts), {});
    if (!std::exchange(model.runsAfterDry, false)) {
        // Nobody asked for this run: that the suggested input fails is told beside the input only.
        if (!answer.result.failure.empty() && model.startedWith == model.input.choice) {
            auto preview = inputPreview(answer.arguments, model.input.choice, *model.parts.info);
            preview.picture = answer.images.given;
            preview.problem = QString::fromStdString(answer.result.failure);
            if (id == m_shown)
                m_window.setInputPreview(preview);
        }
        return;
    }
    // A layer before the failure has values.
    if (answer.result.failure.empty() || !model.layer.empty())
        start(id, false);
    else {
        model.hasTried = true;
        model.lastRunMs = model.sinceStart.elapsed();
        fail(id, model.input.name + QStringLiteral(": ") + QString::fromStdString(answer.result.failure));
    }
}

void ModelController::onRan(int id, const ModelAnswer& answer)
{
    auto* model = find(id);
    // One that was stopped for another may have ended just before.
    if (!model || answer.run.number != model->run)
        return;
    model->isRunning = false;
    showRunning();
    if (id == m_shown && !answer.run.dry)
        m_window.setModelLog(QString::fromStdString(answer.log));
    if (answer.run.dry) {
        const bool again = std::exchange(model->runsAgain, false);
        onDryRun(id, *model, answer);
        if (again)
            run(id);
        return;
    }
    forgetFailure(id);
    model->hasRun = true;
    model->hasTried = true;
    model->lastRunMs = model->sinceStart.elapsed();
    model->parts.notExecuted = answer.result.notExecuted;
    auto& kept = model->parts.captures;
    std::unordered_set<std::string> given;
    for (const auto& capture : answer.result.captures)
        given.insert(capture.name);
    std::erase_if(kept, [&](const Capture& old) { return given.contains(old.name); });
    kept.insert(kept.end(), answer.result.captures.begin(), answer.result.captures.end());
    // The same member, call or operator of the layer again, where there is one.
    const bool again = model->layer == model->shownLayer && layerOf(model->parts, model->shownEntry) == model->layer;
    const auto shown = again ? model->shownEntry : shownEntry(model->parts, model->layer);
    if (shown.empty() && answer.result.failure.empty())
        fail(id, tr("%1: the layer %2 gave no values with this input (a branch that did not run, or None)")
                     .arg(model->input.name, QString::fromStdString(model->layer)));
    if (shown.empty()) {
        model->layer = model->shownLayer;
    } else {
        model->shownLayer = model->layer;
        model->shownEntry = shown;
        model->shownWith = model->ranWith;
        // Masks lie over the picture that the network got; over none where it got no picture.
        model->picture.reset();
        if (const auto& picture = answer.arguments.picture)
            model->picture = {picture->geometry, answer.images.given, answer.images.original};
    }
    const auto& result = answer.result;
    if (!result.failure.empty())
        fail(id, model->input.name + QStringLiteral(": ") + QString::fromStdString(result.failure));
    if (result.unkept > 0)
        m_window.showMessage(ui::Severity::warning,
                             tr("%1: %2 values did not fit the memory for captures and are shown without their values")
                                 .arg(model->input.name)
                                 .arg(result.unkept));
    const bool runsAgain = std::exchange(model->runsAgain, false);
    const bool wantsShapes = dropOldShapes(*model);
    Q_EMIT changed(id, modelDocument(model->parts), QString::fromStdString(shown));
    showRunning();
    if (runsAgain)
        run(id);
    else if (wantsShapes && model->input.choice == model->startedWith)
        start(id, true);
}

} // namespace app

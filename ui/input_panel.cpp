// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/input_panel.h"

#include "ui/input_argument_row.h"
#include "ui/input_form.h"
#include "ui/input_panel_parts.h"
#include "ui/input_preview.h"
#include "ui/local_files.h"
#include "ui/read_out.h"
#include "ui/run_options.h"

#include <QDragEnterEvent>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolButton>

#include <algorithm>

namespace ui {

InputPanel::InputPanel(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    setAcceptDrops(true);
}

InputPanel::~InputPanel() = default;

void InputPanel::showModel(const InputModel& model)
{
    const bool same = model.document == d->document && model.arguments == d->arguments;
    if (!same)
        d->setRows(model.arguments);
    d->form->setTakesPictures(model.takesPictures);
    // What is being typed stays when the same model is shown with what was told last.
    if (!same || model.choice != d->told) {
        d->rest.stop();
        d->setChoice(model.choice);
        d->told = choice();
    }
    if (model.document != d->document) {
        setPreview({});
        setRunning(false);
        setOutdated(false);
        setLog({});
        d->scroll->verticalScrollBar()->setValue(0);
    }
    d->document = model.document;
    d->name->setText(model.name);
    d->preview->setHint(model.hint);
    d->pages->setCurrentIndex(1);
}

void InputPanel::showNothing()
{
    d->rest.stop();
    d->document = -1;
    d->setRows({});
    setPreview({});
    setRunning(false);
    d->pages->setCurrentIndex(0);
}

void InputPanel::setPreview(const InputPreview& preview)
{
    d->preview->setPreview(preview);
    d->form->setAutomaticScale(preview.automaticScale);
    d->orderTabs();
    d->showProblem();
}

void InputPanel::setRunning(bool running)
{
    d->showRunning(running);
}

bool InputPanel::isRunning() const
{
    return d->running;
}

int InputPanel::document() const
{
    return d->document;
}

InputChoice InputPanel::choice() const
{
    InputChoice choice;
    for (const InputArgumentRow* row : d->rows)
        choice.arguments.push_back(row->choice());
    d->form->apply(choice);
    return choice;
}

bool InputPanel::giveFiles(const QStringList& files)
{
    using Kind = ArgumentChoice::Kind;
    auto row = std::find_if(d->rows.begin(), d->rows.end(),
                            [](const auto* other) { return other->isNeeded() && other->choice().kind == Kind::nothing; });
    if (row == d->rows.end())
        row = std::find_if(d->rows.begin(), d->rows.end(), [](const auto* other) { return other->takesTensors(); });
    if (d->document < 0 || row == d->rows.end() || files.isEmpty())
        return false;
    (*row)->setFiles(files);
    d->tell();
    return true;
}

void InputPanel::setOutdated(bool outdated)
{
    d->outdated->setText(outdated ? tr("shown: earlier input") : QString());
    d->outdated->setToolTip(outdated ? tr("What is shown is of the input before this one; Run (F9) brings it up to date")
                                     : QString());
}

void InputPanel::setLog(const QString& log)
{
    const QString text = log.trimmed();
    if (text == d->log->toPlainText())
        return;
    d->log->setPlainText(text);
    d->logToggle->setVisible(!text.isEmpty());
    d->log->setVisible(!text.isEmpty() && d->logToggle->isChecked());
}

RunOptions InputPanel::runOptions() const
{
    return d->options->options();
}

void InputPanel::setRunOptions(const RunOptions& options)
{
    d->options->setOptions(options);
    d->toldOptions = d->options->options();
}

void InputPanel::dragEnterEvent(QDragEnterEvent* event)
{
    // Without a model the window takes it.
    if (d->document >= 0 && !localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
    else
        event->ignore();
}

void InputPanel::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    if (giveFiles(localFiles(*event->mimeData())))
        d->runDropped();
}

void InputPanel::run()
{
    if (d->document < 0 || d->running)
        return;
    d->tell();
    Q_EMIT runRequested(d->document);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/input_panel_parts.h"

#include "ui/icons.h"
#include "ui/input_argument_row.h"
#include "ui/input_form.h"
#include "ui/input_preview.h"
#include "ui/panel_pages.h"
#include "ui/read_out.h"
#include "ui/run_options.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

/// Typing rests when no letter came for this long.
constexpr int restMs = 300;

/// A line that unfolds what lies below it.
QToolButton* makeToggle(const QString& text)
{
    auto* toggle = new QToolButton;
    toggle->setText(text);
    toggle->setCheckable(true);
    toggle->setAutoRaise(true);
    toggle->setArrowType(Qt::RightArrow);
    toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    toggle->setFocusPolicy(Qt::TabFocus);
    toggle->setAccessibleName(text);
    toggle->setToolTip(InputPanel::tr("Show or hide: %1").arg(text));
    return toggle;
}

} // namespace

InputPanel::Private::Private(InputPanel* panel)
    : q(panel), scroll(new QScrollArea), name(new ReadOut), noArguments(new QLabel(tr("This model takes no input."))),
      rowPlace(new QVBoxLayout), form(new InputForm), preview(new InputPreviewView),
      optionsToggle(makeToggle(tr("How models are run"))), options(new RunOptionsForm),
      logToggle(makeToggle(tr("Printed by the model"))), log(new QPlainTextEdit), outdated(new ReadOut),
      problem(new QToolButton), run(new QPushButton)
{
    pages = makePages(q, makeContent(), {});
    setEmptyLine(q, tr("Open a TorchScript model (.pt) to run it on a picture or tensor."));
    rest.setSingleShot(true);
    rest.setInterval(restMs);
    connectControls();
    showRunning(false);
    showProblem();
}

QWidget* InputPanel::Private::makeContent()
{
    name->setAccessibleName(tr("Model"));
    name->setToolTip(tr("The model that is run"));
    name->setElideMode(Qt::ElideMiddle);
    noArguments->setWordWrap(true);
    rowPlace->setSpacing(8);
    auto* inner = new QWidget;
    auto* column = new QVBoxLayout(inner);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    column->addWidget(name);
    // Where it is seen without scrolling.
    column->addWidget(preview->problemBox());
    column->addWidget(noArguments);
    column->addLayout(rowPlace);
    column->addWidget(form);
    column->addWidget(preview);
    column->addWidget(optionsToggle);
    column->addWidget(options);
    column->addWidget(logToggle);
    column->addWidget(log);
    column->addStretch(1);
    log->setReadOnly(true);
    log->setAccessibleName(logToggle->text());
    log->setTabChangesFocus(true);
    log->setLineWrapMode(QPlainTextEdit::NoWrap);
    log->setFixedHeight(8 * log->fontMetrics().lineSpacing() + 14);
    for (QWidget* part : {static_cast<QWidget*>(options), static_cast<QWidget*>(logToggle), static_cast<QWidget*>(log)})
        part->hide();
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->viewport()->setAutoFillBackground(false);
    inner->setAutoFillBackground(false);
    auto* content = new QWidget;
    auto* parts = new QVBoxLayout(content);
    parts->setContentsMargins({});
    parts->setSpacing(0);
    parts->addWidget(scroll, 1);
    parts->addWidget(makeFoot());
    return content;
}

QWidget* InputPanel::Private::makeFoot()
{
    problem->setIcon(icon(QStringLiteral("warning")));
    problem->setAccessibleName(tr("Show what does not fit"));
    problem->setAutoRaise(true);
    problem->setFocusPolicy(Qt::TabFocus);
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(8, 4, 8, 8);
    row->setSpacing(8);
    row->addWidget(problem);
    outdated->setAccessibleName(tr("Whether what is shown is of this input"));
    outdated->setRoom(18);
    outdated->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    row->addWidget(outdated, 1);
    row->addWidget(run);
    return foot;
}

void InputPanel::Private::connectControls()
{
    QObject::connect(&rest, &QTimer::timeout, &rest, [this] { tell(); });
    QObject::connect(form, &InputForm::typed, &rest, qOverload<>(&QTimer::start));
    QObject::connect(form, &InputForm::chosen, &rest, [this] { tell(); });
    QObject::connect(preview, &InputPreviewView::fixChosen, &rest, [this](const InputChoice& choice) {
        setChoice(choice);
        tell();
    });
    QObject::connect(run, &QPushButton::clicked, &rest, [this] { press(); });
    QObject::connect(optionsToggle, &QToolButton::toggled, &rest, [this](bool open) { unfold(optionsToggle, options, open); });
    QObject::connect(logToggle, &QToolButton::toggled, &rest, [this](bool open) { unfold(logToggle, log, open); });
    QObject::connect(options, &RunOptionsForm::changed, &rest, [this] {
        if (options->options() == toldOptions)
            return;
        toldOptions = options->options();
        Q_EMIT q->runOptionsChanged(toldOptions);
    });
    QObject::connect(problem, &QToolButton::clicked, &rest,
                     [this] { scroll->ensureWidgetVisible(preview->problemPart(), 0, 60); });
}

void InputPanel::Private::setRows(const std::vector<InputArgument>& wanted)
{
    // A field that loses the focus as it goes has nothing to tell.
    for (InputArgumentRow* row : rows)
        row->disconnect(&rest);
    qDeleteAll(std::exchange(rows, {}));
    for (const InputArgument& argument : wanted) {
        auto* row = new InputArgumentRow(argument);
        rowPlace->addWidget(row);
        rows.push_back(row);
        QObject::connect(row, &InputArgumentRow::typed, &rest, qOverload<>(&QTimer::start));
        QObject::connect(row, &InputArgumentRow::chosen, &rest, [this] { tell(); });
        QObject::connect(row, &InputArgumentRow::filesDropped, &rest, [this] { runDropped(); });
    }
    arguments = wanted;
    noArguments->setVisible(wanted.empty());
    form->setVisible(std::any_of(rows.begin(), rows.end(), [](const auto* row) { return row->takesTensors(); }));
    orderTabs();
}

void InputPanel::Private::setChoice(const InputChoice& choice)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto known = std::find_if(choice.arguments.begin(), choice.arguments.end(),
                                        [&](const ArgumentChoice& given) { return given.name == arguments[i].name; });
        rows[i]->setChoice(known == choice.arguments.end() ? ArgumentChoice{arguments[i].name, {}, {}} : *known);
    }
    form->setChoice(choice);
}

void InputPanel::Private::tell()
{
    rest.stop();
    const InputChoice choice = q->choice();
    if (document < 0 || choice == told)
        return;
    told = choice;
    Q_EMIT q->inputChanged(document, choice);
}

void InputPanel::Private::press()
{
    if (running) {
        Q_EMIT q->stopRequested(document);
        return;
    }
    q->run();
}

void InputPanel::Private::runDropped()
{
    tell();
    // What was dropped is wanted now, whatever runs.
    Q_EMIT q->runRequested(document);
}

void InputPanel::Private::unfold(QToolButton* toggle, QWidget* part, bool open)
{
    toggle->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    part->setVisible(open);
    if (open)
        QTimer::singleShot(0, part, [this, part] { scroll->ensureWidgetVisible(part, 0, 8); });
}

void InputPanel::Private::showRunning(bool now)
{
    running = now;
    run->setText(running ? tr("Stop") : tr("Run"));
    run->setAccessibleName(running ? tr("Stop the model") : tr("Run the model"));
    run->setToolTip(running ? tr("Stop the model (Esc)") : tr("Run the model on this input (F9)"));
}

void InputPanel::Private::showProblem()
{
    problem->setVisible(preview->hasProblem());
    problem->setToolTip(preview->hasProblem() ? preview->problem() : tr("What does not fit"));
}

void InputPanel::Private::orderTabs()
{
    QWidgetList order;
    const auto add = [&order](const QWidget* part) {
        for (QWidget* control : part->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            if (control->focusPolicy() & Qt::TabFocus)
                order.append(control);
    };
    for (QPushButton* fix : preview->fixButtons())
        order.append(fix);
    for (const InputArgumentRow* row : rows)
        add(row);
    add(form);
    order.append(optionsToggle);
    add(options);
    order.append({logToggle, log, problem, run});
    // The control before the panel: new ones would come last in the window.
    QWidget* before = run->previousInFocusChain();
    while (before != run && (q->isAncestorOf(before) || !(before->focusPolicy() & Qt::TabFocus)))
        before = before->previousInFocusChain();
    for (QWidget* control : order)
        QWidget::setTabOrder(std::exchange(before, control), control);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/input_panel.h"

#include <QTimer>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QStackedLayout;
class QToolButton;
class QVBoxLayout;

namespace ui {

class InputArgumentRow;
class InputForm;
class InputPreviewView;
class ReadOut;
class RunOptionsForm;

/// The panel's parts and the wires between them.
class InputPanel::Private
{
public:
    explicit Private(InputPanel* panel);

    void setRows(const std::vector<InputArgument>& arguments);
    void setChoice(const InputChoice& choice);
    /// Tells a change, once.
    void tell();
    void press();
    /// Tells what was dropped, and asks for a run.
    void runDropped();
    void unfold(QToolButton* toggle, QWidget* part, bool open);
    void showRunning(bool running);
    void showProblem();
    /// Rows and fixes come and go; the Tab key meets them where they are seen.
    void orderTabs();

    InputPanel* const q;
    QStackedLayout* pages;
    QScrollArea* scroll;
    ReadOut* name;
    QLabel* noArguments;
    QVBoxLayout* rowPlace;
    std::vector<InputArgumentRow*> rows;
    InputForm* form;
    InputPreviewView* preview;
    QToolButton* optionsToggle;
    RunOptionsForm* options;
    RunOptions toldOptions;
    QToolButton* logToggle;
    QPlainTextEdit* log;
    ReadOut* outdated;
    QToolButton* problem;
    QPushButton* run;
    /// Also what the controls' signals are bound to: a field that loses the focus while the panel goes must not reach it.
    QTimer rest;
    int document = -1;
    bool running = false;
    std::vector<InputArgument> arguments;
    /// The choice as the rest of the program knows it.
    InputChoice told;

private:
    QWidget* makeContent();
    QWidget* makeFoot();
    void connectControls();
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/actions.h"
#include "ui/dock_area.h"
#include "ui/main_window.h"
#include "ui/theme.h"

#include <QPoint>
#include <QSet>
#include <QTimer>

#include <functional>
#include <optional>

class QSettings;
class QStackedWidget;

namespace ui {

class Canvas;
class ColorBar;
class MessageBar;
class PlaneControls;
class SourceLine;
class StartPage;
class StatusLine;
class ViewBar;

/// Id of the message that an entry without anything to show gets.
inline const auto nothingToShow = QStringLiteral("nothing to show");

/// The window's parts and the wires between them. Each part owns its widgets and state; this only connects.
class MainWindow::Private
{
public:
    /// What pictures and masks lie over: the picture as a network got it, the file it was made from, or the overlay image.
    enum class Base { given, original, overlay };

    explicit Private(MainWindow* window);

    /// Asks for a frame of what the controls say now.
    void ask();
    void showPlane(std::int64_t batch, std::int64_t channel);
    void goToRow(const std::vector<std::int64_t>& indices);
    /// Brings the canvas in line with the mask controls, and the controls with what they can do now.
    void updateLook();
    void updateColorBar();
    void updateNavigation();
    void updateStop();
    void setAwaiting(bool awaiting);
    /// The picture that lies below now: the chosen one, or another where that is lacking; nothing for none.
    std::optional<Base> shownBase() const;
    void chooseBase(Base base);
    /// Whether the mask of a view costs little enough to have it for read-outs alone.
    bool isMaskCheap(core::ViewKind view) const;
    /// Run can be asked for while a model is shown that does not run.
    void updateRun();
    void setRecentFiles(const QStringList& files);
    void saveSettings() const;
    void restoreSettings();
    /// What the screen has for the window without its frame.
    QSize room() const;

    MainWindow* const q;
    Theme theme;
    Actions actions;
    SourceLine* source;
    DockArea docks;
    MessageBar* messages;
    StartPage* start;
    QWidget* viewer;
    QStackedWidget* pages;
    ViewBar* viewBar;
    Canvas* canvas;
    ColorBar* colorBar;
    PlaneControls* planes;
    StatusLine* status;
    QMenu* recent = nullptr;

    std::optional<TensorSummary> tensor;
    std::shared_ptr<const core::Frame> frame;
    int openDocuments = 0;
    std::function<QString()> machine;
    /// Documents for which the Input dock was opened.
    QSet<int> inputsSeen;
    /// The mask is shown by default where it is the point.
    bool maskInMaskView = true;
    bool maskElsewhere = false;
    bool overImage = true;
    /// What is chosen to lie below, where there is a choice.
    Base base = Base::given;
    /// Opened with Open overlay image, or null.
    std::shared_ptr<const core::Image> overlay;
    QString overlayFile;
    /// Progress is shown; a frame is on its way: there is something to stop.
    bool busy = false;
    bool awaiting = false;
    /// The handle is held still: worth an exact frame.
    QTimer restTimer;
    bool resting = false;

private:
    QWidget* makeCentre();
    void wireActions();
    void wireExports();
    void wireNavigation();
    void wireView();
    void wireDocks();
    void chooseTheme(ThemeChoice choice);
    void updateBase();
};

} // namespace ui

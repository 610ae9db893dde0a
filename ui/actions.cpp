// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions.h"

#include "ui/icons.h"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QWidget>

namespace ui {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Actions", text);
}

/// Makes the window's actions: text for menus, the same without "..." and "&" for tips, the key in the tip.
class Maker
{
public:
    explicit Maker(QWidget* parent) : m_parent(parent) {}

    QAction* operator()(const char* text, const QList<QKeySequence>& keys = {}, const char* iconName = nullptr) const
    {
        auto* action = new QAction(tr(text), m_parent);
        QString plain = tr(text);
        plain.remove(u'&').remove(QStringLiteral("\u2026"));
        action->setIconText(plain);
        action->setShortcuts(keys);
        if (iconName)
            action->setIcon(icon(QString::fromLatin1(iconName)));
        const QString key = keys.isEmpty() ? QString() : keys.first().toString(QKeySequence::NativeText);
        action->setToolTip(key.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, key));
        m_parent->addAction(action);
        return action;
    }
    QAction* checkable(const char* text, const QList<QKeySequence>& keys = {}, const char* iconName = nullptr) const
    {
        QAction* action = (*this)(text, keys, iconName);
        action->setCheckable(true);
        // A menu shows the check mark in the icon's place.
        action->setIconVisibleInMenu(false);
        return action;
    }

private:
    QWidget* m_parent;
};

void exclusive(QWidget* parent, const QList<QAction*>& actions)
{
    auto* group = new QActionGroup(parent);
    for (QAction* action : actions)
        group->addAction(action);
    actions.first()->setChecked(true);
}

QKeySequence key(const char* text)
{
    return QKeySequence(QString::fromLatin1(text));
}

} // namespace

Actions::Actions(QWidget* parent)
{
    const Maker make(parent);
    open = make("&Open\u2026", {key("Ctrl+O")}, "open");
    openSample = make("Open &Sample", {}, "sample");
    openOverlayImage = make("Open Overlay &Image\u2026", {}, "image");
    removeOverlayImage = make("Remove Overlay Image");
    reload = make("&Reload", {key("F5")}, "reload");
    close = make("&Close", {key("Ctrl+W")}, "close");
    exportPicture = make("Export &Picture\u2026", {key("Ctrl+Shift+E")}, "save");
    exportThresholdPlot = make("Export Threshold P&lot\u2026");
    exportChannelPlot = make("Export Channel &Bars\u2026");
    exportTable = make("Export &Table\u2026", {key("Ctrl+Shift+T")});
    exportMap = make("Export &Map\u2026");
    exportMask = make("Export Mas&k\u2026");
    exportCoordinates = make("Export Coor&dinates\u2026");
    quit = make("&Quit", {key("Ctrl+Q")});

    copyPicture = make("&Copy Picture", {key("Ctrl+C")}, "copy");
    find = make("&Find in Contents", {key("Ctrl+F")}, "find");

    heatView = make.checkable("&Heat map", {key("1")}, "heat");
    channelView = make.checkable("&Channel", {key("2")}, "channel");
    wallView = make.checkable("&Wall", {key("3")}, "wall");
    maskView = make.checkable("&Mask", {key("4")}, "mask");
    exclusive(parent, {heatView, channelView, wallView, maskView});
    fit = make("&Fit", {key("F")}, "fit");
    actualSize = make("Actual Size (100 %)", {key("Ctrl+0")}, "actual");
    zoomIn = make("Zoom &In", {key("+"), key("=")}, "zoom-in");
    zoomOut = make("Zoom &Out", {key("-")}, "zoom-out");
    mask = make.checkable("Mask Overlay", {key("S")}, "mask-overlay");
    moreOpaque = make("More Opaque", {key("D")});
    lessOpaque = make("Less Opaque", {key("A")});
    contour = make.checkable("Mask as Contour", {}, "contour");
    overImage = make.checkable("Show over a Picture", {}, "image");
    overGiven = make.checkable("Over What the Network Got");
    overOriginal = make.checkable("Over the Original Picture");
    overOverlay = make.checkable("Over the Overlay Image");
    exclusive(parent, {overGiven, overOriginal, overOverlay});
    smooth = make.checkable("Smooth over a Picture");
    crosshair = make.checkable("Crosshair", {}, "crosshair");
    colorBar = make.checkable("Colour Bar");
    themeSystem = make.checkable("Follow the &System");
    themeLight = make.checkable("&Light");
    themeDark = make.checkable("&Dark");
    exclusive(parent, {themeSystem, themeLight, themeDark});
    resetDocks = make("&Restore Docks");
    fullScreen = make.checkable("F&ull Screen", {key("F11")});

    run = make("&Run Model", {key("F9")});
    threshold = make("&Threshold Field", {key("T")});
    thresholdDown = make("Threshold Step Down", {key(",")});
    thresholdUp = make("Threshold Step Up", {key(".")});
    thresholdFarDown = make("Threshold 10 Steps Down", {key("Shift+,"), key("<"), key("Shift+<")});
    thresholdFarUp = make("Threshold 10 Steps Up", {key("Shift+."), key(">"), key("Shift+>")});
    autoLimits = make("Colour &Limits: Automatic", {key("C")});
    previousChannel = make("Previous Channel", {key("Left")});
    nextChannel = make("Next Channel", {key("Right")});
    previousBatch = make("Previous Batch Item", {key("Shift+Left")});
    nextBatch = make("Next Batch Item", {key("Shift+Right")});
    previousSlice = make("Previous Slice", {key("PgUp")});
    nextSlice = make("Next Slice", {key("PgDown")});
    previousEntry = make("Previous Entry in Contents", {key("Up")});
    nextEntry = make("Next Entry in Contents", {key("Down")});
    play = make("&Play Channels or Slices", {key("Space")}, "play");
    stop = make("&Stop", {key("Esc")});

    shortcuts = make("&Keyboard Shortcuts", {key("?"), key("Shift+?")});
    about = make("&About Actiscope");

    overImage->setToolTip(tr("Show over an overlay image (opens one)"));
    for (QAction* on : {crosshair, colorBar})
        on->setChecked(true);
    run->setEnabled(false);
    setTensorShown(false);
    for (QAction* action :
         {removeOverlayImage, close,       mask,   moreOpaque, lessOpaque,      contour,     overImage,     overGiven,
          overOriginal,       overOverlay, smooth, autoLimits, previousChannel, nextChannel, previousBatch, nextBatch,
          previousSlice,      nextSlice,   play,   stop})
        action->setEnabled(false);
}

QList<Actions::Group> Actions::groups() const
{
    QAction* const line = nullptr;
    return {{tr("&File"),
             {open, openSample, line, openOverlayImage, removeOverlayImage, line, exportPicture, exportThresholdPlot,
              exportChannelPlot, exportTable, exportMap, exportMask, exportCoordinates, line, reload, close, line, quit}},
            {tr("&Edit"), {copyPicture, line, find}},
            {tr("&View"), {heatView,     channelView, wallView, maskView, line,       fit,        actualSize, zoomIn,
                           zoomOut,      line,        mask,     contour,  moreOpaque, lessOpaque, overImage,  overGiven,
                           overOriginal, overOverlay, smooth,   line,     crosshair,  colorBar,   fullScreen}},
            {tr("&Analyze"),
             {run,
              line,
              threshold,
              thresholdDown,
              thresholdUp,
              thresholdFarDown,
              thresholdFarUp,
              line,
              autoLimits,
              line,
              previousChannel,
              nextChannel,
              previousBatch,
              nextBatch,
              previousSlice,
              nextSlice,
              previousEntry,
              nextEntry,
              line,
              play,
              stop}},
            {tr("&Help"), {shortcuts, about}}};
}

void Actions::setTensorShown(bool shown)
{
    for (QAction* action : ofTensor())
        action->setEnabled(shown);
}

QList<QAction*> Actions::ofTensor() const
{
    return {reload,
            exportPicture,
            exportThresholdPlot,
            exportChannelPlot,
            exportTable,
            exportMap,
            exportMask,
            exportCoordinates,
            copyPicture,
            heatView,
            channelView,
            wallView,
            maskView,
            fit,
            actualSize,
            zoomIn,
            zoomOut,
            threshold,
            thresholdDown,
            thresholdUp,
            thresholdFarDown,
            thresholdFarUp,
            previousEntry,
            nextEntry};
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

class QAction;
class QMenu;
class QMenuBar;
class QWidget;

namespace ui {

/// Everything the user can do that has a menu item or a key, once. Menus, tool buttons and the list of shortcuts are made from
/// these.
struct Actions
{
    explicit Actions(QWidget* parent);

    // File
    QAction* open;
    QAction* openSample;
    QAction* openOverlayImage;
    QAction* removeOverlayImage;
    QAction* reload;
    QAction* close;
    QAction* exportPicture;
    QAction* exportThresholdPlot;
    QAction* exportChannelPlot;
    QAction* exportTable;
    QAction* exportMap;
    QAction* exportMask;
    QAction* exportCoordinates;
    QAction* quit;
    // Edit
    QAction* copyPicture;
    QAction* find;
    // View
    QAction* heatView;
    QAction* channelView;
    QAction* wallView;
    QAction* maskView;
    QAction* fit;
    QAction* actualSize;
    QAction* zoomIn;
    QAction* zoomOut;
    QAction* mask;
    QAction* moreOpaque;
    QAction* lessOpaque;
    QAction* contour;
    QAction* overImage;
    QAction* overGiven;
    QAction* overOriginal;
    QAction* overOverlay;
    QAction* smooth;
    QAction* crosshair;
    QAction* colorBar;
    QAction* themeSystem;
    QAction* themeLight;
    QAction* themeDark;
    QAction* resetDocks;
    QAction* fullScreen;
    // Analyze
    QAction* run;
    QAction* threshold;
    QAction* thresholdDown;
    QAction* thresholdUp;
    QAction* thresholdFarDown;
    QAction* thresholdFarUp;
    QAction* autoLimits;
    QAction* previousChannel;
    QAction* nextChannel;
    QAction* previousBatch;
    QAction* nextBatch;
    QAction* previousSlice;
    QAction* nextSlice;
    QAction* previousEntry;
    QAction* nextEntry;
    QAction* play;
    QAction* stop;
    // Help
    QAction* shortcuts;
    QAction* about;

    /// A titled part of the menus and of the list of shortcuts; a null action is a separator.
    struct Group
    {
        QString title;
        QList<QAction*> actions;
    };
    QList<Group> groups() const;
    /// What makes sense whenever a tensor is shown, and only then.
    void setTensorShown(bool shown);

private:
    QList<QAction*> ofTensor() const;
};

/// Menus of the window. `recent` is filled by whoever knows the files, `docks` are the entries that show and hide docks.
struct Menus
{
    Menus(QMenuBar* bar, const Actions& actions, const QList<QAction*>& docks);
    QMenu* recent = nullptr;
};

/// Keeps single keys (no Ctrl or Alt, no function key) and Ctrl+C from triggering actions while a text, table, tree or another
/// widget that uses the key itself has the focus. Esc leaves a text.
void installFocusRule(QWidget* window);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

class QAction;
class QDockWidget;
class QMainWindow;
class QWidget;

namespace ui {

class ChannelsPanel;
class ContentsPanel;
class CoordinatesPanel;
class ThresholdPanel;

/// The panels around the canvas, each in a dock that can be moved, closed and restored.
class DockArea
{
public:
    explicit DockArea(QMainWindow* window);

    ContentsPanel* contents() const { return m_contents; }
    ThresholdPanel* threshold() const { return m_threshold; }
    ChannelsPanel* channels() const { return m_channels; }
    CoordinatesPanel* coordinates() const { return m_coordinates; }
    /// The menu entries that show and hide the docks.
    QList<QAction*> toggles() const;
    /// All docks at their first places.
    void reset();

private:
    QDockWidget* dock(const QString& name, const QString& title, QWidget* panel);

    QMainWindow* m_window;
    ContentsPanel* m_contents;
    ThresholdPanel* m_threshold;
    ChannelsPanel* m_channels;
    CoordinatesPanel* m_coordinates;
    QList<QDockWidget*> m_docks;
};

} // namespace ui

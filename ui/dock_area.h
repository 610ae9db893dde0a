// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

class QAction;
class QDockWidget;
class QMainWindow;
class QWidget;

namespace ui {

class ChannelsPanel;
class ContentsPanel;
class CoordinatesPanel;
class InputPanel;
class ThresholdPanel;

/// The panels around the canvas, each in a dock that can be moved, closed and restored.
class DockArea
{
public:
    /// Makes the docks at the left.
    explicit DockArea(QMainWindow* window);
    /// Makes the docks at the right; after the canvas, so that the Tab key goes from left to right.
    void addRight();

    ContentsPanel* contents() const { return m_contents; }
    InputPanel* input() const { return m_input; }
    ThresholdPanel* threshold() const { return m_threshold; }
    ChannelsPanel* channels() const { return m_channels; }
    CoordinatesPanel* coordinates() const { return m_coordinates; }
    /// The menu entries that show and hide the docks.
    QList<QAction*> toggles() const;
    /// Whether there are tensors to choose from: panels without one say how to get one.
    void setFilesOpen(bool open);
    /// Brings the Input dock into sight, and to a useful height where it lies below Contents.
    void raiseInput();
    /// All docks at their first places.
    void reset();
    /// Puts the right docks behind each other's tabs where the window could not be so low otherwise.
    void fitHeight(int height);

private:
    QList<QDockWidget*> docks() const;
    QDockWidget* dock(const QString& name, const QString& title, QWidget* panel);

    QMainWindow* m_window;
    ContentsPanel* m_contents;
    InputPanel* m_input;
    ThresholdPanel* m_threshold = nullptr;
    ChannelsPanel* m_channels = nullptr;
    CoordinatesPanel* m_coordinates = nullptr;
    QDockWidget* m_contentsDock;
    QDockWidget* m_inputDock;
    QDockWidget* m_thresholdDock = nullptr;
    QDockWidget* m_channelsDock = nullptr;
    QDockWidget* m_coordinatesDock = nullptr;
};

} // namespace ui

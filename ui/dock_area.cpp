// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dock_area.h"

#include "ui/channels_panel.h"
#include "ui/contents_panel.h"
#include "ui/coordinates_panel.h"
#include "ui/input_panel.h"
#include "ui/panel_pages.h"
#include "ui/threshold_panel.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QTimer>

#include <algorithm>

namespace ui {
namespace {

constexpr int leftWidth = 280;
constexpr int leastLeftWidth = 160;
constexpr int rightWidth = 336;
constexpr int contentsHeight = 560;
/// One line while no model is open.
constexpr int emptyInputHeight = 120;
constexpr int inputHeight = 440;
constexpr int thresholdHeight = 420;
constexpr int channelsHeight = 300;

} // namespace

DockArea::DockArea(QMainWindow* window) : m_window(window), m_contents(new ContentsPanel), m_input(new InputPanel)
{
    m_contents->setMinimumWidth(leastLeftWidth);
    m_contentsDock = dock(QStringLiteral("contents"), QMainWindow::tr("Contents"), m_contents);
    m_inputDock = dock(QStringLiteral("input"), QMainWindow::tr("Input"), m_input);
}

void DockArea::addRight()
{
    m_threshold = new ThresholdPanel;
    m_channels = new ChannelsPanel;
    m_coordinates = new CoordinatesPanel;
    m_thresholdDock = dock(QStringLiteral("threshold"), QMainWindow::tr("Threshold"), m_threshold);
    m_channelsDock = dock(QStringLiteral("channels"), QMainWindow::tr("Channels"), m_channels);
    m_coordinatesDock = dock(QStringLiteral("coordinates"), QMainWindow::tr("Coordinates"), m_coordinates);
    reset();
}

QList<QDockWidget*> DockArea::docks() const
{
    return {m_contentsDock, m_inputDock, m_thresholdDock, m_channelsDock, m_coordinatesDock};
}

QDockWidget* DockArea::dock(const QString& name, const QString& title, QWidget* panel)
{
    auto* dock = new QDockWidget(title, m_window);
    dock->setObjectName(name);
    dock->setAccessibleName(title);
    dock->setWidget(panel);
    dock->toggleViewAction()->setToolTip(QMainWindow::tr("Show or hide %1").arg(title));
    return dock;
}

QList<QAction*> DockArea::toggles() const
{
    QList<QAction*> actions;
    for (const QDockWidget* dock : docks())
        actions.append(dock->toggleViewAction());
    return actions;
}

void DockArea::setFilesOpen(bool open)
{
    for (QWidget* panel :
         {static_cast<QWidget*>(m_threshold), static_cast<QWidget*>(m_channels), static_cast<QWidget*>(m_coordinates)})
        ui::setFilesOpen(panel, open);
}

void DockArea::raiseInput()
{
    m_inputDock->show();
    m_inputDock->raise();
    // A dock that was hidden has its place once the window has been laid out.
    QTimer::singleShot(0, m_inputDock, [window = m_window, contents = m_contentsDock, input = m_inputDock] {
        const bool below =
            !input->isFloating() && contents->isVisible() && input->x() == contents->x() && input->y() > contents->y();
        const int room = contents->height() + input->height();
        if (below && input->height() < inputHeight)
            window->resizeDocks({contents, input}, {std::max(room - inputHeight, room / 2), inputHeight}, Qt::Vertical);
    });
}

void DockArea::fitHeight(int height)
{
    m_window->ensurePolished();
    if (m_window->minimumSizeHint().height() <= height)
        return;
    // Not one the user has taken elsewhere.
    for (QDockWidget* dock : {m_channelsDock, m_coordinatesDock})
        if (!dock->isFloating() && m_window->dockWidgetArea(dock) == m_window->dockWidgetArea(m_thresholdDock))
            m_window->tabifyDockWidget(m_thresholdDock, dock);
    m_thresholdDock->raise();
}

void DockArea::reset()
{
    for (QDockWidget* dock : docks()) {
        const bool left = dock == m_contentsDock || dock == m_inputDock;
        dock->setFloating(false);
        m_window->addDockWidget(left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea, dock, Qt::Vertical);
        dock->show();
    }
    m_window->tabifyDockWidget(m_channelsDock, m_coordinatesDock);
    m_channelsDock->raise();
    const int input = m_input->document() < 0 ? emptyInputHeight : inputHeight;
    m_window->resizeDocks({m_contentsDock, m_inputDock}, {contentsHeight, input}, Qt::Vertical);
    m_window->resizeDocks({m_thresholdDock, m_channelsDock}, {thresholdHeight, channelsHeight}, Qt::Vertical);
    m_window->resizeDocks({m_contentsDock, m_thresholdDock}, {leftWidth, rightWidth}, Qt::Horizontal);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dock_area.h"

#include "ui/channels_panel.h"
#include "ui/contents_panel.h"
#include "ui/coordinates_panel.h"
#include "ui/panel_pages.h"
#include "ui/threshold_panel.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>

namespace ui {
namespace {

constexpr int leftWidth = 280;
constexpr int leastLeftWidth = 160;
constexpr int rightWidth = 336;
constexpr int thresholdHeight = 420;
constexpr int channelsHeight = 300;

} // namespace

DockArea::DockArea(QMainWindow* window) : m_window(window), m_contents(new ContentsPanel)
{
    m_contents->setMinimumWidth(leastLeftWidth);
    m_docks = {dock(QStringLiteral("contents"), QMainWindow::tr("Contents"), m_contents)};
}

void DockArea::addRight()
{
    m_threshold = new ThresholdPanel;
    m_channels = new ChannelsPanel;
    m_coordinates = new CoordinatesPanel;
    m_docks.append({dock(QStringLiteral("threshold"), QMainWindow::tr("Threshold"), m_threshold),
                    dock(QStringLiteral("channels"), QMainWindow::tr("Channels"), m_channels),
                    dock(QStringLiteral("coordinates"), QMainWindow::tr("Coordinates"), m_coordinates)});
    reset();
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
    for (const QDockWidget* dock : m_docks)
        actions.append(dock->toggleViewAction());
    return actions;
}

void DockArea::setFilesOpen(bool open)
{
    for (QWidget* panel :
         {static_cast<QWidget*>(m_threshold), static_cast<QWidget*>(m_channels), static_cast<QWidget*>(m_coordinates)})
        ui::setFilesOpen(panel, open);
}

void DockArea::reset()
{
    for (int i = 0; i < m_docks.size(); ++i) {
        m_docks[i]->setFloating(false);
        m_window->addDockWidget(i == 0 ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea, m_docks[i], Qt::Vertical);
        m_docks[i]->show();
    }
    m_window->tabifyDockWidget(m_docks[2], m_docks[3]);
    m_docks[2]->raise();
    m_window->resizeDocks({m_docks[1], m_docks[2]}, {thresholdHeight, channelsHeight}, Qt::Vertical);
    m_window->resizeDocks({m_docks[0], m_docks[1]}, {leftWidth, rightWidth}, Qt::Horizontal);
}

} // namespace ui

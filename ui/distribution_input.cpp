// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution_plot.h"

#include "ui/number_text.h"
#include "ui/qcustomplot.h"
#include "ui/threshold_handle.h"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

/// Pixels from a handle's line within which it reacts to the mouse.
constexpr double grabDistance = 8;

} // namespace

int DistributionPlot::nearestHandle(double x) const
{
    int nearest = -1;
    for (int i = 0; i < handleCount(); ++i) {
        const double distance = std::abs(m_handles[static_cast<std::size_t>(i)]->pixel() - x);
        const double best = nearest < 0 ? 0 : std::abs(m_handles[static_cast<std::size_t>(nearest)]->pixel() - x);
        // Of two in one place, the one that can move that way.
        if (nearest < 0 || distance < best || (distance == best && x > m_handles[static_cast<std::size_t>(i)]->pixel()))
            nearest = i;
    }
    return nearest;
}

void DistributionPlot::setActive(int handle)
{
    bool changed = false;
    for (int i = 0; i < static_cast<int>(m_handles.size()); ++i) {
        ThresholdHandle* item = m_handles[static_cast<std::size_t>(i)];
        changed = changed || item->isActive() != (i == handle);
        item->setActive(i == handle);
    }
    m_plot->setCursor(handle >= 0 ? Qt::SizeHorCursor : Qt::ArrowCursor);
    if (changed)
        m_live->replot();
}

bool DistributionPlot::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        press(static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseMove:
        move(static_cast<QMouseEvent*>(event));
        return true;
    case QEvent::MouseButtonRelease:
        release();
        return true;
    case QEvent::Leave:
        if (m_held < 0)
            setActive(hasFocus() ? 0 : -1);
        break;
    case QEvent::Wheel:
        zoom(static_cast<QWheelEvent*>(event));
        return true;
    case QEvent::ContextMenu:
        Q_EMIT scaleMenuRequested(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const double value = m_upper->axis(QCPAxis::atBottom)->pixelToCoord(help->pos().x());
        if (m_steps.isEmpty() || m_held >= 0)
            break;
        const QString text = m_steps.perInteger ? QString::number(std::round(value), 'f', 0) : QString::number(value, 'g', 4);
        QToolTip::showText(
            help->globalPos(),
            tr("Near %1: %2 elements.\nDrag to move the threshold (, and . step it), wheel zooms, right click for scales.")
                .arg(text, countText(m_steps.at(value))),
            m_plot);
        return true;
    }
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void DistributionPlot::press(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton || m_held >= 0)
        return;
    const double x = event->position().x();
    const int handle = nearestHandle(x);
    if (handle < 0)
        return;
    const double distance = x - m_handles[static_cast<std::size_t>(handle)]->pixel();
    m_grabOffset = std::abs(distance) <= grabDistance ? distance : 0;
    m_held = handle;
    setActive(handle);
    Q_EMIT handlePressed(handle);
    if (m_grabOffset == 0 && distance != 0)
        move(event);
}

void DistributionPlot::move(QMouseEvent* event)
{
    const double x = event->position().x();
    if (m_held < 0) {
        const int handle = nearestHandle(x);
        const bool near = handle >= 0 && std::abs(m_handles[static_cast<std::size_t>(handle)]->pixel() - x) <= grabDistance;
        setActive(near ? handle : hasFocus() ? 0 : -1);
        m_plot->setCursor(near ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    const QCPAxis* axis = m_upper->axis(QCPAxis::atBottom);
    const QCPRange range = axis->range();
    const double value = axis->pixelToCoord(x - m_grabOffset);
    Q_EMIT handleMoved(m_held, std::clamp(value, range.lower, range.upper));
}

void DistributionPlot::release()
{
    if (m_held < 0)
        return;
    const int handle = m_held;
    m_held = -1;
    setActive(hasFocus() ? handle : -1);
    Q_EMIT handleReleased(handle);
}

void DistributionPlot::zoom(QWheelEvent* event)
{
    event->accept();
    if (m_steps.isEmpty())
        return;
    QCPAxis* axis = m_upper->axis(QCPAxis::atBottom);
    const double factor = std::pow(0.85, event->angleDelta().y() / 120.0);
    axis->scaleRange(factor, axis->pixelToCoord(event->position().x()));
    const QCPRange range = axis->range();
    const double lo = std::max(range.lower, m_logValue ? range.lower : m_steps.edges.front());
    const double hi = std::min(range.upper, m_steps.edges.back());
    if (lo < hi) {
        axis->setRange(lo, hi);
        m_lower->axis(QCPAxis::atBottom)->setRange(lo, hi);
    }
    replotAll();
}

void DistributionPlot::keyPressEvent(QKeyEvent* event)
{
    const int coarse = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    if (handleCount() == 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down:
        Q_EMIT stepRequested(0, -coarse);
        return;
    case Qt::Key_Right:
    case Qt::Key_Up:
        Q_EMIT stepRequested(0, coarse);
        return;
    case Qt::Key_PageUp:
        Q_EMIT stepRequested(0, 10);
        return;
    case Qt::Key_PageDown:
        Q_EMIT stepRequested(0, -10);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void DistributionPlot::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    if (m_held < 0)
        setActive(handleCount() > 0 ? 0 : -1);
}

void DistributionPlot::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    if (m_held < 0)
        setActive(-1);
}

} // namespace ui

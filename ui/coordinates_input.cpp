// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/coordinates_view.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>

#include <algorithm>

namespace ui {
namespace {

constexpr int wheelRows = 3;

} // namespace

std::int64_t CoordinatesView::rowAt(int y) const
{
    const std::int64_t row = m_first + (y - rowHeight()) / rowHeight();
    return y < rowHeight() || row >= m_total ? -1 : row;
}

void CoordinatesView::choose(std::int64_t row, bool extend)
{
    if (m_total == 0)
        return;
    m_current = std::clamp<std::int64_t>(row, 0, m_total - 1);
    if (!extend || m_anchor < 0)
        m_anchor = m_current;
    if (m_current < m_first)
        scrollToRow(m_current);
    else if (m_current >= m_first + visibleRows())
        scrollToRow(m_current - visibleRows() + 1);
    m_tellWhenHeld = !holds(m_current);
    viewport()->update();
    if (m_tellWhenHeld)
        return;
    const auto rank = static_cast<std::size_t>(m_rows->rank);
    const auto* begin = m_rows->indices.data() + static_cast<std::size_t>(m_current - m_rows->firstRow) * rank;
    setAccessibleDescription(cells(m_current).join(QStringLiteral(", ")));
    Q_EMIT rowChosen(std::vector<std::int64_t>(begin, begin + rank));
}

void CoordinatesView::copySelection()
{
    const core::RowWindow rows = selection();
    if (rows.count == 0)
        return;
    if (rows.count > mostCopiedRows) {
        Q_EMIT copyTooLarge(rows.count);
        return;
    }
    m_copyWhenHeld = true;
    if (holds(rows.first) && holds(rows.first + rows.count - 1))
        finishCopy();
    else
        Q_EMIT rowsWanted(rows);
}

void CoordinatesView::finishCopy()
{
    const core::RowWindow rows = selection();
    if (rows.count > 0 && !(holds(rows.first) && holds(rows.first + rows.count - 1))) {
        // An answer to an earlier question came between; nothing held means that the rows are gone.
        m_copyWhenHeld = m_asked.first != rows.first || m_asked.count != rows.count;
        return;
    }
    m_copyWhenHeld = false;
    QStringList lines{m_columns.names.join(QLatin1Char('\t')) + QLatin1Char('\t') + tr("value")};
    for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row)
        lines.append(cells(row).mid(1).join(QLatin1Char('\t')));
    if (rows.count > 0)
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')) + QLatin1Char('\n'));
}

void CoordinatesView::mousePressEvent(QMouseEvent* event)
{
    const std::int64_t row = rowAt(static_cast<int>(event->position().y()));
    const core::RowWindow chosen = selection();
    const bool inside = row >= chosen.first && row < chosen.first + chosen.count;
    if (row < 0 || (event->button() == Qt::RightButton && inside))
        return;
    choose(row, event->modifiers().testFlag(Qt::ShiftModifier));
}

void CoordinatesView::mouseMoveEvent(QMouseEvent* event)
{
    if (!event->buttons().testFlag(Qt::LeftButton) || m_anchor < 0)
        return;
    const int y = static_cast<int>(event->position().y());
    const std::int64_t row = y < rowHeight() ? m_first - 1 : m_first + (y - rowHeight()) / rowHeight();
    if (std::clamp<std::int64_t>(row, 0, m_total - 1) != m_current)
        choose(row, true);
}

void CoordinatesView::wheelEvent(QWheelEvent* event)
{
    if (event->angleDelta().y() == 0)
        return QAbstractScrollArea::wheelEvent(event);
    const double rows = -event->angleDelta().y() / 120.0 * wheelRows;
    scrollToRow(m_first + static_cast<std::int64_t>(rows < 0 ? std::min(rows, -1.0) : std::max(rows, 1.0)));
    event->accept();
}

bool CoordinatesView::event(QEvent* event)
{
    // Ctrl+C is the table's while it has the focus, not the window's.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        layOut();
    return QAbstractScrollArea::event(event);
}

void CoordinatesView::keyPressEvent(QKeyEvent* event)
{
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    const std::int64_t now = std::max<std::int64_t>(m_current, 0);
    if (event->matches(QKeySequence::Copy))
        return copySelection();
    switch (event->key()) {
    case Qt::Key_Up:
        return choose(now - 1, extend);
    case Qt::Key_Down:
        return choose(m_current < 0 ? m_first : now + 1, extend);
    case Qt::Key_PageUp:
        return choose(now - visibleRows(), extend);
    case Qt::Key_PageDown:
        return choose(now + visibleRows(), extend);
    case Qt::Key_Home:
        return choose(0, extend);
    case Qt::Key_End:
        return choose(m_total - 1, extend);
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/coordinates_view.h"

#include "ui/number_text.h"
#include "ui/plot_style.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>

namespace ui {
namespace {

constexpr int padding = 4;
constexpr std::int64_t mostBarSteps = 1'000'000'000;

} // namespace

CoordinatesView::CoordinatesView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Coordinates of hot elements"));
    setToolTip(tr("Click: crosshair on that element. Ctrl+C copies the selected rows."));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    horizontalScrollBar()->setSingleStep(20);
}

int CoordinatesView::rowHeight() const
{
    return fontMetrics().height() + 5;
}

std::int64_t CoordinatesView::visibleRows() const
{
    return std::max(1, (viewport()->height() - rowHeight()) / rowHeight());
}

void CoordinatesView::setColumns(const Columns& columns)
{
    m_columns = columns;
    m_current = m_anchor = -1;
    m_seenValueWidth = 0;
    layOut();
    viewport()->update();
}

int CoordinatesView::widestValue() const
{
    QStringList texts{QStringLiteral("NaN"), QStringLiteral("-inf")};
    const core::DType dtype = m_columns.dtype;
    const int bytes = core::itemSize(dtype);
    if (dtype == core::DType::f64 || dtype == core::DType::c128)
        texts.append({QStringLiteral("-0.000000000000000000000"), QStringLiteral("-0.0000000000000000e-000")});
    else if (dtype == core::DType::f32 || dtype == core::DType::c64)
        texts.append({QStringLiteral("-0.0000000000000"), QStringLiteral("-000000000000000")});
    else if (core::isFloating(dtype))
        texts.append(QStringLiteral("-0.000000000"));
    else if (m_columns.min && m_columns.max)
        texts = {valueText(*m_columns.min, dtype), valueText(*m_columns.max, dtype)};
    else
        texts.append(QString(bytes == 8 ? 20 : bytes == 4 ? 11 : 6, QLatin1Char('0')));
    int widest = 0;
    for (const QString& text : texts)
        widest = std::max(widest, fontMetrics().horizontalAdvance(text));
    return widest;
}

void CoordinatesView::layOut()
{
    m_layout.clear();
    int left = 0;
    const auto add = [&](const QString& name, int widest) {
        const int width = std::max(fontMetrics().horizontalAdvance(name), widest) + 2 * padding;
        m_layout.push_back({name, left, width});
        left += width;
    };
    const auto widthOf = [this](const QString& text) { return fontMetrics().horizontalAdvance(text); };
    // As wide as the row numbers in view: of 10^9 rows people look at the first hundreds.
    m_rowDigits = countText(m_first + visibleRows()).size();
    add(tr("row"), widthOf(countText(std::max<std::int64_t>(m_first + visibleRows(), 999))));
    for (qsizetype i = 0; i < m_columns.names.size(); ++i)
        add(m_columns.names[i],
            widthOf(QString::number(std::max<std::int64_t>(0, m_columns.extents[static_cast<std::size_t>(i)] - 1))));
    // Room for any value, so that nothing moves; where that would need scrolling, for those that have been seen.
    const int room = viewport()->width() - left - 2 * padding;
    const int widest = widestValue();
    add(tr("value"), std::min(widest, std::max(room, m_seenValueWidth)));
    m_contentWidth = left;
    updateScrollBars();
}

void CoordinatesView::fitValues()
{
    const std::int64_t end = std::min(m_total, m_first + visibleRows() + 1);
    int widest = m_seenValueWidth;
    for (std::int64_t row = m_first; row < end && holds(row); ++row)
        widest = std::max(widest, fontMetrics().horizontalAdvance(cells(row).last()));
    if (widest == m_seenValueWidth)
        return;
    m_seenValueWidth = widest;
    if (!m_layout.empty() && m_layout.back().width < widest + 2 * padding)
        layOut();
}

void CoordinatesView::updateScrollBars()
{
    const QScopedValueRollback setting(m_settingBar, true);
    const std::int64_t last = std::max<std::int64_t>(0, m_total - visibleRows());
    m_first = std::clamp<std::int64_t>(m_first, 0, last);
    m_rowsPerStep = last / mostBarSteps + 1;
    verticalScrollBar()->setRange(0, static_cast<int>((last + m_rowsPerStep - 1) / m_rowsPerStep));
    verticalScrollBar()->setPageStep(static_cast<int>(std::max<std::int64_t>(1, visibleRows() / m_rowsPerStep)));
    verticalScrollBar()->setValue(static_cast<int>((m_first + m_rowsPerStep - 1) / m_rowsPerStep));
    horizontalScrollBar()->setRange(0, std::max(0, m_contentWidth - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
}

void CoordinatesView::fitRowNumbers()
{
    if (countText(m_first + visibleRows()).size() != m_rowDigits)
        layOut();
}

void CoordinatesView::setRows(std::int64_t total, std::optional<core::Coordinates> rows, const core::RowWindow& asked)
{
    m_total = total;
    m_known = true;
    m_rows = std::move(rows);
    m_asked = asked;
    if (m_current >= total)
        m_current = m_anchor = -1;
    updateScrollBars();
    fitRowNumbers();
    fitValues();
    if (m_tellWhenHeld && holds(m_current))
        choose(m_current, true);
    if (m_copyWhenHeld)
        finishCopy();
    askForRows();
    viewport()->update();
}

void CoordinatesView::clear()
{
    m_total = 0;
    m_known = false;
    m_rows.reset();
    m_first = 0;
    m_current = m_anchor = -1;
    m_tellWhenHeld = m_copyWhenHeld = false;
    updateScrollBars();
    viewport()->update();
}

bool CoordinatesView::holds(std::int64_t row) const
{
    return m_rows && row >= m_rows->firstRow && row < m_rows->firstRow + m_rows->rows();
}

core::RowWindow CoordinatesView::wantedRows() const
{
    const std::int64_t page = visibleRows() + 1;
    if (m_copyWhenHeld)
        return selection();
    if (!m_known)
        return {0, 2 * page};
    const std::int64_t first = std::max<std::int64_t>(0, m_first - page);
    // Never fewer than two pages, so that a count that grows finds its first rows.
    return {first, m_first - first + 2 * page};
}

void CoordinatesView::askForRows()
{
    if (!m_known || !isVisible())
        return;
    const std::int64_t end = std::min(m_total, m_first + visibleRows() + 1);
    if (m_first >= end || (holds(m_first) && holds(end - 1)))
        return;
    const core::RowWindow wanted = wantedRows();
    // Asked already: it is on its way, or the answer was all there is.
    if (wanted.first == m_asked.first && wanted.count == m_asked.count)
        return;
    m_asked = wanted;
    Q_EMIT rowsWanted(wanted);
}

QStringList CoordinatesView::cells(std::int64_t row) const
{
    if (!holds(row))
        return {};
    const auto at = static_cast<std::size_t>(row - m_rows->firstRow);
    const auto rank = static_cast<std::size_t>(m_rows->rank);
    QStringList texts{countText(row)};
    for (std::size_t i = 0; i < rank; ++i)
        texts.append(QString::number(m_rows->indices[at * rank + i]));
    texts.append(valueText(m_rows->values[at], m_columns.dtype));
    return texts;
}

void CoordinatesView::paintHeader(QPainter& painter) const
{
    const PlotColors colors = plotColors(palette());
    painter.fillRect(QRect(0, 0, viewport()->width(), rowHeight()), palette().color(QPalette::Window));
    painter.setPen(colors.dimText);
    for (const Column& column : m_layout) {
        const QRect cell(column.left - horizontalScrollBar()->value() + padding, 0, column.width - 2 * padding, rowHeight());
        painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, column.name);
    }
    painter.setPen(colors.grid);
    painter.drawLine(0, rowHeight() - 1, viewport()->width(), rowHeight() - 1);
}

void CoordinatesView::paintRow(QPainter& painter, std::int64_t row, int top) const
{
    const core::RowWindow chosen = selection();
    const bool selected = row >= chosen.first && row < chosen.first + chosen.count;
    const auto group = hasFocus() ? QPalette::Active : QPalette::Inactive;
    if (selected)
        painter.fillRect(QRect(0, top, viewport()->width(), rowHeight()), palette().color(group, QPalette::Highlight));
    const QStringList texts = cells(row);
    const QColor text = palette().color(group, selected ? QPalette::HighlightedText : QPalette::Text);
    const QColor dim = selected ? text : palette().color(group, QPalette::PlaceholderText);
    for (std::size_t i = 0; i < m_layout.size(); ++i) {
        const Column& column = m_layout[i];
        const QRect cell(column.left - horizontalScrollBar()->value() + padding, top, column.width - 2 * padding, rowHeight());
        if (cell.right() < 0 || cell.left() > viewport()->width())
            continue;
        const QString shown = i == 0                                     ? countText(row)
                              : static_cast<qsizetype>(i) < texts.size() ? texts[static_cast<qsizetype>(i)]
                                                                         : QStringLiteral("\u2026");
        painter.setPen(i == 0 ? dim : text);
        painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    }
}

void CoordinatesView::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.fillRect(event->rect(), palette().color(QPalette::Base));
    int top = rowHeight();
    for (std::int64_t row = m_first; row < m_total && top < viewport()->height(); ++row, top += rowHeight())
        paintRow(painter, row, top);
    paintHeader(painter);
    if (m_known && m_total == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("No hot elements"));
    }
}

void CoordinatesView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
    fitValues();
    askForRows();
}

void CoordinatesView::showEvent(QShowEvent* event)
{
    QAbstractScrollArea::showEvent(event);
    askForRows();
}

void CoordinatesView::scrollContentsBy(int, int dy)
{
    if (dy != 0 && !m_settingBar) {
        const auto value = static_cast<std::int64_t>(verticalScrollBar()->value());
        const std::int64_t last = std::max<std::int64_t>(0, m_total - visibleRows());
        m_first = std::min(value * m_rowsPerStep, last);
        fitRowNumbers();
        fitValues();
        askForRows();
    }
    viewport()->update();
}

void CoordinatesView::scrollToRow(std::int64_t first)
{
    const std::int64_t last = std::max<std::int64_t>(0, m_total - visibleRows());
    m_first = std::clamp<std::int64_t>(first, 0, last);
    {
        const QScopedValueRollback setting(m_settingBar, true);
        verticalScrollBar()->setValue(static_cast<int>((m_first + m_rowsPerStep - 1) / m_rowsPerStep));
    }
    fitRowNumbers();
    fitValues();
    askForRows();
    viewport()->update();
}

core::RowWindow CoordinatesView::selection() const
{
    if (m_current < 0)
        return {};
    const std::int64_t first = std::min(m_current, m_anchor);
    return {first, std::max(m_current, m_anchor) - first + 1};
}

} // namespace ui

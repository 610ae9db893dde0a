// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace ui {
namespace {

constexpr int cellPadding = 6;

/// Paints text and selection, nothing else: a style's item painting costs more than the rest of a step.
class PlainDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const auto group = option.state.testFlag(QStyle::State_Active) ? QPalette::Active : QPalette::Inactive;
        if (selected)
            painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
        const QString text = index.data(Qt::DisplayRole).toString();
        if (text.isEmpty())
            return;
        painter->setPen(option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text));
        const QRect inner = option.rect.adjusted(cellPadding, 0, -cellPadding, 0);
        const int alignment = index.data(Qt::TextAlignmentRole).toInt();
        const int width = option.fontMetrics.horizontalAdvance(text);
        if (width <= inner.width())
            painter->drawText(inner, alignment | Qt::TextSingleLine, text);
        else
            painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                              option.fontMetrics.elidedText(text, Qt::ElideRight, inner.width()));
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {option.fontMetrics.horizontalAdvance(index.data(Qt::DisplayRole).toString()) + 2 * cellPadding,
                option.fontMetrics.height() + 4};
    }
};

} // namespace

DataTable::DataTable(QWidget* parent) : QTableView(parent)
{
    setItemDelegate(new PlainDelegate(this));
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(fontMetrics().height());
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setMinimumSectionSize(36);
}

void DataTable::dataChanged(const QModelIndex& topLeft, const QModelIndex& bottomRight, const QList<int>&)
{
    if (!isVisible())
        return;
    for (int column = topLeft.column(); column <= bottomRight.column(); ++column) {
        if (!isColumnHidden(column))
            viewport()->update(QRect(columnViewportPosition(column), 0, columnWidth(column), viewport()->height()));
    }
}

QString DataTable::selectedText() const
{
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    QStringList lines;
    const auto line = [this](const auto& cell) {
        QStringList cells;
        for (int visual = 0; visual < horizontalHeader()->count(); ++visual) {
            const int column = horizontalHeader()->logicalIndex(visual);
            if (!isColumnHidden(column))
                cells.append(cell(column));
        }
        return cells.join(QLatin1Char('\t'));
    };
    lines.append(line([this](int column) { return model()->headerData(column, Qt::Horizontal).toString(); }));
    for (const QModelIndex& row : rows)
        lines.append(line([&](int column) { return row.siblingAtColumn(column).data(Qt::EditRole).toString(); }));
    return rows.isEmpty() ? QString() : lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void DataTable::copySelection() const
{
    const QString text = selectedText();
    if (!text.isEmpty())
        QApplication::clipboard()->setText(text);
}

bool DataTable::event(QEvent* event)
{
    // Ctrl+C is the table's while it has the focus, not the window's.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        event->accept();
        return true;
    }
    return QTableView::event(event);
}

void DataTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <QAbstractScrollArea>

#include <optional>
#include <vector>

namespace ui {

/// A table of rows that holds only those in view and a page around them; scrolls any 64-bit number of rows, row by row.
/// QTableView cannot: its headers keep a section for every row.
class CoordinatesView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit CoordinatesView(QWidget* parent = nullptr);

    /// Names of the index columns with the extent of each, how values read, and between which they lie where that is known.
    struct Columns
    {
        QStringList names;
        std::vector<std::int64_t> extents;
        core::DType dtype = core::DType::f32;
        std::optional<core::Scalar> min;
        std::optional<core::Scalar> max;
    };
    void setColumns(const Columns& columns);
    /// All rows that there are, and a window of them; rows outside the window read as an ellipsis until they come.
    /// `asked` is the window that was asked for.
    void setRows(std::int64_t total, std::optional<core::Coordinates> rows, const core::RowWindow& asked);
    void clear();

    /// Rows in view and a page on each side, cut to what there is; before anything is known, the first rows that fit.
    core::RowWindow wantedRows() const;
    std::int64_t total() const { return m_total; }
    std::int64_t firstVisible() const { return m_first; }
    std::int64_t currentRow() const { return m_current; }
    void scrollToRow(std::int64_t first);
    /// Copies the selected rows (at most 100,000) with a header, tab separated; rows not held are asked for first.
    void copySelection();
    /// A row as text cells: row number, indices, value; empty when not held.
    QStringList cells(std::int64_t row) const;

    /// Of the row numbers, an index or the value, by position (tests).
    int columnWidth(std::size_t column) const { return m_layout[column].width; }

    static constexpr std::int64_t mostCopiedRows = 100'000;

Q_SIGNALS:
    void rowsWanted(const core::RowWindow& rows);
    void rowChosen(const std::vector<std::int64_t>& indices);
    /// A copy was refused because of its size.
    void copyTooLarge(std::int64_t rows);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    struct Column
    {
        QString name;
        int left;
        int width;
    };

    void layOut();
    /// Width of the widest text that a value can have.
    int widestValue() const;
    /// Widens the value column where a value in view needs it.
    void fitValues();
    void fitRowNumbers();
    void updateScrollBars();
    void askForRows();
    void finishCopy();
    void choose(std::int64_t row, bool extend);
    bool holds(std::int64_t row) const;
    std::int64_t visibleRows() const;
    std::int64_t rowAt(int y) const;
    int rowHeight() const;
    void paintRow(QPainter& painter, std::int64_t row, int top) const;
    void paintHeader(QPainter& painter) const;
    core::RowWindow selection() const;

    Columns m_columns;
    std::vector<Column> m_layout;
    int m_contentWidth = 0;
    qsizetype m_rowDigits = 0;
    /// Of the values seen so far.
    int m_seenValueWidth = 0;
    std::int64_t m_total = 0;
    bool m_known = false;
    std::optional<core::Coordinates> m_rows;
    core::RowWindow m_asked;
    std::int64_t m_first = 0;
    std::int64_t m_current = -1;
    std::int64_t m_anchor = -1;
    /// The chosen row was not held; told as soon as it is.
    bool m_tellWhenHeld = false;
    bool m_copyWhenHeld = false;
    /// Rows per step of the vertical scroll bar, whose range is an int.
    std::int64_t m_rowsPerStep = 1;
    bool m_settingBar = false;
};

} // namespace ui

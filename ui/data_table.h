// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace ui {

/// A table of numbers that repaints fast: only the columns that changed, plain text, no icons or editors. Ctrl+C copies the
/// selected rows with their header as tab separated text.
class DataTable : public QTableView
{
    Q_OBJECT
public:
    explicit DataTable(QWidget* parent = nullptr);

    /// The selected rows in the order seen, as the model's EditRole gives them; the header first.
    QString selectedText() const;
    /// Puts selectedText() on the clipboard.
    void copySelection() const;

protected:
    void dataChanged(const QModelIndex& topLeft, const QModelIndex& bottomRight, const QList<int>& roles) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace ui

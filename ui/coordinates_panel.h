// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

#include <vector>

class QLabel;
class QStackedLayout;
class QToolButton;

namespace ui {

class CoordinatesView;
struct TensorSummary;

/// Dock content: the exact rows of the coordinate list, any number of them, fetched as they come into view.
class CoordinatesPanel : public QWidget
{
    Q_OBJECT
public:
    explicit CoordinatesPanel(QWidget* parent = nullptr);
    ~CoordinatesPanel() override;

    void setTensor(const TensorSummary& tensor);
    /// Takes the number of rows and the window of rows that the frame carries.
    void setFrame(const core::Frame& frame);
    void clear();
    /// The rows that a request should carry now: those in view and a page around them; none while the panel is hidden.
    core::RowWindow wantedRows() const;

Q_SIGNALS:
    /// Rows came into view (or were selected for copying) that the last frame does not hold.
    void rowsWanted(const core::RowWindow& rows);
    /// The user chose a row: full indices in the tensor's own axes.
    void rowChosen(const std::vector<std::int64_t>& indices);
    /// Export all coordinates (button and context menu).
    void exportRequested();

private:
    void openMenu(const QPoint& position);

    CoordinatesView* m_view;
    QLabel* m_rows;
    QToolButton* m_export;
    QStackedLayout* m_pages;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/coordinates_panel.h"

#include "ui/coordinates_view.h"
#include "ui/main_window.h"
#include "ui/number_text.h"
#include "ui/panel_pages.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStackedLayout>
#include <QToolButton>

namespace ui {
namespace {

/// Axis names as the layout's letters ("N", "C", "H", "W"); held axes by number.
QStringList axisNames(const TensorSummary& tensor)
{
    QStringList names;
    const std::string letters = tensor.selection.layout.letters();
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        const bool named = axis < letters.size() && letters[axis] != '-';
        names.append(named ? QString(QLatin1Char(letters[axis])) : QStringLiteral("i%1").arg(axis));
    }
    return names;
}

} // namespace

CoordinatesPanel::CoordinatesPanel(QWidget* parent)
    : QWidget(parent), m_view(new CoordinatesView), m_rows(new QLabel), m_export(new QToolButton)
{
    m_rows->setForegroundRole(QPalette::PlaceholderText);
    m_rows->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_export->setText(tr("Export\u2026"));
    m_export->setToolTip(tr("Export all coordinates as .npy, .npz or .csv"));
    m_export->setAccessibleName(tr("Export coordinates"));
    m_export->setAutoRaise(true);
    m_export->setFocusPolicy(Qt::TabFocus);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 4, 8, 0);
    column->setSpacing(2);
    auto* top = new QHBoxLayout;
    top->addWidget(m_rows, 1);
    top->addWidget(m_export);
    column->addLayout(top);
    column->addWidget(m_view, 1);
    m_pages = makePages(this, content, tr("The index of every hot element, row by row."));
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &CoordinatesView::rowsWanted, this, &CoordinatesPanel::rowsWanted);
    connect(m_view, &CoordinatesView::rowChosen, this, &CoordinatesPanel::rowChosen);
    connect(m_view, &CoordinatesView::copyTooLarge, this, [this](std::int64_t rows) {
        m_rows->setText(tr("%1 rows are too many to copy; use Export.").arg(countText(rows)));
    });
    connect(m_view, &QWidget::customContextMenuRequested, this, &CoordinatesPanel::openMenu);
    connect(m_export, &QToolButton::clicked, this, &CoordinatesPanel::exportRequested);
}

CoordinatesPanel::~CoordinatesPanel() = default;

void CoordinatesPanel::setTensor(const TensorSummary& tensor)
{
    m_view->clear();
    m_view->setColumns({axisNames(tensor), tensor.shape, tensor.dtype, tensor.total.min, tensor.total.max});
    m_rows->clear();
    m_pages->setCurrentIndex(1);
}

void CoordinatesPanel::setFrame(const core::Frame& frame)
{
    if (m_pages->currentIndex() == 0)
        return;
    const QString rows = frame.count == 1 ? tr("1 row") : tr("%1 rows").arg(countText(frame.count));
    if (rows != m_rows->text())
        m_rows->setText(rows);
    m_view->setRows(frame.count, frame.rows, frame.request.rows);
}

void CoordinatesPanel::clear()
{
    m_view->clear();
    m_pages->setCurrentIndex(0);
}

core::RowWindow CoordinatesPanel::wantedRows() const
{
    return isVisible() ? m_view->wantedRows() : core::RowWindow{};
}

void CoordinatesPanel::openMenu(const QPoint& position)
{
    QMenu menu(this);
    menu.addAction(tr("Copy rows"), QKeySequence::Copy, m_view, &CoordinatesView::copySelection);
    menu.addSeparator();
    menu.addAction(tr("Export coordinates\u2026"), this, &CoordinatesPanel::exportRequested);
    menu.exec(m_view->mapToGlobal(position));
}

} // namespace ui

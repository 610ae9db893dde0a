// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/channels_panel.h"

#include "ui/channel_bars.h"
#include "ui/channels_model.h"
#include "ui/data_table.h"
#include "ui/main_window.h"
#include "ui/panel_pages.h"

#include <QApplication>
#include <QCheckBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSettings>
#include <QStackedLayout>
#include <QToolButton>

#include <algorithm>

namespace ui {

ChannelsPanel::ChannelsPanel(QWidget* parent)
    : QWidget(parent), m_model(new ChannelsModel(this)), m_bars(new ChannelBars(m_model)), m_table(new DataTable),
      m_summary(new QLabel), m_allBatches(new QCheckBox(tr("all batch items"))), m_export(new QToolButton)
{
    build();
    connectControls();
}

ChannelsPanel::~ChannelsPanel() = default;

void ChannelsPanel::build()
{
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Channels"));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->horizontalHeader()->setSortIndicator(m_model->sortColumn(), m_model->sortOrder());
    m_table->setSortingEnabled(true);
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setWordWrap(true);
    m_summary->setMinimumWidth(1);
    m_allBatches->setToolTip(tr("List the channels of every batch item, not only of the one shown"));
    m_export->setText(tr("CSV\u2026"));
    m_export->setToolTip(tr("Export the table as CSV or JSON (Ctrl+Shift+T)"));
    m_export->setAccessibleName(tr("Export the table"));
    m_export->setAutoRaise(true);
    m_export->setFocusPolicy(Qt::TabFocus);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 8, 8, 0);
    column->setSpacing(4);
    auto* top = new QGridLayout;
    top->addWidget(m_summary, 0, 0);
    top->addWidget(m_export, 0, 1, Qt::AlignTop);
    top->addWidget(m_allBatches, 1, 0, 1, 2);
    top->setColumnStretch(0, 1);
    column->addLayout(top);
    column->addWidget(m_bars, 2);
    column->addWidget(m_table, 3);
    m_pages = makePages(this, content, tr("A bar and a row for each channel: how much of it is hot, and where it ranges."));
}

void ChannelsPanel::connectControls()
{
    connect(m_bars, &ChannelBars::rowChosen, this, &ChannelsPanel::chooseRow);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_following && current.isValid())
            chooseRow(current.row());
    });
    connect(m_model, &QAbstractItemModel::layoutChanged, this, [this] {
        m_bars->settle();
        const int row = m_model->rowOf(m_plane);
        m_bars->setCurrentRow(row);
        if (row >= 0)
            m_table->scrollTo(m_model->index(row, std::max(0, m_table->columnAt(0))));
    });
    connect(m_table->horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
        if (QApplication::mouseButtons().testFlag(Qt::LeftButton) && m_table->horizontalHeader()->underMouse())
            m_ownColumns = true;
    });
    connect(m_allBatches, &QCheckBox::toggled, this, [this](bool all) {
        m_model->setBatch(all ? -1 : m_shownBatch);
        selectPlane(m_plane);
        settle();
    });
    connect(m_export, &QToolButton::clicked, this, &ChannelsPanel::exportRequested);
    connect(m_table, &QWidget::customContextMenuRequested, this, &ChannelsPanel::openMenu);
}

void ChannelsPanel::setTensor(const TensorSummary& tensor)
{
    m_channels = tensor.extents.channels;
    m_shownBatch = 0;
    m_widths.fill(0);
    m_allBatches->setVisible(tensor.extents.batches > 1);
    const QScopedValueRollback following(m_following, true);
    m_model->setTensor(tensor);
    selectPlane(tensor.extents.planes() > 0 ? 0 : -1);
    settle();
    m_pages->setCurrentIndex(1);
}

void ChannelsPanel::setFrame(const core::Frame& frame)
{
    if (m_pages->currentIndex() == 0)
        return;
    const QScopedValueRollback following(m_following, true);
    if (!m_allBatches->isChecked() && frame.request.batch != m_shownBatch)
        setCurrent(frame.request.batch, frame.request.channel);
    const bool atRest = !frame.request.dragging;
    m_model->setFrame(frame, atRest);
    if (atRest)
        settle();
    else
        m_bars->refresh();
}

void ChannelsPanel::clear()
{
    const QScopedValueRollback following(m_following, true);
    m_model->clear();
    m_plane = -1;
    m_pages->setCurrentIndex(0);
}

void ChannelsPanel::setCurrent(std::int64_t batch, std::int64_t channel)
{
    const QScopedValueRollback following(m_following, true);
    m_shownBatch = batch;
    if (!m_allBatches->isChecked() && m_model->batch() != batch) {
        m_model->setBatch(batch);
        settle();
    }
    selectPlane(batch * m_channels + channel);
}

void ChannelsPanel::selectPlane(std::int64_t plane)
{
    const QScopedValueRollback following(m_following, true);
    m_plane = plane;
    const int row = m_model->rowOf(plane);
    if (row >= 0) {
        if (m_table->currentIndex().row() != row)
            m_table->selectRow(row);
        // Up or down only: columns stay where the user brought them.
        m_table->scrollTo(m_model->index(row, std::max(0, m_table->columnAt(0))));
    }
    m_bars->setCurrentRow(row);
}

void ChannelsPanel::chooseRow(int row)
{
    const std::int64_t plane = m_model->planeOf(row);
    if (plane == m_plane)
        return;
    selectPlane(plane);
    Q_EMIT channelChosen(plane / m_channels, plane % m_channels);
}

void ChannelsPanel::fitColumns()
{
    if (m_ownColumns)
        return;
    constexpr int padding = 14;
    constexpr int markWidth = 14;
    constexpr int samples = 48;
    const QHeaderView* header = m_table->horizontalHeader();
    const int rows = m_model->rowCount();
    const int step = std::max(1, rows / samples);
    for (int column = 0; column < ChannelsModel::columnTotal; ++column) {
        const bool sorted = header->sortIndicatorSection() == column;
        const QString name = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        int width = header->fontMetrics().horizontalAdvance(name) + padding + (sorted ? markWidth : 0);
        for (int row = 0; row < rows; row += step)
            width = std::max(width, fontMetrics().horizontalAdvance(m_model->index(row, column).data().toString()) + padding);
        // Columns that jump at each threshold could not be read.
        if (width > m_widths[static_cast<std::size_t>(column)] || sorted)
            m_table->setColumnWidth(column, m_widths[static_cast<std::size_t>(column)] =
                                                std::max(width, m_widths[static_cast<std::size_t>(column)]));
    }
}

void ChannelsPanel::settle()
{
    fitColumns();
    m_bars->settle();
    const QString summary = m_model->summary();
    if (summary != m_summary->text())
        m_summary->setText(summary);
}

void ChannelsPanel::openMenu(const QPoint& position)
{
    QMenu menu(this);
    menu.addAction(tr("Copy rows"), QKeySequence::Copy, m_table, &DataTable::copySelection);
    menu.addAction(tr("Select all"), QKeySequence::SelectAll, m_table, &QAbstractItemView::selectAll);
    menu.addSeparator();
    menu.addAction(tr("Export the table\u2026"), this, &ChannelsPanel::exportRequested);
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

bool ChannelsPanel::savePlot(const QString& path) const
{
    return m_pages->currentIndex() == 1 && m_bars->savePlot(path);
}

void ChannelsPanel::saveState(QSettings& settings) const
{
    settings.setValue(QStringLiteral("channels/columns"),
                      m_ownColumns ? m_table->horizontalHeader()->saveState() : QByteArray());
    settings.setValue(QStringLiteral("channels/sortedBy"), static_cast<int>(m_model->sortColumn()));
    settings.setValue(QStringLiteral("channels/descending"), m_model->sortOrder() == Qt::DescendingOrder);
    settings.setValue(QStringLiteral("channels/allBatches"), m_allBatches->isChecked());
}

void ChannelsPanel::restoreState(const QSettings& settings)
{
    m_ownColumns = m_table->horizontalHeader()->restoreState(settings.value(QStringLiteral("channels/columns")).toByteArray());
    const int column = settings.value(QStringLiteral("channels/sortedBy"), static_cast<int>(ChannelsModel::count)).toInt();
    const bool descending = settings.value(QStringLiteral("channels/descending"), true).toBool();
    if (column >= 0 && column < ChannelsModel::columnTotal)
        m_table->sortByColumn(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    m_allBatches->setChecked(settings.value(QStringLiteral("channels/allBatches"), false).toBool());
}

} // namespace ui

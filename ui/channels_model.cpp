// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/channels_model.h"

#include "ui/main_window.h"
#include "ui/number_text.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace ui {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

} // namespace

void ChannelsModel::setTensor(const TensorSummary& tensor)
{
    beginResetModel();
    m_statistics = tensor.planes;
    m_dtype = tensor.dtype;
    m_thresholdDtype = tensor.dtype;
    m_batches = tensor.extents.batches;
    m_channels = tensor.extents.channels;
    m_firstBatch = tensor.extents.firstBatch;
    m_firstChannel = tensor.extents.firstChannel;
    m_elements = tensor.extents.planeElements();
    m_batch = m_batch < 0 ? -1 : 0;
    m_counts.reset();
    m_thresholds.clear();
    resetOrder();
    endResetModel();
}

void ChannelsModel::clear()
{
    beginResetModel();
    m_statistics.reset();
    m_counts.reset();
    m_batches = m_channels = 0;
    resetOrder();
    endResetModel();
}

void ChannelsModel::resetOrder()
{
    const bool one = m_batch >= 0 && m_batch < m_batches;
    m_order.resize(static_cast<std::size_t>(one ? m_channels : m_batch < 0 ? m_batches * m_channels : 0));
    std::iota(m_order.begin(), m_order.end(), one ? m_batch * m_channels : 0);
    m_rows.assign(static_cast<std::size_t>(m_batches * m_channels), -1);
    settle();
}

void ChannelsModel::setBatch(std::int64_t batch)
{
    if (batch == m_batch)
        return;
    beginResetModel();
    m_batch = batch;
    resetOrder();
    endResetModel();
}

void ChannelsModel::setFrame(const core::Frame& frame, bool settleNow)
{
    const bool oneThreshold = frame.thresholds.size() == 1 && m_thresholds.size() == 1;
    const bool moved =
        !oneThreshold || frame.thresholds[0].a != m_thresholds[0].a || frame.thresholds[0].b != m_thresholds[0].b;
    const bool counted = frame.counts != m_counts;
    m_thresholds = frame.thresholds;
    m_thresholdDtype =
        core::isFloating(m_dtype) && frame.request.where.comparison == core::Comparison::torch ? m_dtype : core::DType::f64;
    m_counts = frame.counts;
    if (m_order.empty())
        return;
    // The frame at rest often equals the last one of the drag.
    m_unsorted = m_unsorted || counted || moved;
    if (settleNow && m_unsorted) {
        m_unsorted = false;
        sort(m_sortColumn, m_sortOrder);
    }
    const int last = rowCount() - 1;
    if (moved)
        Q_EMIT dataChanged(index(0, threshold), index(last, threshold));
    if (counted) {
        Q_EMIT dataChanged(index(0, count), index(last, fraction));
        Q_EMIT dataChanged(index(0, flags), index(last, flags));
    }
}

const core::Statistics* ChannelsModel::statistics(std::int64_t plane) const
{
    const auto at = static_cast<std::size_t>(plane);
    return m_statistics && at < m_statistics->size() ? &(*m_statistics)[at] : nullptr;
}

std::int64_t ChannelsModel::countOf(std::int64_t plane) const
{
    const auto at = static_cast<std::size_t>(plane);
    return m_counts && at < m_counts->size() ? (*m_counts)[at] : 0;
}

int ChannelsModel::rowOf(std::int64_t plane) const
{
    const auto at = static_cast<std::size_t>(plane);
    return plane >= 0 && at < m_rows.size() ? m_rows[at] : -1;
}

double ChannelsModel::sortKey(std::int64_t plane) const
{
    const core::Statistics* s = statistics(plane);
    const auto scalar = [](const std::optional<core::Scalar>& value) { return value ? toDouble(*value) : absent; };
    switch (m_sortColumn) {
    case channel:
        return static_cast<double>(plane);
    case threshold: {
        if (m_thresholds.empty())
            return absent;
        const auto at = static_cast<std::size_t>(plane % m_channels);
        return m_thresholds[m_thresholds.size() > 1 ? std::min(at, m_thresholds.size() - 1) : 0].a.value_or(absent);
    }
    case count:
    case fraction:
        return static_cast<double>(countOf(plane));
    case min:
        return s ? scalar(s->min) : absent;
    case max:
        return s ? scalar(s->max) : absent;
    case mean:
        return s ? s->mean.value_or(absent) : absent;
    case std:
        return s ? s->std.value_or(absent) : absent;
    case flags: {
        if (!s)
            return 0;
        const double notFinite = static_cast<double>(s->nan + infinities(*s));
        return notFinite > 0 ? 3 + notFinite : isAllZero(*s) ? 2 : flagText(plane).isEmpty() ? 0 : 1;
    }
    default:
        return 0;
    }
}

void ChannelsModel::settle()
{
    std::vector<double> keys(m_rows.size());
    for (const std::int64_t plane : m_order)
        keys[static_cast<std::size_t>(plane)] = sortKey(plane);
    const bool descending = m_sortOrder == Qt::DescendingOrder;
    const auto before = [&](std::int64_t a, std::int64_t b) {
        const double x = keys[static_cast<std::size_t>(a)];
        const double y = keys[static_cast<std::size_t>(b)];
        // What has no value comes last either way; equals stay in channel order.
        if (std::isnan(x) || std::isnan(y))
            return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
        if (x != y)
            return descending ? x > y : x < y;
        return a < b;
    };
    std::sort(m_order.begin(), m_order.end(), before);
    for (std::size_t row = 0; row < m_order.size(); ++row)
        m_rows[static_cast<std::size_t>(m_order[row])] = static_cast<int>(row);
}

void ChannelsModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= columnTotal)
        return;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<std::int64_t> planes;
    for (const QModelIndex& index : before)
        planes.push_back(planeOf(index.row()));
    m_sortColumn = static_cast<Column>(column);
    m_sortOrder = order;
    settle();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.append(index(rowOf(planes[static_cast<std::size_t>(i)]), before[i].column()));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

int ChannelsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int ChannelsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columnTotal;
}

QVariant ChannelsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || static_cast<std::size_t>(index.row()) >= m_order.size())
        return {};
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(planeOf(index.row()), column);
    case Qt::EditRole:
        return plainText(planeOf(index.row()), column);
    case Qt::TextAlignmentRole:
        return int((column == flags ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (!text(planeOf(index.row()), column).isEmpty())
            return tr("channel %1: %2 %3")
                .arg(planeName(planeOf(index.row())), headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                     plainText(planeOf(index.row()), column));
        return {};
    default:
        return {};
    }
}

} // namespace ui

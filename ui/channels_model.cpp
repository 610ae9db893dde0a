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

bool isAllZero(const core::Statistics& statistics)
{
    return statistics.elements > 0 && statistics.zeros == statistics.elements;
}

std::int64_t infinities(const core::Statistics& statistics)
{
    return statistics.positiveInf + statistics.negativeInf;
}

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
    if (settleNow && (counted || moved))
        sort(m_sortColumn, m_sortOrder);
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

QString ChannelsModel::planeName(std::int64_t plane) const
{
    const QString name = QString::number(m_firstChannel + plane % m_channels);
    return m_batch < 0 && m_batches > 1 ? QString::number(m_firstBatch + plane / m_channels) + QLatin1Char(':') + name : name;
}

QString ChannelsModel::flagText(std::int64_t plane) const
{
    QStringList words;
    const core::Statistics* s = statistics(plane);
    if (s && s->nan > 0)
        words.append(countText(s->nan) + tr(" NaN"));
    if (s && infinities(*s) > 0)
        words.append(countText(infinities(*s)) + tr(" inf"));
    const bool allZero = s && isAllZero(*s);
    if (allZero)
        words.append(tr("all 0"));
    else if (m_counts && m_elements > 0 && countOf(plane) == 0)
        words.append(tr("never hot"));
    if (m_counts && m_elements > 0 && countOf(plane) == m_elements)
        words.append(tr("all hot"));
    return words.join(QStringLiteral(", "));
}

QString ChannelsModel::summary() const
{
    std::int64_t neverHot = 0;
    std::int64_t allHot = 0;
    std::int64_t allZero = 0;
    std::int64_t notFinite = 0;
    for (const std::int64_t plane : m_order) {
        const core::Statistics* s = statistics(plane);
        neverHot += m_counts && countOf(plane) == 0;
        allHot += m_counts && countOf(plane) == m_elements;
        allZero += s && isAllZero(*s);
        notFinite += s && s->nan + infinities(*s) > 0;
    }
    const auto rows = static_cast<std::int64_t>(m_order.size());
    QStringList parts{rows == 1                      ? tr("1 channel")
                      : m_batch < 0 && m_batches > 1 ? tr("%1 planes").arg(countText(rows))
                                                     : tr("%1 channels").arg(countText(rows))};
    const auto add = [&parts](std::int64_t number, const QString& words) {
        if (number > 0)
            parts.append(words.arg(countText(number)));
    };
    if (m_elements > 0) {
        add(neverHot, tr("%1 never hot"));
        add(allHot, tr("%1 all hot"));
    }
    add(allZero, tr("%1 all 0"));
    add(notFinite, tr("%1 not finite"));
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString ChannelsModel::thresholdText(std::int64_t plane) const
{
    if (m_thresholds.empty())
        return {};
    const auto at = static_cast<std::size_t>(plane % m_channels);
    const core::Threshold& t = m_thresholds[m_thresholds.size() > 1 ? std::min(at, m_thresholds.size() - 1) : 0];
    if (!t.a)
        return {};
    const QString first = valueText(*t.a, m_thresholdDtype);
    return t.b ? first + QStringLiteral(" \u2026 ") + valueText(*t.b, m_thresholdDtype) : first;
}

QString ChannelsModel::text(std::int64_t plane, Column column) const
{
    const core::Statistics* s = statistics(plane);
    switch (column) {
    case channel:
        return planeName(plane);
    case threshold:
        return thresholdText(plane);
    case count:
        return m_counts ? countText(countOf(plane)) : QString();
    case fraction:
        return m_counts ? percentText(countOf(plane), m_elements) : QString();
    case min:
        return s && s->min ? valueText(*s->min, m_dtype) : QString();
    case max:
        return s && s->max ? valueText(*s->max, m_dtype) : QString();
    case mean:
        return s && s->mean ? figureText(*s->mean, m_dtype) : QString();
    case std:
        return s && s->std ? figureText(*s->std, m_dtype) : QString();
    case flags:
        return flagText(plane);
    default:
        return {};
    }
}

QString ChannelsModel::plainText(std::int64_t plane, Column column) const
{
    if (column == count && m_counts)
        return QString::number(countOf(plane));
    if (column == fraction && m_counts && m_elements > 0)
        return figureText(100.0 * static_cast<double>(countOf(plane)) / static_cast<double>(m_elements), core::DType::f32);
    return text(plane, column);
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
        if (column == flags && !flagText(planeOf(index.row())).isEmpty())
            return tr("%1: %2").arg(planeName(planeOf(index.row())), flagText(planeOf(index.row())));
        return {};
    default:
        return {};
    }
}

QVariant ChannelsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static const std::array<const char*, columnTotal> names{
        QT_TR_NOOP("channel"), QT_TR_NOOP("threshold"), QT_TR_NOOP("count"), QT_TR_NOOP("%"),    QT_TR_NOOP("min"),
        QT_TR_NOOP("max"),     QT_TR_NOOP("mean"),      QT_TR_NOOP("std"),   QT_TR_NOOP("flags")};
    static const std::array<const char*, columnTotal> tips{
        QT_TR_NOOP("Index of the channel in the file; batch:channel when all batch items are listed"),
        QT_TR_NOOP("Threshold compared"),
        QT_TR_NOOP("Hot elements"),
        QT_TR_NOOP("Hot elements of all elements"),
        QT_TR_NOOP("Least finite value"),
        QT_TR_NOOP("Greatest finite value"),
        QT_TR_NOOP("Mean of the finite values"),
        QT_TR_NOOP("Standard deviation of the finite values (population)"),
        QT_TR_NOOP("all 0: nothing but zeros. never hot: no element meets the condition. all hot: every element does.\n"
                   "NaN, inf: values that are not finite")};
    const auto at = static_cast<std::size_t>(section);
    switch (role) {
    case Qt::DisplayRole:
        return tr(names[at]);
    case Qt::ToolTipRole:
        return tr("%1\nClick to sort.").arg(tr(tips[at]));
    case Qt::TextAlignmentRole:
        return int((section == flags ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/channels_model.h"

#include "ui/number_text.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace ui {

bool ChannelsModel::isAllZero(const core::Statistics& statistics)
{
    return statistics.elements > 0 && statistics.zeros == statistics.elements;
}

std::int64_t ChannelsModel::infinities(const core::Statistics& statistics)
{
    return statistics.positiveInf + statistics.negativeInf;
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

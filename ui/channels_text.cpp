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

QString ChannelsModel::thresholdText(std::int64_t plane, Length length) const
{
    if (m_thresholds.empty())
        return {};
    const auto at = static_cast<std::size_t>(plane % m_channels);
    const core::Threshold& t = m_thresholds[m_thresholds.size() > 1 ? std::min(at, m_thresholds.size() - 1) : 0];
    if (!t.a)
        return {};
    const auto text = [&](double value) {
        return length == Length::brief ? shortText(value, m_thresholdDtype) : valueText(value, m_thresholdDtype);
    };
    return t.b ? text(*t.a) + QStringLiteral(" \u2026 ") + text(*t.b) : text(*t.a);
}

QString ChannelsModel::numberText(std::int64_t plane, Column column, Length length) const
{
    const core::Statistics* s = statistics(plane);
    const bool brief = length == Length::brief;
    const auto stored = [&](const std::optional<core::Scalar>& value) {
        return !value ? QString() : brief ? shortText(*value, m_dtype) : valueText(*value, m_dtype);
    };
    // float16's figures have four digits already.
    const auto figure = [&](const std::optional<double>& value) {
        if (!value)
            return QString();
        const QString text = figureText(*value, m_dtype);
        return brief ? shortText(text.toDouble(), core::DType::f64) : text;
    };
    switch (column) {
    case threshold:
        return thresholdText(plane, length);
    case min:
        return s ? stored(s->min) : QString();
    case max:
        return s ? stored(s->max) : QString();
    case mean:
        return s ? figure(s->mean) : QString();
    case std:
        return s ? figure(s->std) : QString();
    default:
        return {};
    }
}

QString ChannelsModel::text(std::int64_t plane, Column column) const
{
    switch (column) {
    case channel:
        return planeName(plane);
    case count:
        return m_counts ? countText(countOf(plane)) : QString();
    case fraction:
        return m_counts ? percentText(countOf(plane), m_elements) : QString();
    case flags:
        return flagText(plane);
    default:
        return numberText(plane, column, Length::brief);
    }
}

QString ChannelsModel::plainText(std::int64_t plane, Column column) const
{
    if (column == count && m_counts)
        return QString::number(countOf(plane));
    if (column == fraction && m_counts && m_elements > 0)
        return figureText(100.0 * static_cast<double>(countOf(plane)) / static_cast<double>(m_elements), core::DType::f32);
    if (column == channel || column == flags)
        return text(plane, column);
    return numberText(plane, column, Length::full);
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

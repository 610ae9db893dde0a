// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/channel_table.h"

namespace core::report {

namespace {

template <class T>
Scalar wrapped(const Number& number, DType dtype)
{
    // `== T` is the interval [T, T], T being what the dtype makes of it.
    const T value = makePredicate<T>({ConditionKind::eq, number, {}}, dtype, Comparison::torch).lo;
    if constexpr (std::is_signed_v<T>)
        return static_cast<std::int64_t>(value);
    else
        return static_cast<std::uint64_t>(value);
}

/// The integer that an integer dtype compares with, in full: float64 has 53 bits only.
Cell integerCell(const Number& number, DType dtype, Comparison comparison)
{
    if (comparison == Comparison::exact || dtype == DType::boolean)
        return number.integer;
    switch (dtype) {
    case DType::u8:
        return cell(wrapped<std::uint8_t>(number, dtype));
    case DType::i8:
        return cell(wrapped<std::int8_t>(number, dtype));
    case DType::u16:
        return cell(wrapped<std::uint16_t>(number, dtype));
    case DType::i16:
        return cell(wrapped<std::int16_t>(number, dtype));
    case DType::u32:
        return cell(wrapped<std::uint32_t>(number, dtype));
    case DType::i32:
        return cell(wrapped<std::int32_t>(number, dtype));
    case DType::u64:
        return cell(wrapped<std::uint64_t>(number, dtype));
    default:
        return cell(wrapped<std::int64_t>(number, dtype));
    }
}

Cell boundCell(double bound, const Number& number, const Where& where, DType dtype)
{
    const bool integers = !where.rule && number.isInteger && (isInteger(dtype) || dtype == DType::boolean);
    return integers ? integerCell(number, dtype, where.comparison) : Cell(bound);
}

Scalar scalar(const Cell& cell)
{
    return std::visit(
        [](const auto& value) -> Scalar {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, __int128>) {
                if (value >= 0)
                    return static_cast<std::uint64_t>(value);
                return static_cast<std::int64_t>(value);
            } else if constexpr (std::is_constructible_v<Scalar, T>)
                return value;
            else
                return 0.0;
        },
        cell);
}

Threshold thresholdOf(const Result& result, std::size_t channel)
{
    if (result.thresholds.empty())
        return {};
    return result.thresholds[result.thresholds.size() > 1 ? channel : 0];
}

} // namespace

Cell thresholdCell(const Threshold& threshold, const Where& where, DType dtype)
{
    if (!threshold.a)
        return {};
    const auto first = boundCell(*threshold.a, where.condition.a, where, dtype);
    if (!threshold.b)
        return first;
    return std::vector<Scalar>{scalar(first), scalar(boundCell(*threshold.b, where.condition.b, where, dtype))};
}

Cell fractionCell(std::int64_t count, std::int64_t elements)
{
    return elements > 0 ? Cell(static_cast<double>(count) / static_cast<double>(elements)) : Cell{};
}

StatisticCells statisticCells(const Statistics& statistics)
{
    if (!statistics.ordered || statistics.finite == 0)
        return {};
    return {cell(statistics.min), cell(statistics.max), cell(statistics.mean), cell(statistics.std), cell(statistics.sum)};
}

Table channelTable(const Analysis& analysis, const Job& job)
{
    Table table{{"batch", "channel", "threshold", "elements", "count", "fraction", "min", "max", "mean", "std", "sum",
                 "hot_sum", "nan"},
                {}};
    const auto& extents = analysis.tensor.extents();
    const auto& planes = analysis.tensor.planeStatistics(job);
    const auto& result = analysis.result;
    table.rows.reserve(planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const auto channels = static_cast<std::size_t>(extents.channels);
        const auto& plane = planes[i];
        const auto statistics = statisticCells(plane);
        const auto threshold = thresholdOf(result, i % channels);
        const bool summed = plane.ordered && i < result.hotSums.size();
        table.rows.push_back({extents.firstBatch + static_cast<std::int64_t>(i / channels),
                              extents.firstChannel + static_cast<std::int64_t>(i % channels),
                              thresholdCell(threshold, analysis.where, analysis.tensor.dtype()), plane.elements,
                              result.counts[i], fractionCell(result.counts[i], plane.elements), statistics.min, statistics.max,
                              statistics.mean, statistics.std, statistics.sum, summed ? cell(result.hotSums[i]) : Cell{},
                              plane.nan});
    }
    return table;
}

} // namespace core::report

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/reductions.h"

#include "core/engine/kernels_narrow.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace core {
namespace {

constexpr std::array<std::string_view, 6> names = {"sum", "count", "max", "mean", "l1", "l2"};

DType mapDType(Reduction reduction, DType dtype)
{
    if (reduction == Reduction::count)
        return DType::i64;
    if (reduction != Reduction::max || !isFloating(dtype))
        return DType::f64;
    return isFloat8(dtype) ? DType::f32 : dtype;
}

/// Writes value(i) of n pixels as T.
template <class T, class Value>
void put(std::byte* to, std::int64_t n, Value value)
{
    for (std::int64_t i = 0; i < n; ++i) {
        const T v = value(i);
        std::memcpy(to + i * static_cast<std::int64_t>(sizeof v), &v, sizeof v);
    }
}

/// Dense passes keep the largest value as a float, sparse ones as a double.
template <class Max>
void putMax(std::byte* to, std::int64_t n, DType dtype, const Max* max)
{
    if (dtype == DType::f64)
        put<double>(to, n, [max](std::int64_t i) { return static_cast<double>(max[i]); });
    else if (dtype == DType::f32)
        put<float>(to, n, [max](std::int64_t i) { return static_cast<float>(max[i]); });
    else if constexpr (std::is_same_v<Max, float>) {
        if (dtype == DType::f16)
            narrow(max, n, reinterpret_cast<Half*>(to));
        else
            narrow(max, n, reinterpret_cast<BFloat16*>(to));
    } else if (dtype == DType::f16)
        put<Half>(to, n, [max](std::int64_t i) { return toHalf(static_cast<float>(max[i])); });
    else
        put<BFloat16>(to, n, [max](std::int64_t i) { return toBFloat16(static_cast<float>(max[i])); });
}

} // namespace

std::string_view reductionName(Reduction reduction)
{
    return names[static_cast<std::size_t>(reduction)];
}

std::optional<Reduction> reductionFromName(std::string_view name)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name)
            return static_cast<Reduction>(i);
    return std::nullopt;
}

MapNeeds needsOf(const std::vector<HeatMapQuery>& queries)
{
    MapNeeds needs;
    for (const HeatMapQuery& query : queries) {
        needs.count |= query.reduction == Reduction::count || query.reduction == Reduction::mean;
        needs.sum |= query.reduction == Reduction::sum || query.reduction == Reduction::mean;
        needs.max |= query.reduction == Reduction::max;
        needs.absolute |= query.reduction == Reduction::l1;
        needs.square |= query.reduction == Reduction::l2;
    }
    return needs;
}

MapOutputs::MapOutputs(const std::vector<HeatMapQuery>& queries, DType dtype, std::int64_t pixels,
                       const std::shared_ptr<BufferPool>& pool)
{
    for (const HeatMapQuery& query : queries) {
        const DType mapped = mapDType(query.reduction, dtype);
        m_maps.push_back({query, mapped, PooledStorage(pool, static_cast<std::size_t>(pixels * itemSize(mapped)))});
    }
}

template <class Max>
void MapOutputs::write(std::int64_t first, std::int64_t n, const PixelSums<Max>& sums)
{
    for (Map& map : m_maps) {
        std::byte* to = map.memory.data() + first * itemSize(map.dtype);
        switch (map.query.reduction) {
        case Reduction::count:
            put<std::int64_t>(to, n, [&](std::int64_t i) { return sums.count[i]; });
            break;
        case Reduction::sum:
            put<double>(to, n, [&](std::int64_t i) { return sums.sum[i]; });
            break;
        case Reduction::mean:
            // 0 / 0 is the NaN of a pixel without a hot value; its sign bit is not the same on every machine.
            put<double>(to, n, [&](std::int64_t i) {
                return sums.count[i] > 0 ? sums.sum[i] / sums.count[i] : std::numeric_limits<double>::quiet_NaN();
            });
            break;
        case Reduction::l1:
            put<double>(to, n, [&](std::int64_t i) { return sums.absolute[i]; });
            break;
        case Reduction::l2:
            put<double>(to, n, [&](std::int64_t i) { return std::sqrt(sums.square[i]); });
            break;
        case Reduction::max:
            putMax(to, n, map.dtype, sums.max);
            break;
        }
    }
}

template void MapOutputs::write(std::int64_t, std::int64_t, const PixelSums<float>&);
template void MapOutputs::write(std::int64_t, std::int64_t, const PixelSums<double>&);

std::vector<Tensor> MapOutputs::take(const Shape& shape)
{
    std::vector<Tensor> out;
    for (Map& map : m_maps)
        out.push_back(Tensor::contiguous(map.dtype, shape, std::move(map.memory).take()));
    return out;
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/rows.h"

#include "core/engine/parallel.h"
#include "core/error.h"
#include "core/render/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

namespace core {

namespace {

template <class T>
T load(const std::byte* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T, class Widen>
void readAs(const std::byte* at, std::int64_t step, std::span<double> out, Widen widen)
{
    if (step == 1) {
        for (std::size_t x = 0; x < out.size(); ++x)
            out[x] = widen(load<T>(at + x * sizeof(T)));
        return;
    }
    for (std::size_t x = 0; x < out.size(); ++x)
        out[x] = widen(load<T>(at + static_cast<std::int64_t>(x) * step * static_cast<std::int64_t>(sizeof(T))));
}

template <class T>
void readNumbers(const std::byte* at, std::int64_t step, std::span<double> out)
{
    readAs<T>(at, step, out, [](T value) { return static_cast<double>(value); });
}

template <class T>
void readSmallFloats(const std::byte* at, std::int64_t step, std::span<double> out)
{
    readAs<T>(at, step, out, [](T value) { return static_cast<double>(toFloat(value)); });
}

template <class T>
void readComplex(const std::byte* at, std::int64_t step, std::span<double> out)
{
    readAs<std::complex<T>>(at, step, out, [](std::complex<T> value) { return static_cast<double>(std::abs(value)); });
}

MapFacts inspectRow(std::span<const double> row)
{
    MapFacts facts;
    const auto limits = limitsOf(row);
    if (limits.lo <= limits.hi) {
        facts.lo = limits.lo;
        facts.hi = limits.hi;
    }
    if (limits.isFinite)
        return facts;
    for (const double v : row) {
        facts.nan |= std::isnan(v);
        facts.positiveInf |= v == HUGE_VAL;
        facts.negativeInf |= v == -HUGE_VAL;
    }
    return facts;
}

} // namespace

void requireMap(const Tensor& map)
{
    constexpr std::int64_t sideLimit = std::int64_t{1} << 30;
    if (map.rank() != 2)
        throw Error("A picture needs a map of 2 axes, not shape " + shapeText(map.shape()));
    if (map.shape()[0] > sideLimit || map.shape()[1] > sideLimit)
        throw Error("A map of shape " + shapeText(map.shape()) + " is too large for a picture; choose another layout");
}

void readRow(const Tensor& map, std::int64_t y, std::span<double> out)
{
    const auto step = map.strides()[1];
    const auto* at = map.data() + y * map.strides()[0] * itemSize(map.dtype());
    switch (map.dtype()) {
    case DType::boolean:
    case DType::u8:
        return readNumbers<std::uint8_t>(at, step, out);
    case DType::i8:
        return readNumbers<std::int8_t>(at, step, out);
    case DType::u16:
        return readNumbers<std::uint16_t>(at, step, out);
    case DType::i16:
        return readNumbers<std::int16_t>(at, step, out);
    case DType::u32:
        return readNumbers<std::uint32_t>(at, step, out);
    case DType::i32:
        return readNumbers<std::int32_t>(at, step, out);
    case DType::u64:
        return readNumbers<std::uint64_t>(at, step, out);
    case DType::i64:
        return readNumbers<std::int64_t>(at, step, out);
    case DType::f8e4m3fn:
    case DType::f8e5m2:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2fnuz:
        return readAs<std::uint8_t>(at, step, out, [dtype = map.dtype()](std::uint8_t bits) {
            return static_cast<double>(float8ToFloat(dtype, bits));
        });
    case DType::f16:
        return readSmallFloats<Half>(at, step, out);
    case DType::bf16:
        return readSmallFloats<BFloat16>(at, step, out);
    case DType::f32:
        return step == 1 ? widen(at, out) : readNumbers<float>(at, step, out);
    case DType::f64:
        return readNumbers<double>(at, step, out);
    case DType::c64:
        return readComplex<float>(at, step, out);
    case DType::c128:
        return readComplex<double>(at, step, out);
    }
}

std::span<const double> rowOf(const Tensor& map, std::int64_t y, std::vector<double>& room)
{
    const auto width = static_cast<std::size_t>(map.shape()[1]);
    const auto* at = map.data() + y * map.strides()[0] * itemSize(map.dtype());
    const bool isAligned = reinterpret_cast<std::uintptr_t>(at) % alignof(double) == 0;
    if (map.dtype() == DType::f64 && map.strides()[1] == 1 && isAligned)
        return {reinterpret_cast<const double*>(at), width};
    room.resize(width);
    readRow(map, y, room);
    return room;
}

void MapFacts::merge(const MapFacts& other)
{
    if (other.hasFinite()) {
        const bool first = !hasFinite();
        lo = first ? other.lo : std::min(lo, other.lo);
        hi = first ? other.hi : std::max(hi, other.hi);
    }
    nan |= other.nan;
    positiveInf |= other.positiveInf;
    negativeInf |= other.negativeInf;
}

MapFacts inspect(const Tensor& map)
{
    requireMap(map);
    if (map.elements() == 0)
        return {};
    MapFacts facts;
    std::mutex mutex;
    forRows(static_cast<int>(map.shape()[0]), static_cast<int>(map.shape()[1]), [&](int first, int end) {
        std::vector<double> room;
        MapFacts part;
        for (int y = first; y != end; ++y)
            part.merge(inspectRow(rowOf(map, y, room)));
        const std::lock_guard lock(mutex);
        facts.merge(part);
    });
    return facts;
}

void forRows(int height, int width, const std::function<void(int, int)>& work)
{
    // Enough pixels a turn to be worth a thread's waking.
    constexpr int leastPixels = 1 << 14;
    forParts(height, leastPixels / std::max(1, width),
             [&](std::int64_t first, std::int64_t end) { work(static_cast<int>(first), static_cast<int>(end)); });
}

void appendFinite(const Tensor& map, std::vector<double>& values)
{
    requireMap(map);
    std::vector<double> row(static_cast<std::size_t>(map.shape()[1]));
    for (std::int64_t y = 0; y < map.shape()[0]; ++y) {
        readRow(map, y, row);
        std::copy_if(row.begin(), row.end(), std::back_inserter(values), [](double v) { return std::isfinite(v); });
    }
}

} // namespace core

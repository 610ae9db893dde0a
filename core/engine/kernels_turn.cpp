// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_turn.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_turn.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_TURN_ONCE
#define ACTISCOPE_KERNELS_TURN_ONCE
namespace core {
namespace {

struct TurnTable
{
    TurnKernels ofBytes1;
    TurnKernels ofBytes2;
    TurnKernels ofBytes4;
    TurnKernels ofBytes8;
};

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

/// Element by element: rows from `first` on.
template <class T>
void turnRest(const TurnedRows& t, std::int64_t first)
{
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t row = first; row < t.count; ++row)
        for (std::int64_t column = 0; column < t.columns; ++column)
            std::memcpy(t.to + t.offsets[column] + row * size, t.rows + row * t.pitch + column * size, sizeof(T));
}

template <class T>
void thinRest(const std::byte* from, std::byte* to, std::int64_t n, std::int64_t step)
{
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * size, from + i * step * size, sizeof(T));
}

#if ACTISCOPE_PLAIN

template <class T>
void thin(const std::byte* from, std::byte* to, std::int64_t n, std::int64_t step)
{
    thinRest<T>(from, to, n, step);
}

template <class T>
void turn(const TurnedRows& t)
{
    turnRest<T>(t, 0);
}

template <class T>
void deal(const TurnedRows& t)
{
    turnRest<T>(t, 0);
}

#else

template <class D>
constexpr std::int64_t lanesOf = static_cast<std::int64_t>(hn::MaxLanes(D()));
template <class D>
constexpr auto sizeOf = static_cast<std::int64_t>(sizeof(hn::TFromD<D>));

/// 16 bytes of every side-th row from one on, as many as fill a vector.
template <class D>
HWY_INLINE hn::Vec<D> loadRows(D d, const std::byte* from, std::int64_t pitch)
{
    if constexpr (lanesOf<D> * sizeOf<D> <= 16) {
        (void)pitch;
        return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(from));
    } else {
        const hn::Half<D> half;
        return hn::Combine(d, loadRows(half, from + lanesOf<D> / 2 * pitch, pitch), loadRows(half, from, pitch));
    }
}

/// The columns of 16 bytes of as many rows as a vector has lanes: within 16 bytes, after log2(side) times taking the first half
/// of the rows and the second in turn, rows are columns.
template <class D>
HWY_INLINE void turnBlock(D d, const std::byte* from, std::int64_t pitch, hn::Vec<D> (&block)[16 / sizeOf<D>])
{
    constexpr auto side = static_cast<int>(16 / sizeOf<D>);
#pragma GCC unroll 16
    for (int i = 0; i < side; ++i)
        block[i] = loadRows(d, from + i * pitch, pitch);
#pragma GCC unroll 4
    for (int step = 1; step < side; step *= 2) {
        hn::Vec<D> next[side];
#pragma GCC unroll 8
        for (int i = 0; i < side / 2; ++i) {
            next[2 * i] = hn::InterleaveLower(d, block[i], block[i + side / 2]);
            next[2 * i + 1] = hn::InterleaveUpper(d, block[i], block[i + side / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < side; ++i)
            block[i] = next[i];
    }
}

/// Rows [first, end) but for the last that are fewer than a vector has lanes; returns the first of those.
template <class D>
HWY_INLINE std::int64_t turnVectors(D d, const TurnedRows& t, std::int64_t first, std::int64_t end)
{
    using T = hn::TFromD<D>;
    constexpr std::int64_t side = 16 / sizeOf<D>;
    for (; first + lanesOf<D> <= end; first += lanesOf<D>)
        for (std::int64_t column = 0; column < t.columns; column += side) {
            hn::Vec<D> block[side];
            turnBlock(d, t.rows + first * t.pitch + column * sizeOf<D>, t.pitch, block);
            std::byte* const to = t.to + first * sizeOf<D>;
            const std::int64_t* const offsets = t.offsets + column;
            if (column + side <= t.columns) {
#pragma GCC unroll 16
                for (std::int64_t i = 0; i < side; ++i)
                    hn::StoreU(block[i], d, reinterpret_cast<T*>(to + offsets[i]));
            } else {
                for (std::int64_t i = 0; column + i < t.columns; ++i)
                    hn::StoreU(block[i], d, reinterpret_cast<T*>(to + offsets[i]));
            }
        }
    return first;
}

/// Calls use(d, first, end) for vectors of all rows, some of them twice rather than one by one; returns the first row that is
/// left.
template <class T, class Use>
HWY_INLINE std::int64_t forVectors(const TurnedRows& t, Use use)
{
    constexpr hn::ScalableTag<T> d;
    constexpr hn::CappedTag<T, 16 / sizeof(T)> d16;
    constexpr std::int64_t lanes = lanesOf<decltype(d)>;
    constexpr std::int64_t few = lanesOf<decltype(d16)>;
    if (t.count >= lanes) {
        const std::int64_t row = use(d, 0, t.count);
        return row < t.count ? use(d, t.count - lanes, t.count) : row;
    }
    const std::int64_t row = use(d16, 0, t.count);
    return row < t.count && t.count >= few ? use(d16, t.count - few, t.count) : row;
}

template <class T>
void turn(const TurnedRows& t)
{
    turnRest<T>(t, forVectors<T>(t, [&](auto d, std::int64_t first, std::int64_t end)
                                        HWY_ATTR { return turnVectors(d, t, first, end); }));
}

/// As turnVectors(), of rows of `width` elements: after log2(width) times taking every second element, columns lie together.
template <int width, bool isOne, class D>
HWY_INLINE std::int64_t dealVectors(D d, const TurnedRows& t, std::int64_t first, std::int64_t end)
{
    using T = hn::TFromD<D>;
    for (; first + lanesOf<D> <= end; first += lanesOf<D>) {
        const T* const from = reinterpret_cast<const T*>(t.rows) + first * width;
        hn::Vec<D> block[width];
#pragma GCC unroll 16
        for (int i = 0; i < width; ++i)
            block[i] = hn::LoadU(d, from + i * lanesOf<D>);
#pragma GCC unroll 4
        for (int step = 1; step < width; step *= 2) {
            hn::Vec<D> next[width];
#pragma GCC unroll 8
            for (int i = 0; i < width / 2; ++i) {
                next[i] = hn::ConcatEven(d, block[2 * i + 1], block[2 * i]);
                if constexpr (!isOne)
                    next[i + width / 2] = hn::ConcatOdd(d, block[2 * i + 1], block[2 * i]);
            }
#pragma GCC unroll 16
            for (int i = 0; i < (isOne ? width / 2 : width); ++i)
                block[i] = next[i];
        }
        std::byte* const to = t.to + first * sizeOf<D>;
        if constexpr (isOne)
            hn::StoreU(block[0], d, reinterpret_cast<T*>(to + t.offsets[0]));
        for (std::int64_t i = 0; !isOne && i < t.columns; ++i)
            hn::StoreU(block[i], d, reinterpret_cast<T*>(to + t.offsets[i]));
    }
    return first;
}

template <int width, class T>
void dealRows(const TurnedRows& t)
{
    const bool isOne = t.columns == 1;
    turnRest<T>(t, forVectors<T>(t, [&](auto d, std::int64_t first, std::int64_t end) HWY_ATTR {
                    return isOne ? dealVectors<width, true>(d, t, first, end) : dealVectors<width, false>(d, t, first, end);
                }));
}

template <class T>
void deal(const TurnedRows& t)
{
    const std::int64_t width = t.pitch / static_cast<std::int64_t>(sizeof(T));
    if (width == 2)
        return dealRows<2, T>(t);
    if constexpr (sizeof(T) <= 4)
        if (width == 4)
            return dealRows<4, T>(t);
    if constexpr (sizeof(T) <= 2)
        if (width == 8)
            return dealRows<8, T>(t);
    turn<T>(t);
}

/// The element of each `step` that lies `first` elements behind its begin, as many as a vector has lanes.
template <int step, int first, class D>
HWY_INLINE hn::Vec<D> loadThinned(D d, const hn::TFromD<D>* from)
{
    if constexpr (step == 2) {
        const auto a = hn::LoadU(d, from);
        const auto b = hn::LoadU(d, from + lanesOf<D>);
        return first == 0 ? hn::ConcatEven(d, b, a) : hn::ConcatOdd(d, b, a);
    } else {
        hn::Vec<D> a;
        hn::Vec<D> b;
        hn::Vec<D> c;
        hn::LoadInterleaved3(d, from, a, b, c);
        return first == 0 ? a : c;
    }
}

/// More elements than a vector has lanes; the last vector takes some of them again.
template <int step, class D>
HWY_INLINE void thinVectors(D d, const hn::TFromD<D>* from, hn::TFromD<D>* to, std::int64_t n)
{
    std::int64_t i = 0;
    for (; i + lanesOf<D> < n; i += lanesOf<D>)
        hn::StoreU(loadThinned<step, 0>(d, from + step * i), d, to + i);
    i = n - lanesOf<D>;
    hn::StoreU(loadThinned<step, step - 1>(d, from + step * i - (step - 1)), d, to + i);
}

template <class T>
void thin(const std::byte* from, std::byte* to, std::int64_t n, std::int64_t step)
{
    constexpr hn::ScalableTag<T> d;
    constexpr hn::CappedTag<T, 16 / sizeof(T)> d16;
    const auto vectors = [&](auto tag) HWY_ATTR {
        const auto* const first = reinterpret_cast<const T*>(from);
        auto* const out = reinterpret_cast<T*>(to);
        step == 2 ? thinVectors<2>(tag, first, out, n) : thinVectors<3>(tag, first, out, n);
    };
    if (n > lanesOf<decltype(d)>)
        vectors(d);
    else if (n > lanesOf<decltype(d16)>)
        vectors(d16);
    else
        thinRest<T>(from, to, n, step);
}

#endif

const TurnTable* turnTable()
{
    static constexpr TurnTable table{{turn<std::uint8_t>, deal<std::uint8_t>, thin<std::uint8_t>},
                                     {turn<std::uint16_t>, deal<std::uint16_t>, thin<std::uint16_t>},
                                     {turn<std::uint32_t>, deal<std::uint32_t>, thin<std::uint32_t>},
                                     {turn<std::uint64_t>, deal<std::uint64_t>, thin<std::uint64_t>}};
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(turnTable);

const TurnKernels& turnKernels(int itemSize)
{
    const TurnTable& table = *HWY_DYNAMIC_DISPATCH(turnTable)();
    return itemSize == 1 ? table.ofBytes1 : itemSize == 2 ? table.ofBytes2 : itemSize == 4 ? table.ofBytes4 : table.ofBytes8;
}

} // namespace core
#endif

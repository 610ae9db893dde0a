// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/row_copy.h"

#include "core/engine/kernels_turn.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace core {
namespace {

/// Vectors of 16 bytes.
template <class T>
struct Lanes
{
    static constexpr int count = 16 / sizeof(T);
    using Vector __attribute__((vector_size(16))) = T;

    template <int... i>
    static Vector reverse(Vector a, std::integer_sequence<int, i...>)
    {
        return __builtin_shufflevector(a, a, (count - 1 - i)...);
    }

    /// Every second element of two vectors that follow each other.
    template <int... i>
    static Vector even(Vector a, Vector b, std::integer_sequence<int, i...>)
    {
        return __builtin_shufflevector(a, b, (2 * i)...);
    }

    static Vector load(const std::byte* from)
    {
        Vector vector;
        std::memcpy(&vector, from, sizeof vector);
        return vector;
    }
};

template <class T>
constexpr auto sizeOf = static_cast<std::int64_t>(sizeof(T));

template <class T>
void fill(const std::byte* from, std::byte* to, std::int64_t n)
{
    constexpr std::int64_t together = 64 / sizeOf<T>;
    std::byte values[64];
    for (std::int64_t i = 0; i < together; ++i)
        std::memcpy(values + i * sizeOf<T>, from, sizeof(T));
    std::int64_t i = 0;
    for (; i + together <= n; i += together)
        std::memcpy(to + i * sizeOf<T>, values, sizeof values);
    for (; i < n; ++i)
        std::memcpy(to + i * sizeOf<T>, values, sizeof(T));
}

/// Whole vectors of a row that is written backwards; returns how many elements.
template <class T>
std::int64_t copyBackwards(const std::byte* from, std::byte* to, std::int64_t n)
{
    constexpr std::int64_t step = sizeof(T) == 1 ? 8 : Lanes<T>::count;
    std::int64_t i = 0;
    for (; i + step <= n; i += step)
        if constexpr (sizeof(T) == 1) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, from + i, sizeof bytes);
            bytes = __builtin_bswap64(bytes);
            std::memcpy(to - i - 7, &bytes, sizeof bytes);
        } else {
            const auto vector =
                Lanes<T>::reverse(Lanes<T>::load(from + i * sizeOf<T>), std::make_integer_sequence<int, Lanes<T>::count>());
            std::memcpy(to - (i + step - 1) * sizeOf<T>, &vector, sizeof vector);
        }
    return i;
}

/// Whole vectors of every second element; returns how many elements.
template <class T>
std::int64_t copyEven(const std::byte* from, std::byte* to, std::int64_t n)
{
    using L = Lanes<T>;
    constexpr std::make_integer_sequence<int, L::count> all;
    std::int64_t i = 0;
    // What follows the last element may not be there.
    for (; i + L::count < n; i += L::count) {
        const auto vector = L::even(L::load(from + 2 * i * sizeOf<T>), L::load(from + (2 * i + L::count) * sizeOf<T>), all);
        std::memcpy(to + i * sizeOf<T>, &vector, sizeof vector);
    }
    return i;
}

/// Elements at short steps; returns how many.
template <class T>
std::int64_t copyStepped(const std::byte* from, std::byte* to, std::int64_t n, std::int64_t step)
{
    if constexpr (sizeof(T) > 2)
        if (step == 2)
            return copyEven<T>(from, to, n);
    if (step == 2 || step == 3) {
        turnKernels(sizeof(T)).thin(from, to, n, step);
        return n;
    }
    constexpr std::int64_t mostBytes = sizeof(T) == 1 ? 8 : 16;
    if (n <= Lanes<T>::count || (step != 4 && step != 8) || step * sizeOf < T >> mostBytes)
        return 0;
    const std::int64_t offset = 0;
    turnKernels(sizeof(T)).deal({from, step * sizeOf<T>, n - 1, 1, to, &offset});
    return n - 1;
}

} // namespace

template <class T>
void copyElements(const std::byte* from, std::byte* to, const CopyAxis& axis)
{
    const std::int64_t fromStep = axis.fromStride * sizeOf<T>;
    const std::int64_t toStep = axis.toStride * sizeOf<T>;
    // Steps over lines are too long for the processor to foresee.
    constexpr std::int64_t ahead = 16;
    const bool isFar = std::abs(fromStep) >= 64;
    for (std::int64_t i = 0; i < axis.extent; ++i, from += fromStep, to += toStep) {
        if (isFar)
            __builtin_prefetch(from + ahead * fromStep);
        std::memcpy(to, from, sizeof(T));
    }
}

template <class T>
void copyRow(const std::byte* from, std::byte* to, const CopyAxis& axis)
{
    if (axis.toStride == 1 && axis.fromStride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(axis.extent * sizeOf<T>));
        return;
    }
    if (axis.toStride == 1 && axis.fromStride == 0)
        return fill<T>(from, to, axis.extent);
    std::int64_t done = 0;
    if constexpr (sizeof(T) <= 8) {
        if (axis.toStride == -1 && axis.fromStride == 1)
            done = copyBackwards<T>(from, to, axis.extent);
        if (axis.toStride == 1)
            done = copyStepped<T>(from, to, axis.extent, axis.fromStride);
    }
    copyElements<T>(from + done * axis.fromStride * sizeOf<T>, to + done * axis.toStride * sizeOf<T>,
                    {axis.extent - done, axis.fromStride, axis.toStride});
}

#define ACTISCOPE_INSTANTIATE(T)                                                                                               \
    template void copyRow<T>(const std::byte*, std::byte*, const CopyAxis&);                                                   \
    template void copyElements<T>(const std::byte*, std::byte*, const CopyAxis&);
ACTISCOPE_INSTANTIATE(std::uint8_t)
ACTISCOPE_INSTANTIATE(std::uint16_t)
ACTISCOPE_INSTANTIATE(std::uint32_t)
ACTISCOPE_INSTANTIATE(std::uint64_t)
ACTISCOPE_INSTANTIATE(Bytes16)

} // namespace core

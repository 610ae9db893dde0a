// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/strided_source.h"

#include "core/io/buffer.h"
#include "core/io/byte_swap.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace core::io {

namespace {

/// Elements between two looks at the stop token.
constexpr std::int64_t pieceElements = std::int64_t{1} << 18;

/// Bytes of the numbers that an element consists of: complex ones have two.
/// Negates integers of any width by two's complement, as C++ does with unsigned ones.
template <class T>
void negateIntegers(std::span<std::byte> bytes)
{
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof(T));
        value = static_cast<T>(0U - value);
        std::memcpy(bytes.data() + at, &value, sizeof(T));
    }
}

/// Flips the sign bit of every `step`-th floating-point number of `size` bytes, from number `first` on.
void flipSigns(std::span<std::byte> bytes, std::size_t size, std::size_t first, std::size_t step)
{
    for (std::size_t at = first * size; at + size <= bytes.size(); at += step * size)
        bytes[at + size - 1] ^= std::byte{0x80};
}

void negate(std::span<std::byte> bytes, DType dtype)
{
    if (isFloating(dtype) || isComplex(dtype))
        return flipSigns(bytes, swapUnit(dtype), 0, 1);
    switch (itemSize(dtype)) {
    case 1:
        return negateIntegers<std::uint8_t>(bytes);
    case 2:
        return negateIntegers<std::uint16_t>(bytes);
    case 4:
        return negateIntegers<std::uint32_t>(bytes);
    default:
        return negateIntegers<std::uint64_t>(bytes);
    }
}

} // namespace

ByteRange StridedSource::reach() const
{
    if (elementCount(shape) == 0)
        return {};
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        std::int64_t step = 0;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
            __builtin_add_overflow(step < 0 ? low : high, step, step < 0 ? &low : &high))
            throw Error("its strides reach past every possible storage");
    }
    const __int128 size = itemSize(dtype);
    const __int128 first = byteOffset + low * size;
    const __int128 end = byteOffset + (static_cast<__int128>(high) + 1) * size;
    if (first < 0 || end > INT64_MAX)
        throw Error(first < 0 ? "it begins before its storage" : "it ends past every possible storage");
    return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)};
}

void StridedSource::check(std::int64_t storageBytes) const
{
    constexpr std::size_t shownExtents = 8;
    const std::span<const std::int64_t> shown(shape.data(), std::min(shape.size(), shownExtents));
    try {
        if (shape.size() > maxRank)
            throw Error(fmt::format("it has {} axes, more than {}", shape.size(), maxRank));
        if (strides.size() != shape.size())
            throw Error(fmt::format("it has {} axes but {} strides", shape.size(), strides.size()));
        if (byteOffset < 0)
            throw Error("it begins before its storage");
        checkedProduct(elementCount(shape), itemSize(dtype));
        const ByteRange range = reach();
        if (range.end > storageBytes)
            throw Error(fmt::format("it needs bytes up to {} of a storage of {}", range.end, storageBytes));
    } catch (const Error& error) {
        throw Error(fmt::format("{}: the tensor of shape {} does not fit: {}; the file is damaged or hostile, save it again",
                                record.subject(), shapeText(shown), error.what()));
    }
}

std::int64_t StridedSource::bytes() const
{
    return checkedProduct(elementCount(shape), itemSize(dtype));
}

bool StridedSource::needsCopy() const
{
    return isConjugate || isNegative || (record.order() == ByteOrder::big && swapUnit(dtype) > 1);
}

Tensor StridedSource::load(const Job& job) const
{
    const Storage whole = record.load(job);
    if (!needsCopy())
        return Tensor(dtype, shape, strides, whole, byteOffset);
    const ByteRange range = reach();
    const std::int64_t size = range.end - range.first;
    if (size > budgetBytes)
        throw Error(fmt::format("{}: converting its tensor takes {} bytes, more than the {} that one entry may take; save the "
                                "tensor in this machine's byte order, without lazy views",
                                record.subject(), size, budgetBytes));
    const Buffer buffer(static_cast<std::size_t>(size), record.subject());
    const std::int64_t step = pieceElements * itemSize(dtype);
    for (std::int64_t at = 0; at < size; at += step) {
        job.report(static_cast<double>(at) / static_cast<double>(size));
        const auto length = static_cast<std::size_t>(std::min(step, size - at));
        const auto piece = buffer.bytes().subspan(static_cast<std::size_t>(at), length);
        std::memcpy(piece.data(), whole.bytes.data() + range.first + at, length);
        if (record.order() == ByteOrder::big)
            swapNumbers(piece, piece.data(), swapUnit(dtype));
        if (isConjugate)
            flipSigns(piece, swapUnit(dtype), 1, 2);
        if (isNegative)
            negate(piece, dtype);
    }
    // A mapped file that changed meanwhile must not pass as good.
    whole.verify();
    return Tensor(dtype, shape, strides, buffer.storage(), byteOffset - range.first);
}

} // namespace core::io

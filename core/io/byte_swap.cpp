// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/byte_swap.h"

#include "core/io/buffer.h"

#include <algorithm>
#include <cstring>

namespace core::io {

namespace {

template <class T>
T reversed(T value)
{
    if constexpr (sizeof(T) == 8)
        return __builtin_bswap64(value);
    else if constexpr (sizeof(T) == 4)
        return __builtin_bswap32(value);
    else if constexpr (sizeof(T) == 2)
        return __builtin_bswap16(value);
    else
        return value;
}

template <class T>
void swapEach(std::span<const std::byte> from, std::byte* to)
{
    for (std::size_t i = 0; i + sizeof(T) <= from.size(); i += sizeof(T)) {
        T value;
        std::memcpy(&value, from.data() + i, sizeof(T));
        value = reversed(value);
        std::memcpy(to + i, &value, sizeof(T));
    }
}

} // namespace

int swapUnit(DType dtype)
{
    return isComplex(dtype) ? itemSize(dtype) / 2 : itemSize(dtype);
}

void swapNumbers(std::span<const std::byte> from, std::byte* to, int unit)
{
    switch (unit) {
    case 8:
        return swapEach<std::uint64_t>(from, to);
    case 4:
        return swapEach<std::uint32_t>(from, to);
    case 2:
        return swapEach<std::uint16_t>(from, to);
    default:
        std::memmove(to, from.data(), from.size());
    }
}

Storage swapBytes(std::span<const std::byte> bytes, int unit, const std::string& subject, const Job& job)
{
    constexpr std::size_t piece = 4 << 20;
    const Buffer buffer(bytes.size() - bytes.size() % unit, subject);
    for (std::size_t at = 0; at < buffer.bytes().size(); at += piece) {
        job.report(static_cast<double>(at) / static_cast<double>(bytes.size()));
        const auto from = bytes.subspan(at, std::min(piece, buffer.bytes().size() - at));
        std::byte* const to = buffer.bytes().data() + at;
        swapNumbers(from, to, unit);
    }
    return buffer.storage();
}

} // namespace core::io

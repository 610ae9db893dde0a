// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/values.h"

namespace gpu {

/// Calls work(S{}) with the type of stored values.
template <class Work>
auto withStored(Stored type, Work work)
{
    switch (type) {
    case Stored::u8:
        return work(std::uint8_t{});
    case Stored::i8:
        return work(std::int8_t{});
    case Stored::u16:
        return work(std::uint16_t{});
    case Stored::i16:
        return work(std::int16_t{});
    case Stored::u32:
        return work(std::uint32_t{});
    case Stored::i32:
        return work(std::int32_t{});
    case Stored::u64:
        return work(std::uint64_t{});
    case Stored::i64:
        return work(std::int64_t{});
    case Stored::f8:
        return work(Float8{});
    case Stored::f16:
        return work(Half{});
    case Stored::bf16:
        return work(BFloat16{});
    case Stored::f32:
        return work(float{});
    default:
        return work(double{});
    }
}

/// The same with an unsigned integer of the type's size.
template <class Work>
auto withSize(Stored type, Work work)
{
    const auto bytes = withStored(type, [](auto stored) { return sizeof stored; });
    switch (bytes) {
    case 1:
        return work(std::uint8_t{});
    case 2:
        return work(std::uint16_t{});
    case 4:
        return work(std::uint32_t{});
    default:
        return work(std::uint64_t{});
    }
}

} // namespace gpu

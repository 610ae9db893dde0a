// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"

#include <cstdint>

namespace core {

/// Instantiate something for every stored type of a kind.
#define ACTISCOPE_EACH_INTEGER(apply)                                                                                          \
    apply(std::uint8_t) apply(std::int8_t) apply(std::uint16_t) apply(std::int16_t) apply(std::uint32_t) apply(std::int32_t)   \
        apply(std::uint64_t) apply(std::int64_t)
#define ACTISCOPE_EACH_FLOAT(apply) apply(core::Half) apply(core::BFloat16) apply(float) apply(double)
#define ACTISCOPE_EACH_STORED(apply) ACTISCOPE_EACH_INTEGER(apply) ACTISCOPE_EACH_FLOAT(apply)

/// One Entry<Stored> for every stored type: a table of kernels, filled once per vector target.
/// `table.template of<Stored>()` is the entry of a type.
template <template <class> class Entry>
struct StoredTable : Entry<std::uint8_t>,
                     Entry<std::int8_t>,
                     Entry<std::uint16_t>,
                     Entry<std::int16_t>,
                     Entry<std::uint32_t>,
                     Entry<std::int32_t>,
                     Entry<std::uint64_t>,
                     Entry<std::int64_t>,
                     Entry<Half>,
                     Entry<BFloat16>,
                     Entry<float>,
                     Entry<double>
{
    template <class Stored>
    constexpr const Entry<Stored>& of() const
    {
        return *this;
    }
};

} // namespace core

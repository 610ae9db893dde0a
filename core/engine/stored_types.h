// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"

#include <cstdint>

namespace core {

/// Applies a macro to every stored type of a kind.
#define ACTISCOPE_EACH_INTEGER(apply)                                                                                          \
    apply(std::uint8_t) apply(std::int8_t) apply(std::uint16_t) apply(std::int16_t) apply(std::uint32_t) apply(std::int32_t)   \
        apply(std::uint64_t) apply(std::int64_t)
#define ACTISCOPE_EACH_FLOAT(apply) apply(core::Half) apply(core::BFloat16) apply(float) apply(double)
#define ACTISCOPE_EACH_STORED(apply) ACTISCOPE_EACH_INTEGER(apply) ACTISCOPE_EACH_FLOAT(apply)

/// One Entry<Stored> for every stored type: a table of kernels, filled once per vector target.
/// `table.of<Stored>()` is the entry of a type.
template <template <class> class Entry, class, class... Stored>
struct TableOf : Entry<Stored>...
{
    template <class One>
    constexpr const Entry<One>& of() const
    {
        return *this;
    }
};
#define ACTISCOPE_LISTED(Stored) , Stored
template <template <class> class Entry>
using StoredTable = TableOf<Entry, void ACTISCOPE_EACH_STORED(ACTISCOPE_LISTED)>;
#undef ACTISCOPE_LISTED

} // namespace core

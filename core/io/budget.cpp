// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader.h"
#include "core/machine.h"

namespace core::io {

std::int64_t entryBudget(const Limits& limits)
{
    return limits.budgetBytes > 0 ? limits.budgetBytes : machineBytes() / 4;
}

} // namespace core::io

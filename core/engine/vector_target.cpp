// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"

#include <hwy/highway.h>

#include <bit>

namespace core {

std::string vectorTarget()
{
    // Highway numbers better targets lower.
    const auto usable = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS);
    return hwy::TargetName(std::int64_t{1} << std::countr_zero(usable));
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace support {

/// The vector targets that were compiled and that this machine can run, best first.
inline std::vector<std::int64_t> vectorTargets()
{
    std::vector<std::int64_t> targets;
    for (auto left = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS); left; left &= left - 1)
        targets.push_back(static_cast<std::int64_t>(left & -left));
    return targets;
}

/// Holds the kernels to one vector target while it lives.
class HeldTarget
{
public:
    explicit HeldTarget(std::int64_t target)
    {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(target);
    }

    ~HeldTarget()
    {
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }

    HeldTarget(const HeldTarget&) = delete;
    HeldTarget& operator=(const HeldTarget&) = delete;
};

} // namespace support

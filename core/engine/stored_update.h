// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/hot_test.h"
#include "core/engine/kernels_select.h"

#include <functional>

namespace core {

/// An update of a tensor's elements as stored, of any dtype, made ready for a condition. Thread safe.
class StoredUpdate
{
public:
    /// Keeps a reference to the test. Throws Error as SelectQuery says.
    StoredUpdate(const SelectQuery& query, const HotTest& test, DType dtype);

    /// Copies a run of a channel, its hot elements updated.
    HitCounts operator()(const UpdateRun& run, std::int64_t channel) const { return m_update(run, channel); }

private:
    std::function<HitCounts(const UpdateRun&, std::int64_t)> m_update;
};

} // namespace core

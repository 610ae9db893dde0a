// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/hot_test.h"
#include "core/engine/kernels_select.h"
#include "core/engine/parallel.h"

#include <functional>
#include <span>

namespace core {

/// Elements of many planes that take turns in memory, whose column is their place modulo conditions.size().
struct UpdateColumns
{
    UpdateRun run;
    /// Which of the test's conditions each column has.
    std::span<const std::uint32_t> conditions;
    /// Hot elements of each column, to which those of the run are added.
    std::uint32_t* before = nullptr;
    std::uint32_t* after = nullptr;
};

/// An update of a tensor's elements as stored, of any dtype, made ready for a condition. Thread safe.
class StoredUpdate
{
public:
    /// Keeps a reference to the test. Throws Error as SelectQuery says.
    StoredUpdate(const SelectQuery& query, const HotTest& test, DType dtype);

    /// Copies a run of a channel, its hot elements updated.
    HitCounts operator()(const UpdateRun& run, std::int64_t channel) const
    {
        return m_updates.run(run, m_test.conditionOf(channel));
    }
    /// Copies a run of many planes, its hot elements updated; takes slots of `scratch` from `slot` on, two of them.
    void operator()(const UpdateColumns& columns, Scratch& scratch, std::size_t slot) const
    {
        m_updates.columns(columns, scratch, slot);
    }

    /// The same for one dtype.
    struct Updates
    {
        std::function<HitCounts(const UpdateRun&, std::size_t condition)> run;
        std::function<void(const UpdateColumns&, Scratch&, std::size_t)> columns;
    };

private:
    const HotTest& m_test;
    Updates m_updates;
};

} // namespace core

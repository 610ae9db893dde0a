// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/element_update.h"
#include "core/engine/kernels.h"

namespace core {

/// Hot elements before an update, and after it.
struct HitCounts
{
    std::int64_t before = 0;
    std::int64_t after = 0;
};

/// One run of elements, and where they go.
struct UpdateRun
{
    const std::byte* values = nullptr;
    /// For Update::replace; else null.
    const std::byte* other = nullptr;
    std::int64_t elements = 0;
    /// May be `values`: only what changes is then written.
    std::byte* to = nullptr;
    /// Past the caches, until endStreams(): `to` is not read soon, and is not `values`.
    bool streams = false;
};

/// Copies a run, its hot elements updated.
template <class Stored>
HitCounts updateHot(const UpdateRun& run, const Predicate<CompareOf<Stored>>& predicate,
                    const ElementUpdate<CompareOf<Stored>>& update);

/// Copies bytes past the caches, until endStreams().
void streamBytes(const std::byte* from, std::int64_t bytes, std::byte* to);

/// Waits until what this thread wrote past the caches is there for others: once for many runs, since it takes as long as a
/// short one.
void endStreams();

} // namespace core

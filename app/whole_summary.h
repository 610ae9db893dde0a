// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/engine/engine.h"

namespace app {

/// What one line says of a whole tensor: `analyze --all` and the summaries of Contents, which therefore agree.
struct WholeSummary
{
    core::Statistics statistics;
    std::int64_t channels = 0;
    /// Channels whose values, in all batch items, are all 0.
    std::int64_t deadChannels = 0;
};

/// All of an entry under the layout that its rank suggests.
core::Selection defaultSelection(const core::Entry& entry);

/// Summarizes a tensor taken in under defaultSelection(). Throws core::Error, core::Cancelled.
WholeSummary summarize(const core::LoadedTensor& tensor, const core::Job& job);
/// The same of statistics that are there already: per plane, batch-major, and of all.
WholeSummary summarize(const core::Extents& extents, const std::vector<core::Statistics>& planes, core::Statistics total);

} // namespace app

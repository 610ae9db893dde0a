// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/whole_summary.h"

#include <utility>

namespace app {

core::Selection defaultSelection(const core::Entry& entry)
{
    return core::Selection::all(core::Layout::guess(static_cast<int>(entry.shape.size()), entry.isImage));
}

WholeSummary summarize(const core::LoadedTensor& tensor, const core::Job& job)
{
    return summarize(tensor.extents(), tensor.planeStatistics(job), tensor.statistics(job));
}

WholeSummary summarize(const core::Extents& extents, const std::vector<core::Statistics>& planes, core::Statistics total)
{
    WholeSummary summary{std::move(total), extents.channels, 0};
    const auto isZero = [&](std::int64_t batch, std::int64_t channel) {
        const auto& plane = planes[static_cast<std::size_t>(batch * extents.channels + channel)];
        return plane.elements > 0 && plane.zeros == plane.elements;
    };
    for (std::int64_t channel = 0; channel < extents.channels; ++channel) {
        bool isDead = extents.batches > 0;
        for (std::int64_t batch = 0; isDead && batch < extents.batches; ++batch)
            isDead = isZero(batch, channel);
        summary.deadChannels += isDead;
    }
    return summary;
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/row_stream.h"

#include "core/engine/kernels.h"

#include <algorithm>
#include <cstdlib>

namespace core {
namespace {

/// Elements whose marks, a bit each, are kept until all of them are listed.
constexpr std::int64_t mostMarked = std::int64_t{1} << 32;

/// A grid whose planes are stretches of own order, and whose channels are the steps along the axis that is nearest in memory;
/// where they are few, its batch items, and the next axis' steps its channels. Nothing where stretches are short or near by
/// themselves.
std::optional<PlaneGrid> stretchesOf(const PlaneGrid& grid)
{
    const auto axes = grid.own.axes();
    std::size_t near = 0;
    for (std::size_t i = 1; i < axes.size(); ++i)
        if (axes[i].stride != 0 && (axes[near].stride == 0 || std::abs(axes[i].stride) < std::abs(axes[near].stride)))
            near = i;
    // A segment holds several of them otherwise.
    constexpr std::int64_t shortest = segmentElements / 16;
    const auto elementsWithin = [&](std::size_t axis) {
        return axis + 1 < axes.size() ? elementsOf(axes.subspan(axis + 1)) : 1;
    };
    if (elementsWithin(near) <= shortest || grid.own.elements() == 0)
        return std::nullopt;
    PlaneGrid stretches = grid;
    stretches.extents = {};
    const bool hasTwo = axes[near].extent * itemSize(grid.dtype) < 64 && elementsWithin(near + 1) > shortest &&
                        axes[near].extent * elementsWithin(near) <= mostMarked;
    stretches.batchStride = hasTwo ? axes[near].stride : 0;
    stretches.extents.batches = hasTwo ? axes[near].extent : 1;
    near += hasTwo ? 1 : 0;
    stretches.channelStride = axes[near].stride;
    stretches.extents.channels = axes[near].extent;
    const auto within = axes.subspan(near + 1);
    stretches.plane = StridedOrder({within.begin(), within.end()});
    stretches.extents.width = stretches.plane.elements();
    return stretches;
}

/// Lists rows in order for a sink.
class RowStream
{
public:
    RowStream(const RowLister& lister, bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers,
              const Job& job)
        : m_lister(lister), m_grid(lister.grid()), m_values(values), m_sink(sink), m_workers(workers), m_job(job)
    {
    }

    /// Segment by segment as they come in own order.
    void run()
    {
        const auto mark = [this](RowSegment& segment, Scratch& scratch) { return m_lister.markSegment(segment, scratch); };
        const std::int64_t end = m_grid.own.elements();
        for (std::int64_t position = 0; position < end;) {
            if (!deliver(position, end, mark))
                return;
            m_job.report(static_cast<double>(position) / static_cast<double>(end));
        }
    }

    /// The same where what is near in memory is far apart in own order: several stretches of own order are read together.
    void runTogether(const PlaneGrid& stretches)
    {
        const std::int64_t length = stretches.extents.planeElements();
        const std::int64_t words = maskWords(length);
        const std::int64_t all = m_grid.own.elements() / length;
        std::vector<std::uint64_t> marked;
        for (std::int64_t place = 0; place < all;) {
            const std::int64_t begin = place;
            const auto markedBefore = [&](RowSegment& segment, Scratch&) {
                const std::uint64_t* const at =
                    marked.data() + (segment.first / length - begin) * words + segment.first % length / 64;
                segment.seen = nullptr;
                segment.rows = countMask(at, maskWords(segment.elements));
                return at;
            };
            for (const std::int64_t end = place + markNext(stretches, place, marked); place < end; ++place)
                for (std::int64_t position = place * length; position < (place + 1) * length;)
                    if (!deliver(position, (place + 1) * length, markedBefore))
                        return;
            m_job.report(static_cast<double>(place) / static_cast<double>(all));
        }
    }

private:
    using Mark = std::function<const std::uint64_t*(RowSegment&, Scratch&)>;

    /// All rows of the next segments from `position` on, which is moved past them; mark(segment, scratch) marks one and counts
    /// its rows. False: the sink stopped.
    bool deliver(std::int64_t& position, std::int64_t end, const Mark& mark)
    {
        cutSegments(position, end, segmentElements, m_workers.threads() * segmentsAhead, m_segments);
        m_workers.forEach(std::ssize(m_segments), {m_job.stop, {}}, [&](std::int64_t item, Scratch& scratch) {
            RowSegment& segment = m_segments[static_cast<std::size_t>(item)];
            const std::uint64_t* const marked = mark(segment, scratch);
            m_lister.list(segment, marked, 0, segment.rows, m_values, scratch);
        });
        position = m_segments.back().first + m_segments.back().elements;
        for (const RowSegment& segment : m_segments)
            if (segment.rows > 0 && !m_sink({segment.indices, segment.values, segment.rows}))
                return false;
        return true;
    }

    /// Marks the next stretches, from one of them on: maskWords() words each. Returns how many.
    std::int64_t markNext(const PlaneGrid& stretches, std::int64_t place, std::vector<std::uint64_t>& marked)
    {
        const std::int64_t length = stretches.extents.planeElements();
        const std::int64_t words = maskWords(length);
        const std::int64_t planes = stretches.extents.planes();
        PlaneGrid here = stretches;
        const std::int64_t batch = place % planes / here.extents.channels;
        const std::int64_t channel = place % here.extents.channels;
        here.base +=
            (m_grid.own.offsetOf(place / planes * planes * length) + batch * here.batchStride + channel * here.channelStride) *
            itemSize(here.dtype);
        if (here.extents.batches == 1)
            here.extents.channels -= channel;
        const BlockReader reader(here, m_lister.test().complexView());
        const BlockPlan plan = reader.plan();
        if (here.extents.batches == 1)
            here.extents.channels =
                std::min(here.extents.channels, std::clamp(mostMarked / length, std::int64_t{1}, plan.channels));
        marked.resize(static_cast<std::size_t>(here.extents.planes() * words));
        forEachPlace(reader, plan, m_workers, {m_job.stop, {}}, [&](const BlockPlace& block, Scratch& scratch) {
            const ValueBlock found = reader.read(block, scratch);
            for (std::int64_t b = 0; b < block.batches; ++b)
                for (std::int64_t c = 0; c < block.channels; ++c) {
                    const std::int64_t stretch = (block.batch + b) * here.extents.channels + block.channel + c;
                    m_lister.mark(found.values + found.at(b, c) * seenSize(here.dtype),
                                  (place + stretch) * length + block.first, block.elements,
                                  marked.data() + stretch * words + block.first / 64);
                }
        });
        return here.extents.planes();
    }

    const RowLister& m_lister;
    const PlaneGrid& m_grid;
    const bool m_values;
    const std::function<bool(const RowBlock&)>& m_sink;
    const Workers& m_workers;
    const Job& m_job;
    std::vector<RowSegment> m_segments;
};

} // namespace

void streamRows(const RowLister& lister, bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers,
                const Job& job)
{
    RowStream rows(lister, values, sink, workers, job);
    const auto stretches = stretchesOf(lister.grid());
    stretches ? rows.runTogether(*stretches) : rows.run();
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"
#include "core/engine/dense_scan.h"
#include "core/engine/dense_tensor.h"
#include "core/engine/kernels_labels.h"
#include "core/engine/label_counter.h"
#include "core/engine/memory_order.h"
#include "core/engine/plane_check.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace core {
namespace {

/// More channels are taken one by one, so that a thread sees a stop.
constexpr std::int64_t mostChannels = 1 << 14;
constexpr std::size_t labelSlot = 2;
constexpr std::size_t largestSlot = 3;

/// Labels of some pixels, whatever the number of channels.
template <class Seen>
void labelByChannel(const BlockReader& reader, BlockPlace place, std::int32_t* labels, Scratch& scratch, const Job& job)
{
    auto* largest = scratch.take<CompareOf<Seen>>(largestSlot, place.elements);
    const std::int64_t channels = place.channels;
    place.channels = 1;
    for (place.channel = 0; place.channel < channels; ++place.channel) {
        if (place.channel % 64 == 0)
            job.check();
        const std::byte* values = reader.read(place, scratch).values;
        for (std::int64_t i = 0; i < place.elements; ++i) {
            Seen seen;
            std::memcpy(&seen, values + i * static_cast<std::int64_t>(sizeof seen), sizeof seen);
            const auto value = toCompare(seen);
            if (place.channel > 0 && !isLarger(value, largest[i]))
                continue;
            largest[i] = value;
            labels[i] = static_cast<std::int32_t>(place.channel);
        }
    }
}

/// One pass over some batch items.
class LabelPass
{
public:
    LabelPass(const PlaneGrid& grid, const LabelQuery& query, const std::shared_ptr<BufferPool>& pool)
        : m_grid(grid), m_reader(grid), m_firstBatch(query.batch.value_or(0)),
          m_batches(query.batch ? 1 : grid.extents.batches), m_elements(grid.extents.planeElements()),
          m_dtype(grid.extents.channels <= 256 ? DType::u8 : DType::i32), m_labels(pool, bytesOf(m_dtype))
    {
        if (query.values)
            m_values.emplace(pool, bytesOf(grid.dtype));
    }

    LabelMap run(const Workers& workers, const Job& job)
    {
        const std::int64_t channels = m_grid.extents.channels;
        BlockNeeds needs;
        if (!m_reader.isDirect())
            needs.add(m_grid);
        const std::int64_t together = channels > mostChannels ? 1 : std::clamp(m_batches, std::int64_t{1}, needs.batches);
        // As many values as the cache holds, where they are copied.
        const std::int64_t copied = (512 << 10) / seenSize(m_grid.dtype);
        const std::int64_t most = m_reader.isDirect() || channels > mostChannels
                                      ? maxTilePixels
                                      : std::clamp(copied / together / channels / 64 * 64, std::int64_t{64}, maxTilePixels);
        const std::int64_t groups = (m_batches + together - 1) / together;
        const std::int64_t pixels = evenTilePixels(m_elements, groups, workers.threads(), most);
        const std::int64_t tiles = (m_elements + pixels - 1) / pixels;
        workers.forEach(groups * tiles, job, [&](std::int64_t item, Scratch& scratch) {
            const std::int64_t first = item % tiles * pixels;
            const std::int64_t batch = item / tiles * together;
            labelItems({m_firstBatch + batch, 0, channels, first, std::min(pixels, m_elements - first),
                        std::min(together, m_batches - batch)},
                       scratch, job);
        });
        Shape shape = planeShape(m_grid.extents);
        shape.insert(shape.begin(), m_batches);
        LabelMap map{Tensor::contiguous(m_dtype, shape, std::move(m_labels).take()), std::nullopt};
        if (m_values)
            map.values = Tensor::contiguous(m_grid.dtype, shape, std::move(*m_values).take());
        return map;
    }

private:
    std::size_t bytesOf(DType dtype) const
    {
        return static_cast<std::size_t>(checkedProduct(checkedProduct(m_batches, m_elements), itemSize(dtype)));
    }

    /// The same pixels of some batch items.
    void labelItems(const BlockPlace& place, Scratch& scratch, const Job& job)
    {
        ValueBlock block;
        if (place.channels <= mostChannels)
            block = m_reader.read(place, scratch);
        auto* const labels = scratch.take<std::int32_t>(labelSlot, place.elements);
        BlockPlace one = place;
        one.batches = 1;
        for (std::int64_t b = 0; b < place.batches; ++b, ++one.batch) {
            withSeenType(m_grid.dtype, [&](auto seen) { label<decltype(seen)>(one, block, labels, scratch, job); });
            write(one, (one.batch - m_firstBatch) * m_elements + one.first, labels);
            block.values += block.batchStride * seenSize(m_grid.dtype);
        }
    }

    template <class Seen>
    void label(const BlockPlace& place, const ValueBlock& block, std::int32_t* labels, Scratch& scratch, const Job& job)
    {
        if (place.channels > mostChannels)
            return labelByChannel<Seen>(m_reader, place, labels, scratch, job);
        labelPixels(LabelTile<Seen>{block.values, place.channels, block.channelStride, place.elements, labels});
    }

    /// Pixels from `target` on of the maps.
    void write(const BlockPlace& place, std::int64_t target, const std::int32_t* labels)
    {
        std::byte* const to = m_labels.data() + target * itemSize(m_dtype);
        if (m_dtype == DType::u8)
            std::transform(labels, labels + place.elements, to, [](std::int32_t label) { return std::byte(label); });
        else
            std::memcpy(to, labels, static_cast<std::size_t>(place.elements) * sizeof *labels);
        if (!m_values)
            return;
        const int size = itemSize(m_grid.dtype);
        std::int64_t i = 0;
        m_grid.plane.forRuns(place.first, place.elements, [&](std::int64_t offset, std::int64_t length, std::int64_t stride) {
            for (const std::int64_t end = i + length; i < end; ++i, offset += stride)
                std::memcpy(m_values->data() + (target + i) * size, m_grid.planeBase(place.batch, labels[i]) + offset * size,
                            static_cast<std::size_t>(size));
        });
    }

    const PlaneGrid& m_grid;
    BlockReader m_reader;
    std::int64_t m_firstBatch;
    std::int64_t m_batches;
    std::int64_t m_elements;
    DType m_dtype;
    PooledStorage m_labels;
    std::optional<PooledStorage> m_values;
};

} // namespace

LabelMap DenseTensor::labels(const LabelQuery& query, const Job& job) const
{
    checkLabels(dtype(), m_extents);
    if (query.batch)
        checkBatch(*this, *query.batch);
    m_tensor.storage().verify();
    const MemoryOrder order(m_grid, MemoryOrder::Repeats::once);
    LabelMap map = LabelPass(order.grid(), query, m_pool).run(*m_workers, job);
    map.labels = order.restored(std::move(map.labels), m_pool, *m_workers, job);
    if (map.values)
        map.values = order.restored(std::move(*map.values), m_pool, *m_workers, job);
    m_tensor.storage().verify();
    return map;
}

LabelCounts DenseTensor::labelCounts(const Job& job) const
{
    checkIds(dtype());
    m_tensor.storage().verify();
    LabelCounts counts = countIds(m_grid, *m_workers, job);
    m_tensor.storage().verify();
    return counts;
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"
#include "core/engine/dense_scan.h"
#include "core/engine/dense_tensor.h"
#include "core/engine/kernels_labels.h"
#include "core/engine/label_counter.h"
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
        // As many values as the cache holds, where they are copied.
        constexpr std::int64_t copied = 1 << 17;
        const std::int64_t most = m_reader.isDirect() || channels > mostChannels
                                      ? maxTilePixels
                                      : std::clamp(copied / channels / 64 * 64, std::int64_t{64}, maxTilePixels);
        const std::int64_t pixels = evenTilePixels(m_elements, m_batches, workers.threads(), most);
        const std::int64_t tiles = (m_elements + pixels - 1) / pixels;
        workers.forEach(m_batches * tiles, job, [&](std::int64_t item, Scratch& scratch) {
            const std::int64_t first = item % tiles * pixels;
            const BlockPlace place{m_firstBatch + item / tiles, 0, channels, first, std::min(pixels, m_elements - first)};
            auto* labels = scratch.take<std::int32_t>(labelSlot, place.elements);
            withSeenType(m_grid.dtype, [&](auto seen) { label<decltype(seen)>(place, labels, scratch, job); });
            write(place, item / tiles * m_elements + first, labels);
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

    template <class Seen>
    void label(const BlockPlace& place, std::int32_t* labels, Scratch& scratch, const Job& job)
    {
        if (place.channels > mostChannels)
            return labelByChannel<Seen>(m_reader, place, labels, scratch, job);
        const ValueBlock block = m_reader.read(place, scratch);
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
    LabelMap map = LabelPass(m_grid, query, m_pool).run(*m_workers, job);
    m_tensor.storage().verify();
    return map;
}

LabelCounts DenseTensor::labelCounts(const Job& job) const
{
    checkIds(dtype());
    m_tensor.storage().verify();
    LabelCounts counts = countIds(BlockReader(m_grid), *m_workers, job);
    m_tensor.storage().verify();
    return counts;
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/reductions.h"
#include "gpu/device_scan.h"

#include <algorithm>

namespace gpu {
namespace {

/// Pixels whose sums come back at once; a multiple of 64.
constexpr std::int64_t pixelsAtOnce = 1 << 20;

/// 64-bit words of a plane's mask.
std::int64_t planeWords(const DeviceValues& values)
{
    return core::maskWords(values.extents().planeElements());
}

/// A bool tensor of a plane from its bits.
core::Tensor maskTensor(const DeviceValues& values, const std::uint64_t* bits)
{
    const std::int64_t elements = values.extents().planeElements();
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements));
    core::expandMask(bits, elements, reinterpret_cast<std::uint8_t*>(bytes.data()));
    return core::Tensor::contiguous(core::DType::boolean, core::planeShape(values.extents()),
                                    core::Storage::fromVector(std::move(bytes)));
}

/// Sums per pixel of a launch: on the device, and where they come back to.
template <class T>
class PixelArray
{
public:
    PixelArray(const DeviceValues& values, bool isWanted, std::int64_t most)
    {
        if (!isWanted)
            return;
        m_device = values.memory().takeArray<T>(most);
        m_host = values.memory().takeArray<T>(most, DeviceMemory::Kind::pinned);
    }

    T* device() const { return m_device.template as<T>(); }
    const T* host() const { return m_host.template as<T>(); }

    void fetch(Device& device, std::int64_t n) const
    {
        if (m_device.data())
            device.copyOut(m_host.data(), m_device.data(), static_cast<std::size_t>(n) * sizeof(T));
    }

private:
    DeviceMemory::Loan m_device;
    DeviceMemory::Loan m_host;
};

/// One pass over some batch items.
template <class Map>
class MapPass
{
public:
    MapPass(const DeviceValues& values, const core::HotTest& test, const core::MapJob& maps, MasksBeside* masks)
        : m_values(values), m_hot(values, test), m_maps(maps), m_masks(masks), m_elements(values.extents().planeElements()),
          m_needs(core::needsOf(maps.queries)), m_most(std::min(pixelsAtOnce, maps.batches * m_elements)),
          m_count(values, m_needs.count, m_most), m_sum(values, m_needs.sum, m_most),
          m_absolute(values, m_needs.absolute, m_most), m_square(values, m_needs.square, m_most),
          m_max(values, m_needs.max, m_most),
          m_out(maps.queries, values.dtype(), maps.batches * values.extents().planeElements(), maps.pool)
    {
        const std::int64_t planes = values.extents().planes();
        if (!maps.counts.empty()) {
            m_counts = values.memory().takeArray<std::int64_t>(planes);
            values.device().fill(m_counts.data(), 0, static_cast<std::size_t>(planes) * sizeof(std::int64_t));
        }
        if (masks) {
            const std::int64_t words = planes * planeWords(values);
            m_mask = values.memory().takeArray<std::uint64_t>(words);
            // The last half of a plane's last word may have no pixels.
            values.device().fill(m_mask.data(), 0, static_cast<std::size_t>(words) * sizeof(std::uint64_t));
        }
    }

    std::vector<core::Tensor> run(const core::Job& job)
    {
        const std::int64_t batches = std::max(pixelsAtOnce / m_elements, std::int64_t{1});
        for (std::int64_t batch = 0; batch < m_maps.batches; batch += batches)
            for (std::int64_t pixel = 0; pixel < m_elements; pixel += pixelsAtOnce) {
                job.check();
                reduce(batch, std::min(batches, m_maps.batches - batch), pixel, std::min(pixelsAtOnce, m_elements - pixel));
            }
        takeCounts();
        takeMasks();
        core::Shape shape = core::planeShape(m_values.extents());
        shape.insert(shape.begin(), m_maps.batches);
        return m_out.take(shape);
    }

private:
    void reduce(std::int64_t batch, std::int64_t batches, std::int64_t pixel, std::int64_t pixels)
    {
        ReduceParameters p{};
        p.planes = m_values.planes();
        p.hot = m_hot.table();
        p.firstBatch = m_maps.firstBatch + batch;
        p.firstPixel = pixel;
        p.pixels = pixels;
        p.isWide = isWide(batches, pixels);
        const std::int64_t perBlock = p.isWide ? m_wide * blockThreads : blockThreads;
        p.blocksPerBatch = (pixels + perBlock - 1) / perBlock;
        p.count = m_count.device();
        p.sum = m_sum.device();
        p.absolute = m_absolute.device();
        p.square = m_square.device();
        p.max = m_max.device();
        p.counts = m_counts.as<std::uint64_t>();
        p.mask = m_mask.as<std::uint32_t>();
        p.maskWords = 2 * planeWords(m_values);
        Device& device = m_values.device();
        device.launch(m_values.type(), batches * p.blocksPerBatch, p);
        const std::int64_t n = batches * pixels;
        m_count.fetch(device, n);
        m_sum.fetch(device, n);
        m_absolute.fetch(device, n);
        m_square.fetch(device, n);
        m_max.fetch(device, n);
        device.synchronize();
        // Several batch items at once are whole ones: their pixels follow each other.
        m_out.write(batch * m_elements + pixel, n,
                    core::PixelSums<Map>{m_count.host(), m_sum.host(), m_absolute.host(), m_square.host(), m_max.host()});
    }

    /// Wide loads where planes are aligned to them, and enough blocks are left to keep a device busy.
    bool isWide(std::int64_t batches, std::int64_t pixels) const
    {
        constexpr std::int64_t enoughBlocks = 64;
        return m_elements % m_wide == 0 && batches * pixels >= enoughBlocks * blockThreads * m_wide;
    }

    void takeCounts() const
    {
        if (m_maps.counts.empty())
            return;
        const auto counts = m_values.fetch<std::int64_t>(m_counts.data(), std::ssize(m_maps.counts));
        std::copy(counts.begin(), counts.end(), m_maps.counts.begin());
    }

    void takeMasks() const
    {
        if (!m_masks)
            return;
        const std::int64_t words = planeWords(m_values);
        for (const core::PlaneIndex& plane : m_masks->planes) {
            const std::int64_t first = (plane.batch * m_values.extents().channels + plane.channel) * words;
            const auto bits = m_values.fetch<std::uint64_t>(m_mask.data() + first * 8, words);
            m_masks->masks.push_back(maskTensor(m_values, bits.data()));
        }
    }

    const DeviceValues& m_values;
    const DeviceHot m_hot;
    const core::MapJob& m_maps;
    MasksBeside* const m_masks;
    const std::int64_t m_elements;
    /// Pixels of a wide load.
    const std::int64_t m_wide = wideBytes / core::itemSize(m_values.dtype());
    const core::MapNeeds m_needs;
    const std::int64_t m_most;
    const PixelArray<std::int32_t> m_count;
    const PixelArray<double> m_sum;
    const PixelArray<double> m_absolute;
    const PixelArray<double> m_square;
    const PixelArray<Map> m_max;
    DeviceMemory::Loan m_counts;
    DeviceMemory::Loan m_mask;
    core::MapOutputs m_out;
};

} // namespace

std::vector<core::Tensor> reduceBatches(const DeviceValues& values, const core::HotTest& test, const core::MapJob& maps,
                                        MasksBeside* masks, const core::Job& job)
{
    return core::withSeenType(
        values.dtype(), [&](auto seen) { return MapPass<core::MapType<decltype(seen)>>(values, test, maps, masks).run(job); });
}

core::Tensor markPlane(const DeviceValues& values, const core::HotTest& test, core::PlaneIndex plane)
{
    const DeviceHot hot(values, test);
    const std::int64_t elements = values.extents().planeElements();
    const std::int64_t blocks = (elements + markElements - 1) / markElements;
    const auto mask = values.memory().takeArray<std::uint32_t>(blocks * markWords);
    const auto counts = values.memory().takeArray<std::uint32_t>(blocks);
    MarkParameters p{};
    p.planes = values.planes();
    p.order.axes = 1;
    p.order.stride[0] = 1;
    p.first = (plane.batch * values.extents().channels + plane.channel) * elements;
    p.count = elements;
    p.hot = hot.ofChannel(plane.channel);
    p.channelRun = 1;
    p.mask = mask.as<std::uint32_t>();
    p.blockCounts = counts.as<std::uint32_t>();
    values.device().launch(values.type(), blocks, p);
    const auto bits = values.fetch<std::uint64_t>(mask.data(), core::maskWords(elements));
    return maskTensor(values, bits.data());
}

} // namespace gpu

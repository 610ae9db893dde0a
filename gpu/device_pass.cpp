// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_pass.h"

#include "core/engine/reductions.h"
#include "gpu/device_scan.h"

#include <algorithm>

namespace gpu {
namespace {

/// Pixels whose sums come back at once; a multiple of a block's.
constexpr std::int64_t pixelsAtOnce = 1 << 20;

/// Pixels that a block takes.
std::int64_t blockPixels(const DeviceValues& values, bool isWide)
{
    return isWide ? blockThreads * wideBytes / core::itemSize(values.dtype()) : blockThreads;
}

std::int64_t planeBlocks(const DeviceValues& values, bool isWide)
{
    const std::int64_t pixels = blockPixels(values, isWide);
    return (values.extents().planeElements() + pixels - 1) / pixels;
}

/// Blocks that look at so many batch items without making maps of them.
std::int64_t besideBlocks(const DeviceValues& values, std::int64_t batches, bool isWide)
{
    return batches * ((values.extents().channels + groupChannels - 1) / groupChannels) * planeBlocks(values, isWide);
}

/// Batch items of a launch.
std::int64_t batchesAtOnce(const DeviceValues& values)
{
    return std::max(pixelsAtOnce / values.extents().planeElements(), std::int64_t{1});
}

/// Wide loads where planes are aligned to them, and enough blocks are left to keep a device busy.
bool isWidePass(const DeviceValues& values, std::int64_t mapBatches)
{
    const std::int64_t elements = values.extents().planeElements();
    const std::int64_t pixels = blockPixels(values, true);
    if (elements % (pixels / blockThreads) != 0)
        return false;
    if (mapBatches == 0)
        return besideBlocks(values, values.extents().batches, true) >= enoughBlocks;
    return std::min(mapBatches, batchesAtOnce(values)) * std::min(elements, pixelsAtOnce) >= enoughBlocks * pixels;
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

/// Some pixels of some batch items that get maps.
struct Part
{
    std::int64_t batch;
    std::int64_t batches;
    std::int64_t pixel;
    std::int64_t pixels;
};

/// One pass over some batch items, and over all for what is asked beside.
template <class Map>
class Pass
{
public:
    Pass(const DeviceValues& values, const core::HotTest& test, const core::MapJob& maps, const Beside& beside)
        : m_values(values), m_hot(values, test), m_maps(maps), m_beside(beside), m_elements(values.extents().planeElements()),
          m_isWide(isWidePass(values, maps.batches)), m_planeBlocks(planeBlocks(values, m_isWide)),
          m_blockWords(static_cast<int>(blockPixels(values, m_isWide) / 32)), m_needs(core::needsOf(maps.queries)),
          m_most(std::min(pixelsAtOnce, maps.batches * m_elements)), m_count(values, m_needs.count, m_most),
          m_sum(values, m_needs.sum, m_most), m_absolute(values, m_needs.absolute, m_most),
          m_square(values, m_needs.square, m_most), m_max(values, m_needs.max, m_most),
          m_out(maps.queries, values.dtype(), maps.batches * m_elements, maps.pool)
    {
        const std::int64_t planes = values.extents().planes();
        DeviceMemory& memory = values.memory();
        if (beside.counts) {
            m_counts = memory.takeArray<std::int64_t>(planes);
            m_countsHere = memory.takeArray<std::int64_t>(planes, DeviceMemory::Kind::pinned);
            values.device().fill(m_counts.data(), 0, static_cast<std::size_t>(planes) * sizeof(std::int64_t));
        }
        m_marks.planeBlocks = m_planeBlocks;
        m_marks.blockWords = m_blockWords;
        if (!beside.masks.empty() || beside.rows)
            m_marks.mask = memory.takeArray<std::uint32_t>(planes * m_planeBlocks * m_blockWords);
        if (beside.rows)
            m_marks.blockCounts = memory.takeArray<std::uint32_t>(planes * m_planeBlocks + 1);
        m_mask = m_marks.mask.data();
    }

    PassResult run(const core::Job& job)
    {
        const std::vector<Part> parts = this->parts();
        // Lives longer than what waits for its copies.
        DeviceRows::Pending rows;
        Settled settled(m_values.device());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            job.check();
            launch(parts[i], i == 0);
            const std::int64_t n = parts[i].batches * parts[i].pixels;
            fetchMaps(n);
            if (i + 1 == parts.size())
                rows = askBeside();
            m_values.device().synchronize();
            // Several batch items at once are whole ones: their pixels follow each other.
            m_out.write(parts[i].batch * m_elements + parts[i].pixel, n,
                        core::PixelSums<Map>{m_count.host(), m_sum.host(), m_absolute.host(), m_square.host(), m_max.host()});
        }
        PassResult result = takeBeside(std::move(rows));
        settled.done();
        core::Shape shape = core::planeShape(m_values.extents());
        shape.insert(shape.begin(), m_maps.batches);
        result.maps = m_out.take(shape);
        return result;
    }

private:
    /// One without pixels where no maps are asked.
    std::vector<Part> parts() const
    {
        std::vector<Part> parts;
        const std::int64_t together = batchesAtOnce(m_values);
        for (std::int64_t batch = 0; batch < m_maps.batches; batch += together)
            for (std::int64_t pixel = 0; pixel < m_elements; pixel += pixelsAtOnce)
                parts.push_back(
                    {batch, std::min(together, m_maps.batches - batch), pixel, std::min(pixelsAtOnce, m_elements - pixel)});
        if (parts.empty())
            parts.push_back({0, 0, 0, 0});
        return parts;
    }

    /// The first one looks at the other batch items, too.
    void launch(const Part& part, bool isFirst) const
    {
        ReduceParameters p{};
        p.planes = m_values.planes();
        p.isWide = m_isWide;
        p.hot = m_hot.table();
        p.firstBatch = m_maps.firstBatch + part.batch;
        p.batches = part.batches;
        p.firstPixel = part.pixel;
        p.pixels = part.pixels;
        const std::int64_t perBlock = blockPixels(m_values, m_isWide);
        p.blocksPerBatch = (part.pixels + perBlock - 1) / perBlock;
        p.mapsBegin = m_maps.firstBatch;
        p.mapsEnd = m_maps.firstBatch + m_maps.batches;
        p.count = m_count.device();
        p.max = m_max.device();
        p.counts = m_counts.as<std::uint64_t>();
        p.mask = reinterpret_cast<std::uint32_t*>(m_mask);
        p.blockCounts = m_marks.blockCounts.as<std::uint32_t>();
        p.planeBlocks = m_planeBlocks;
        const std::int64_t mapBlocks = part.batches * p.blocksPerBatch;
        const std::int64_t others = m_values.extents().batches - m_maps.batches;
        std::int64_t blocks = mapBlocks + (isFirst && m_beside.isAny() ? besideBlocks(m_values, others, m_isWide) : 0);
        const auto launchSum = [&](PixelSum kind, double* sum) {
            p.kind = kind;
            p.sum = sum;
            m_values.device().launch(m_values.type(), blocks, p);
            // A second sum is all that a second pass makes.
            blocks = mapBlocks;
            p.count = nullptr;
            p.max = nullptr;
            p.counts = nullptr;
            p.mask = nullptr;
            p.blockCounts = nullptr;
        };
        if (m_needs.sum)
            launchSum(PixelSum::values, m_sum.device());
        if (m_needs.absolute)
            launchSum(PixelSum::magnitudes, m_absolute.device());
        if (m_needs.square)
            launchSum(PixelSum::squares, m_square.device());
        if (!m_needs.sum && !m_needs.absolute && !m_needs.square)
            launchSum(PixelSum::none, nullptr);
    }

    void fetchMaps(std::int64_t n) const
    {
        Device& device = m_values.device();
        m_count.fetch(device, n);
        m_sum.fetch(device, n);
        m_absolute.fetch(device, n);
        m_square.fetch(device, n);
        m_max.fetch(device, n);
    }

    DeviceRows::Pending askBeside()
    {
        if (m_beside.counts)
            m_values.device().copyOut(m_countsHere.data(), m_counts.data(),
                                      static_cast<std::size_t>(m_values.extents().planes()) * sizeof(std::int64_t));
        if (!m_beside.rows)
            return {};
        return m_beside.rows->ask(std::move(m_marks), m_beside.window);
    }

    PassResult takeBeside(DeviceRows::Pending rows) const
    {
        const core::Extents& extents = m_values.extents();
        PassResult result;
        if (m_beside.counts)
            result.counts.assign(m_countsHere.as<std::int64_t>(), m_countsHere.as<std::int64_t>() + extents.planes());
        for (const core::PlaneIndex& plane : m_beside.masks) {
            const std::int64_t block = (plane.batch * extents.channels + plane.channel) * m_planeBlocks;
            const auto bits =
                m_values.fetch<std::uint64_t>(m_mask + block * m_blockWords * 4, core::maskWords(extents.planeElements()));
            result.masks.push_back(maskTensor(m_values, bits.data()));
        }
        if (m_beside.rows)
            result.rows = m_beside.rows->take(std::move(rows));
        return result;
    }

    const DeviceValues& m_values;
    const DeviceHot m_hot;
    const core::MapJob& m_maps;
    const Beside& m_beside;
    const std::int64_t m_elements;
    const bool m_isWide;
    const std::int64_t m_planeBlocks;
    const int m_blockWords;
    const core::MapNeeds m_needs;
    const std::int64_t m_most;
    const PixelArray<std::int32_t> m_count;
    const PixelArray<double> m_sum;
    const PixelArray<double> m_absolute;
    const PixelArray<double> m_square;
    const PixelArray<Map> m_max;
    DeviceMemory::Loan m_counts;
    DeviceMemory::Loan m_countsHere;
    DeviceRows::MarkedPlanes m_marks;
    /// Also when the rows have the marks.
    std::byte* m_mask = nullptr;
    core::MapOutputs m_out;
};

} // namespace

bool isOnePassBetter(const DeviceValues& values, std::int64_t mapBatches)
{
    if (mapBatches == values.extents().batches)
        return true;
    // Blocks that are full of pixels, and of bytes to read.
    const bool isWide = isWidePass(values, mapBatches);
    return (isWide || core::itemSize(values.dtype()) >= 4) &&
           2 * values.extents().planeElements() >= blockPixels(values, isWide);
}

bool canMarkPlanes(const DeviceValues& values, std::int64_t mapBatches)
{
    const bool isWide = isWidePass(values, mapBatches);
    return planeBlocks(values, isWide) * blockPixels(values, isWide) <= 2 * values.extents().planeElements();
}

PassResult reduceBatches(const DeviceValues& values, const core::HotTest& test, const core::MapJob& maps, const Beside& beside,
                         const core::Job& job)
{
    return core::withSeenType(
        values.dtype(), [&](auto seen) { return Pass<core::MapType<decltype(seen)>>(values, test, maps, beside).run(job); });
}

} // namespace gpu

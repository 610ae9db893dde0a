// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/upload.h"

#include "core/engine/block_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpu {
namespace {

constexpr std::int64_t slotBytes = 8 << 20;

/// Pinned memory by turns: a slot is filled again once its copy has arrived.
class Slots
{
public:
    Slots(Device& device, DeviceMemory& memory) : m_device(device)
    {
        for (auto& slot : m_slots)
            slot = memory.take(slotBytes, DeviceMemory::Kind::pinned);
    }
    /// Copies may be on their way where the upload was stopped.
    ~Slots()
    {
        try {
            m_device.synchronize();
        } catch (const DeviceError&) {
        }
    }
    Slots(const Slots&) = delete;
    Slots& operator=(const Slots&) = delete;

    std::byte* next()
    {
        m_current = (m_current + 1) % Device::marks;
        if (m_used[static_cast<std::size_t>(m_current)])
            m_device.await(m_current);
        return m_slots[static_cast<std::size_t>(m_current)].data();
    }
    /// All copies of the current slot were asked for.
    void sent()
    {
        m_device.mark(m_current);
        m_used[static_cast<std::size_t>(m_current)] = true;
    }

private:
    Device& m_device;
    std::array<DeviceMemory::Loan, Device::marks> m_slots;
    std::array<bool, Device::marks> m_used{};
    int m_current = 0;
};

/// Whether the grid's elements already lie packed.
bool isPacked(const core::PlaneGrid& grid)
{
    const core::Extents& e = grid.extents;
    return grid.plane.isOneRun() && (grid.plane.innerStride() == 1 || e.planeElements() == 1) &&
           (e.channels == 1 || grid.channelStride == e.planeElements()) &&
           (e.batches == 1 || grid.batchStride == e.channels * e.planeElements());
}

/// One upload.
class Upload
{
public:
    Upload(const core::PlaneGrid& grid, std::byte* to, Device& device, DeviceMemory& memory, const core::Workers& workers,
           const core::Job& job)
        : m_grid(grid), m_size(core::itemSize(grid.dtype)), m_to(to), m_device(device), m_workers(workers), m_job(job),
          m_slots(device, memory)
    {
    }

    void copyPacked()
    {
        constexpr std::int64_t part = 1 << 20;
        const std::int64_t bytes = m_grid.extents.elements() * m_size;
        for (std::int64_t done = 0; done < bytes; done += slotBytes) {
            std::byte* const slot = m_slots.next();
            const std::int64_t n = std::min(slotBytes, bytes - done);
            m_workers.forEach((n + part - 1) / part, {m_job.stop, {}}, [&](std::int64_t item, core::Scratch&) {
                const std::int64_t first = item * part;
                std::memcpy(slot + first, m_grid.base + done + first, static_cast<std::size_t>(std::min(part, n - first)));
            });
            m_device.copyIn(m_to + done, slot, static_cast<std::size_t>(n));
            m_slots.sent();
            m_job.report(static_cast<double>(done + n) / static_cast<double>(bytes));
        }
    }

    void copyStrided()
    {
        m_plan = core::BlockReader(m_grid).plan();
        const core::Extents& e = m_grid.extents;
        m_pieces = (e.planeElements() + m_plan.elements - 1) / m_plan.elements;
        m_groups = (e.channels + m_plan.channels - 1) / m_plan.channels;
        const std::int64_t all = e.batches * m_groups * m_pieces;
        const std::int64_t perSlot =
            std::max(slotBytes / (m_plan.channels * std::min(m_plan.elements, e.planeElements()) * m_size), std::int64_t{1});
        for (std::int64_t done = 0; done < all; done += perSlot) {
            sendPieces(done, std::min(perSlot, all - done));
            m_job.report(static_cast<double>(std::min(done + perSlot, all)) / static_cast<double>(all));
        }
    }

private:
    /// Some elements of some neighbouring channels, as BlockPlace.
    core::BlockPlace place(std::int64_t piece) const
    {
        const core::Extents& e = m_grid.extents;
        core::BlockPlace place;
        place.batch = piece / (m_groups * m_pieces);
        place.channel = piece / m_pieces % m_groups * m_plan.channels;
        place.channels = std::min(m_plan.channels, e.channels - place.channel);
        place.first = piece % m_pieces * m_plan.elements;
        place.elements = std::min(m_plan.elements, e.planeElements() - place.first);
        return place;
    }

    void sendPieces(std::int64_t first, std::int64_t n)
    {
        std::byte* const slot = m_slots.next();
        const std::int64_t step = m_plan.channels * std::min(m_plan.elements, m_grid.extents.planeElements()) * m_size;
        const std::int64_t together = std::max(std::int64_t{512 << 10} / step, std::int64_t{1});
        m_workers.forEach((n + together - 1) / together, {m_job.stop, {}}, [&](std::int64_t item, core::Scratch&) {
            for (std::int64_t i = item * together; i < std::min((item + 1) * together, n); ++i)
                pack(place(first + i), slot + i * step);
        });
        for (std::int64_t i = 0; i < n; ++i)
            queue(place(first + i), slot + i * step);
        flush();
        m_slots.sent();
    }

    void pack(const core::BlockPlace& place, std::byte* to) const
    {
        const core::BlockReader reader(m_grid);
        reader.copyStored(place, to, core::arrangePlanes(m_grid, place, true));
    }

    /// Whole planes that follow each other on both sides go in one copy.
    void queue(const core::BlockPlace& place, const std::byte* from)
    {
        const core::Extents& e = m_grid.extents;
        std::byte* const to = m_to + ((place.batch * e.channels + place.channel) * e.planeElements() + place.first) * m_size;
        if (place.elements < e.planeElements() && place.channels > 1) {
            const auto row = static_cast<std::size_t>(place.elements * m_size);
            flush();
            m_device.copyRowsIn(to, static_cast<std::size_t>(e.planeElements() * m_size), from, row, row,
                                static_cast<std::size_t>(place.channels));
            return;
        }
        const auto bytes = static_cast<std::size_t>(place.channels * place.elements * m_size);
        if (m_runBytes == 0 || m_runTo + m_runBytes != to || m_runFrom + m_runBytes != from) {
            flush();
            m_runTo = to;
            m_runFrom = from;
        }
        m_runBytes += bytes;
    }

    void flush()
    {
        if (m_runBytes > 0)
            m_device.copyIn(m_runTo, m_runFrom, m_runBytes);
        m_runBytes = 0;
    }

    const core::PlaneGrid& m_grid;
    const int m_size;
    std::byte* const m_to;
    Device& m_device;
    const core::Workers& m_workers;
    const core::Job& m_job;
    Slots m_slots;
    core::BlockPlan m_plan;
    std::int64_t m_pieces = 0;
    std::int64_t m_groups = 0;
    std::byte* m_runTo = nullptr;
    const std::byte* m_runFrom = nullptr;
    std::size_t m_runBytes = 0;
};

} // namespace

void upload(const core::PlaneGrid& grid, std::byte* to, Device& device, DeviceMemory& memory, const core::Workers& workers,
            const core::Job& job)
{
    {
        Upload work(grid, to, device, memory, workers, job);
        if (isPacked(grid))
            work.copyPacked();
        else
            work.copyStrided();
    }
    device.synchronize();
}

} // namespace gpu

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_counter.h"

#include <limits>

namespace gpu {
namespace {

class DeviceCounter : public core::ValueCounter
{
public:
    DeviceCounter(const DeviceValues& values, const core::PlaneChoice& planes) : m_values(values)
    {
        const core::Extents& e = values.extents();
        m_set.planes = values.planes();
        if (!planes.batch && !planes.channel) {
            // Planes follow each other: all are one.
            m_set.planes.elements = e.elements();
        } else {
            m_set.firstPlane = planes.batch.value_or(0) * e.channels + planes.channel.value_or(0);
            m_set.planeStep = planes.channel ? e.channels : 1;
            m_planes = (planes.batch ? 1 : e.batches) * (planes.channel ? 1 : e.channels);
        }
        m_set.piecesPerPlane = (m_set.planes.elements + binElements - 1) / binElements;
    }

    std::vector<std::int64_t> countDigits(std::uint64_t prefix, int shift, const core::Job& job) const override
    {
        constexpr std::int64_t digits = 1 << 16;
        BinParameters p = m_set;
        p.kind = BinKind::digits;
        p.prefix = prefix;
        p.shift = shift;
        // A byte's key has few digits.
        p.bins = core::seenSize(m_values.dtype()) == 1 ? 256 : digits;
        std::vector<std::int64_t> counts = count(p, job);
        counts.resize(digits);
        return counts;
    }

    std::uint64_t keyAfter(std::uint64_t key, const core::Job& job) const override
    {
        job.check();
        constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
        const DeviceArray least(m_values, &top, sizeof top);
        BinParameters p = m_set;
        p.kind = BinKind::keyAfter;
        p.key = key;
        p.least = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(least.data()));
        m_values.device().launch(m_values.type(), m_planes * m_set.piecesPerPlane, p);
        return m_values.fetch<std::uint64_t>(least.data(), 1).front();
    }

    std::vector<std::int64_t> countBins(const std::vector<double>& edges, const core::Job& job) const override
    {
        const DeviceArray there(m_values, edges);
        BinParameters p = m_set;
        p.kind = BinKind::edges;
        p.bins = std::ssize(edges) - 1;
        p.edges = reinterpret_cast<const double*>(there.data());
        p.scale = static_cast<double>(p.bins) / (edges.back() - edges.front());
        return count(p, job);
    }

    std::vector<std::int64_t> countIntegers(std::int64_t lo, std::int64_t bins, const core::Job& job) const override
    {
        BinParameters p = m_set;
        p.kind = BinKind::integers;
        p.bins = bins;
        p.lo = lo;
        return count(p, job);
    }

private:
    std::vector<std::int64_t> count(BinParameters p, const core::Job& job) const
    {
        job.check();
        const auto counts = m_values.memory().takeArray<std::int64_t>(p.bins);
        m_values.device().fill(counts.data(), 0, static_cast<std::size_t>(p.bins) * sizeof(std::int64_t));
        p.counts = counts.as<std::uint64_t>();
        m_values.device().launch(m_values.type(), m_planes * m_set.piecesPerPlane, p);
        return m_values.fetch<std::int64_t>(counts.data(), p.bins);
    }

    const DeviceValues& m_values;
    /// The planes of the set.
    BinParameters m_set{};
    std::int64_t m_planes = 1;
};

} // namespace

core::ValueSet deviceValueSet(const DeviceValues& values, const core::PlaneChoice& planes, core::Statistics statistics)
{
    core::ValueSet set;
    set.dtype = values.dtype();
    set.statistics = std::move(statistics);
    set.counter = std::make_shared<DeviceCounter>(values, planes);
    return set;
}

} // namespace gpu

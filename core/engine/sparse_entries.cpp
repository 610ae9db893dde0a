// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sparse_entries.h"

#include "core/engine/index_writer.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t checkEvery = 1 << 16;
constexpr AxisRole roles[] = {AxisRole::batch, AxisRole::channel, AxisRole::depth, AxisRole::row, AxisRole::column};

/// Full indices of positions, and where they lie in the selected part.
class Place
{
public:
    Place(const Shape& shape, const Selection& selection)
        : m_selection(selection), m_extents(extentsOf(shape, selection)), m_strides(contiguousStrides(shape)),
          m_indices(shape.size())
    {
        for (std::size_t i = 0; i < std::size(roles); ++i)
            m_axes[i] = selection.layout.axis(roles[i]);
    }

    /// False when the position is not selected.
    bool move(std::int64_t position)
    {
        for (std::size_t axis = 0; axis < m_indices.size(); ++axis) {
            m_indices[axis] = position / m_strides[axis];
            position %= m_strides[axis];
            if (m_selection.fixed[axis].value_or(m_indices[axis]) != m_indices[axis])
                return false;
        }
        return true;
    }

    const std::vector<std::int64_t>& indices() const { return m_indices; }
    std::int64_t plane() const { return at(0) * m_extents.channels + at(1); }
    std::int64_t inPlane() const { return (at(2) * m_extents.height + at(3)) * m_extents.width + at(4); }

private:
    std::int64_t at(std::size_t role) const
    {
        const auto axis = static_cast<std::size_t>(m_axes[role]);
        return m_axes[role] < 0 || m_selection.fixed[axis] ? 0 : m_indices[axis];
    }

    const Selection& m_selection;
    Extents m_extents;
    Strides m_strides;
    std::vector<std::int64_t> m_indices;
    std::array<int, std::size(roles)> m_axes{};
};

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::int64_t>& order, std::size_t parts, const Job& job)
{
    std::vector<T> out;
    out.reserve(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % checkEvery == 0)
            job.check();
        const auto from = values.begin() + order[i] * static_cast<std::int64_t>(parts);
        out.insert(out.end(), from, from + static_cast<std::int64_t>(parts));
    }
    return out;
}

/// Brings entries, which come in own order, and their planes into plane order.
void sortByPlane(SparseEntries& entries, std::vector<std::int64_t>& planes, const Job& job)
{
    std::vector<std::int64_t> order(planes.size());
    std::iota(order.begin(), order.end(), 0);
    std::size_t steps = 0;
    const auto isBefore = [&](std::int64_t a, std::int64_t b) {
        // A sort has no other place to see a stop.
        if (++steps % checkEvery == 0)
            job.check();
        const auto i = static_cast<std::size_t>(a);
        const auto k = static_cast<std::size_t>(b);
        return planes[i] != planes[k] ? planes[i] < planes[k] : entries.inPlane[i] < entries.inPlane[k];
    };
    if (std::is_sorted(order.begin(), order.end(), isBefore))
        return;
    std::sort(order.begin(), order.end(), isBefore);
    planes = permuted(planes, order, 1, job);
    entries.inPlane = permuted(entries.inPlane, order, 1, job);
    entries.own = permuted(entries.own, order, 1, job);
    entries.values = permuted(entries.values, order, static_cast<std::size_t>(itemSize(entries.dtype)), job);
    entries.byOwn.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        entries.byOwn[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
}

/// Notes where each plane begins.
void findPlanes(SparseEntries& entries, const std::vector<std::int64_t>& planes)
{
    for (std::size_t i = 0; i < planes.size(); ++i)
        if (i == 0 || planes[i] != planes[i - 1]) {
            entries.filled.push_back(planes[i]);
            entries.begins.push_back(static_cast<std::int64_t>(i));
        }
    entries.begins.push_back(entries.count());
}

/// Statistics of one plane; `zeros` implicit ones are part of it.
template <class Seen>
PlaneStatistics scanPlane(const SparseEntries& entries, const SeenEntries& seen, const EntryRange& range, std::int64_t zeros,
                          const Job& job)
{
    using Compare = CompareOf<Seen>;
    const auto valueOf = [&seen](std::int64_t entry) { return toCompare(seen.at<Seen>(entry)); };
    const auto isFinite = [](Compare v) { return std::is_integral_v<Compare> || std::isfinite(static_cast<double>(v)); };
    PlaneStatistics out;
    Statistics& s = out.values;
    s.elements = range.count() + zeros;
    s.finite = s.zeros = zeros;
    s.sum.isInteger = std::is_integral_v<Compare>;
    Compare least{};
    Compare most{};
    entries.forEntries(range, job, [&](std::int64_t entry) {
        const Compare v = valueOf(entry);
        s.nan += v != v;
        if (!isFinite(v)) {
            s.positiveInf += v > 0;
            s.negativeInf += v < 0;
            return;
        }
        const bool isFirst = s.finite++ == 0;
        s.zeros += v == 0;
        // A zero is +0.
        least = static_cast<Compare>((isFirst ? v : std::min(least, v)) + Compare{});
        most = static_cast<Compare>((isFirst ? v : std::max(most, v)) + Compare{});
        if constexpr (std::is_integral_v<Compare>)
            s.sum.integer += static_cast<__int128>(v);
    });
    if (s.finite == 0)
        return out;
    const auto kept = [&](std::int64_t entry) { return isFinite(valueOf(entry)) ? static_cast<double>(valueOf(entry)) : 0.0; };
    if constexpr (std::is_floating_point_v<Compare>)
        s.sum.real = laneSum(entries, range, job, kept);
    s.min = toScalar(least);
    s.max = toScalar(most);
    const double mean = s.sum.toDouble() / static_cast<double>(s.finite);
    out.squares = static_cast<double>(zeros) * (mean * mean) + laneSum(entries, range, job, [&](std::int64_t entry) {
                      const double apart = isFinite(valueOf(entry)) ? kept(entry) - mean : 0.0;
                      return apart * apart;
                  });
    setMeanAndStd(out);
    return out;
}

} // namespace

SparseEntries selectEntries(const CanonicalSparse& canonical, const Shape& shape, const Selection& selection, DType dtype,
                            const Job& job)
{
    SparseEntries out;
    out.dtype = dtype;
    out.extents = extentsOf(shape, selection);
    // An empty tensor may have more planes than elements.
    checkedProduct(out.extents.batches, out.extents.channels);
    const auto size = static_cast<std::size_t>(itemSize(dtype));
    const IndexWriter indices(shape, selection);
    Place place(shape, selection);
    std::vector<std::int64_t> planes;
    for (std::size_t i = 0; i < canonical.positions.size(); ++i) {
        if (i % checkEvery == 0)
            job.check();
        if (!place.move(canonical.positions[i]))
            continue;
        planes.push_back(place.plane());
        out.inPlane.push_back(place.inPlane());
        out.own.push_back(indices.position(place.indices()));
        const std::byte* value = canonical.values.data() + i * size;
        out.values.insert(out.values.end(), value, value + size);
    }
    sortByPlane(out, planes, job);
    findPlanes(out, planes);
    return out;
}

SeenEntries::SeenEntries(const SparseEntries& entries, const ComplexView& view) : m_entries(&entries)
{
    if (!isFloat8(entries.dtype) && !isComplex(entries.dtype))
        return;
    const int size = seenSize(entries.dtype);
    m_own.resize(static_cast<std::size_t>(entries.count() * size));
    if (isFloat8(entries.dtype)) {
        widenFloat8(entries.dtype, entries.values.data(), entries.count(), reinterpret_cast<float*>(m_own.data()));
        return;
    }
    for (std::int64_t entry = 0; entry < entries.count(); ++entry) {
        const double value = view.see(entries.dtype, entries.value(entry));
        std::memcpy(m_own.data() + entry * size, &value, sizeof value);
    }
}

EntryRange SparseEntries::ofPlane(std::int64_t plane) const
{
    const std::size_t i = filledFrom(plane);
    return i < filled.size() && filled[i] == plane ? ofFilled(i) : EntryRange{};
}

namespace {

PlaneStatistics scanRange(const SparseEntries& entries, const SeenEntries& seen, const EntryRange& range, std::int64_t zeros,
                          const Job& job)
{
    const auto plane =
        withSeenType(entries.dtype, [&](auto type) { return scanPlane<decltype(type)>(entries, seen, range, zeros, job); });
    return isComplex(entries.dtype) ? PlaneStatistics{withoutOrder(plane.values), 0} : plane;
}

} // namespace

std::vector<PlaneStatistics> scanEntries(const SparseEntries& entries, const SeenEntries& seen, bool storedOnly, const Job& job)
{
    std::vector<PlaneStatistics> out;
    out.reserve(entries.filled.size());
    for (std::size_t i = 0; i < entries.filled.size(); ++i) {
        job.check();
        const EntryRange range = entries.ofFilled(i);
        out.push_back(scanRange(entries, seen, range, storedOnly ? 0 : entries.extents.planeElements() - range.count(), job));
    }
    return out;
}

PlaneStatistics statisticsOfZeros(DType dtype, std::int64_t zeros)
{
    SparseEntries none;
    none.dtype = dtype;
    return scanRange(none, SeenEntries(none, {}), {}, zeros, {});
}

} // namespace core

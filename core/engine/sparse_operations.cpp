// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dense_scan.h"
#include "core/engine/element_value.h"
#include "core/engine/kernels_labels.h"
#include "core/engine/label_counter.h"
#include "core/engine/norm_tiles.h"
#include "core/engine/part_copy.h"
#include "core/engine/plane_check.h"
#include "core/engine/sparse_loaded.h"
#include "core/engine/sparse_scan.h"
#include "core/engine/stored_update.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace core {
namespace {

/// Largest number of pixels of all label maps.
constexpr std::int64_t mostPixels = std::int64_t{1} << 28;

/// Labels of a batch item, from its entries in the order of the channels.
template <class Seen>
class SparseLabels
{
public:
    SparseLabels(const SparseEntries& entries, const SeenEntries& seen)
        : m_entries(entries), m_seen(seen), m_pixels(static_cast<std::size_t>(entries.extents.planeElements()))
    {
    }

    /// write(pixel, label, entry of the label or -1 for an implicit zero)
    template <class Write>
    void label(std::int64_t batch, const Job& job, Write write)
    {
        const std::int64_t channels = m_entries.extents.channels;
        std::fill(m_pixels.begin(), m_pixels.end(), Pixel{});
        const std::size_t end = m_entries.filledFrom((batch + 1) * channels);
        for (std::size_t i = m_entries.filledFrom(batch * channels); i < end; ++i)
            m_entries.forEntries(m_entries.ofFilled(i), job, [&](std::int64_t entry) { add(m_entries.channelOf(i), entry); });
        for (std::size_t i = 0; i < m_pixels.size(); ++i) {
            const Pixel& pixel = m_pixels[i];
            if (isZero(pixel, channels))
                write(i, pixel.firstZero, std::int64_t{-1});
            else
                write(i, pixel.channel, pixel.entry);
        }
    }

private:
    struct Pixel
    {
        /// The first channel without an entry, so far.
        std::int64_t firstZero = 0;
        /// The entry with the largest value, and its channel.
        std::int64_t channel = 0;
        std::int64_t entry = -1;
    };

    CompareOf<Seen> valueOf(std::int64_t entry) const { return toCompare(m_seen.at<Seen>(entry)); }

    void add(std::int64_t channel, std::int64_t entry)
    {
        Pixel& pixel = m_pixels[static_cast<std::size_t>(m_entries.inPlane[static_cast<std::size_t>(entry)])];
        pixel.firstZero += pixel.firstZero == channel;
        if (pixel.entry < 0 || isLarger(valueOf(entry), valueOf(pixel.entry))) {
            pixel.channel = channel;
            pixel.entry = entry;
        }
    }

    /// Whether an implicit zero wins.
    bool isZero(const Pixel& pixel, std::int64_t channels) const
    {
        if (pixel.entry < 0 || pixel.firstZero == channels)
            return pixel.entry < 0;
        const CompareOf<Seen> value = valueOf(pixel.entry);
        return value < 0 || (value == 0 && pixel.firstZero < pixel.channel);
    }

    const SparseEntries& m_entries;
    const SeenEntries& m_seen;
    std::vector<Pixel> m_pixels;
};

template <class Label>
void putLabel(std::vector<std::byte>& labels, std::int64_t pixel, std::int64_t label)
{
    const auto narrow = static_cast<Label>(label);
    std::memcpy(labels.data() + pixel * static_cast<std::int64_t>(sizeof narrow), &narrow, sizeof narrow);
}

double normTerm(double magnitude, double p)
{
    if (p == 0)
        return magnitude != 0;
    return p == 1 ? magnitude : p == 2 ? magnitude * magnitude : std::pow(magnitude, p);
}

/// Whether an update leaves zero as it is.
bool keepsZero(const StoredUpdate& update, std::int64_t channel, DType dtype)
{
    std::byte zero[16] = {};
    std::byte after[16] = {};
    update({zero, nullptr, 1, after, false}, channel);
    return std::memcmp(zero, after, static_cast<std::size_t>(itemSize(dtype))) == 0;
}

/// Entries as a coalesced COO tensor of the selected part; `values` in the order of the entries.
SparseTensor toCoo(const SparseEntries& entries, const Shape& shape, const std::vector<std::byte>& values)
{
    const std::int64_t count = entries.count();
    const auto size = static_cast<std::size_t>(itemSize(entries.dtype));
    const Strides strides = contiguousStrides(shape);
    std::vector<std::int64_t> indices(shape.size() * static_cast<std::size_t>(count));
    std::vector<std::byte> ordered(values.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const auto entry = static_cast<std::size_t>(entries.inOwnOrder(i));
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            indices[axis * static_cast<std::size_t>(count) + static_cast<std::size_t>(i)] =
                entries.own[entry] / strides[axis] % shape[axis];
        std::memcpy(ordered.data() + static_cast<std::size_t>(i) * size, values.data() + entry * size, size);
    }
    SparseTensor out;
    out.shape = shape;
    out.indices = Tensor::fromValues(DType::i64, {static_cast<std::int64_t>(shape.size()), count}, indices);
    out.values = Tensor::contiguous(entries.dtype, {count}, Storage::fromVector(std::move(ordered)));
    out.coalesced = true;
    return out;
}

} // namespace

LabelMap SparseLoaded::labels(const LabelQuery& query, const Job& job) const
{
    checkLabels(dtype(), m_extents);
    if (query.batch)
        checkBatch(*this, *query.batch);
    checkPictureSize(m_extents);
    const std::int64_t batches = query.batch ? 1 : m_extents.batches;
    const std::int64_t elements = m_extents.planeElements();
    if (checkedProduct(batches, elements) > mostPixels || m_extents.channels > std::numeric_limits<std::int32_t>::max())
        throw Error(fmt::format("label maps of {} batch items over {} channels of a sparse tensor are too large: choose one "
                                "batch item, and a layout with fewer channels",
                                batches, m_extents.channels));
    const DType labelType = m_extents.channels <= 256 ? DType::u8 : DType::i32;
    std::vector<std::byte> labels(static_cast<std::size_t>(batches * elements * itemSize(labelType)));
    const auto size = static_cast<std::size_t>(itemSize(dtype()));
    std::vector<std::byte> values(query.values ? static_cast<std::size_t>(batches * elements) * size : 0);
    withSeenType(dtype(), [&](auto seen) {
        SparseLabels<decltype(seen)> pixels(m_entries, m_seen);
        for (std::int64_t batch = 0; batch < batches; ++batch)
            pixels.label(query.batch.value_or(0) + batch, job, [&](std::size_t pixel, std::int64_t label, std::int64_t entry) {
                const std::int64_t at = batch * elements + static_cast<std::int64_t>(pixel);
                if (labelType == DType::u8)
                    putLabel<std::uint8_t>(labels, at, label);
                else
                    putLabel<std::int32_t>(labels, at, label);
                if (query.values && entry >= 0)
                    std::memcpy(values.data() + static_cast<std::size_t>(at) * size, m_entries.value(entry), size);
            });
    });
    Shape shape = planeShape(m_extents);
    shape.insert(shape.begin(), batches);
    LabelMap map{Tensor::contiguous(labelType, shape, Storage::fromVector(std::move(labels))), std::nullopt};
    if (query.values)
        map.values = Tensor::contiguous(dtype(), shape, Storage::fromVector(std::move(values)));
    return map;
}

LabelCounts SparseLoaded::labelCounts(const Job& job) const
{
    checkIds(dtype());
    std::vector<std::int64_t> ids;
    m_entries.forEntries({0, m_entries.count()}, job, [&](std::int64_t entry) {
        const auto id =
            std::visit([](auto v) { return static_cast<std::int64_t>(v); }, valueAt(dtype(), m_entries.value(entry)));
        ids.push_back(dtype() == DType::boolean ? id != 0 : id);
    });
    std::sort(ids.begin(), ids.end());
    std::int64_t zeros = m_extents.elements() - m_entries.count();
    IdCounts counts;
    for (std::size_t i = 0; i < ids.size();) {
        const std::size_t begin = i;
        while (i < ids.size() && ids[i] == ids[begin])
            ++i;
        counts.emplace_back(ids[begin], static_cast<std::int64_t>(i - begin));
        if (ids[begin] == 0)
            counts.back().second += std::exchange(zeros, 0);
    }
    if (zeros > 0)
        counts.emplace_back(0, zeros);
    return listIds(std::move(counts), dtype());
}

Selected SparseLoaded::select(const SelectQuery& query, const Job& job) const
{
    checkPlanes(m_shape, m_selection, m_extents);
    if (query.update == Update::replace)
        throw Error(fmt::format("elements of the sparse tensor of shape {} cannot be replaced by those of another: make it "
                                "dense first",
                                shapeText(m_shape)));
    const HotTest test = makeTest(query.where, job);
    const SparseMarks marks(m_entries, m_seen, test, query.where.storedOnly, job);
    const StoredUpdate update(query, test, dtype());
    for (auto channel = marks.nextZeroHot(0); channel;) {
        if (!keepsZero(update, *channel, dtype()))
            throw Error(fmt::format("the update would change the zeros that the sparse tensor of shape {} does not store: use "
                                    "a condition that 0 does not meet, or only stored elements",
                                    shapeText(m_shape)));
        const auto next = test.nextCondition(*channel);
        channel = next ? marks.nextZeroHot(*next) : std::nullopt;
    }
    Selected result;
    result.before = marks.counts(job);
    result.after = result.before;
    std::vector<std::byte> values(m_entries.values.size());
    const int size = itemSize(dtype());
    for (std::size_t i = 0; i < m_entries.filled.size(); ++i) {
        job.check();
        const EntryRange range = m_entries.ofFilled(i);
        const HitCounts hits =
            update({m_entries.value(range.begin), nullptr, range.count(), values.data() + range.begin * size, false},
                   m_entries.channelOf(i));
        result.after[static_cast<std::size_t>(m_entries.filled[i])] += hits.after - hits.before;
    }
    result.values = toCoo(m_entries, partShape(m_shape, m_selection), values);
    return result;
}

std::vector<double> SparseLoaded::norms(const Norm& norm, const Job& job) const
{
    checkPlanes(m_shape, m_selection, m_extents);
    const NormTiles tiles(norm, dtype());
    std::vector<double> norms(static_cast<std::size_t>(m_extents.planes()));
    for (std::size_t i = 0; i < m_entries.filled.size(); ++i) {
        const EntryRange range = m_entries.ofFilled(i);
        const auto magnitude = [&](std::int64_t entry) {
            return std::abs(withSeenType(
                dtype(), [&](auto seen) { return static_cast<double>(toCompare(m_seen.at<decltype(seen)>(entry))); }));
        };
        double part = 0;
        if (std::isinf(norm.p))
            m_entries.forEntries(range, job, [&](std::int64_t entry) {
                if (isLarger(magnitude(entry), part))
                    part = magnitude(entry);
            });
        else
            part = laneSum(m_entries, range, job, [&](std::int64_t entry) { return normTerm(magnitude(entry), norm.p); });
        norms[static_cast<std::size_t>(m_entries.filled[i])] = tiles.total({&part, 1});
    }
    return norms;
}

Fused SparseLoaded::fuse(const LoadedTensor&, const Norm&, const Job&) const
{
    throw Error(fmt::format("the tensor of shape {} is sparse, and only dense tensors are fused: make it dense first",
                            shapeText(m_shape)));
}

} // namespace core

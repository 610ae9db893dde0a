// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sparse_scan.h"

#include "core/engine/dense_scan.h"
#include "core/engine/element_value.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {
namespace {

constexpr std::int64_t longestSide = 16384;
constexpr std::int64_t mostPixels = longestSide * longestSide;

template <class Seen>
void markEntries(const SparseEntries& entries, const SeenEntries& seen, const HotTest& test, const Job& job, std::uint8_t* hot)
{
    for (std::size_t i = 0; i < entries.filled.size(); ++i) {
        const auto predicate = test.predicate<Seen>(entries.channelOf(i));
        entries.forEntries(entries.ofFilled(i), job,
                           [&](std::int64_t entry) { hot[entry] = predicate(toCompare(seen.at<Seen>(entry))); });
    }
}

/// Whether an implicit zero meets each condition of a test.
std::vector<bool> zeroHotness(DType dtype, const HotTest& test)
{
    const std::vector<std::byte> zero(static_cast<std::size_t>(itemSize(dtype)));
    const ComplexView view = test.complexView();
    std::vector<bool> out;
    for (std::size_t i = 0; i < test.conditionCount(); ++i)
        out.push_back(withSeenType(dtype, [&](auto seen) {
            using Seen = decltype(seen);
            if constexpr (std::is_same_v<Seen, double>)
                if (isComplex(dtype))
                    return test.predicateOf<double>(i)(view.see(dtype, zero.data()));
            return test.predicateOf<Seen>(i)(CompareOf<Seen>{});
        }));
    return out;
}

/// Sums of the pixels of one batch item.
struct PixelArrays
{
    explicit PixelArrays(std::int64_t pixels)
        : zeros(static_cast<std::size_t>(pixels)), count(zeros.size()), sum(zeros.size()), absolute(zeros.size()),
          square(zeros.size()), max(zeros.size(), std::numeric_limits<double>::quiet_NaN())
    {
    }

    void add(std::size_t pixel, double value)
    {
        if (count[pixel]++ == 0 || value > max[pixel] || std::isnan(value))
            max[pixel] = value;
        sum[pixel] += value;
        absolute[pixel] += std::abs(value);
        square[pixel] += value * value;
    }

    void addZeros()
    {
        for (std::size_t pixel = 0; pixel < zeros.size(); ++pixel) {
            if (zeros[pixel] == 0)
                continue;
            if (count[pixel] == 0 || max[pixel] < 0)
                max[pixel] = 0;
            count[pixel] += zeros[pixel];
        }
    }

    /// Hot implicit zeros.
    std::vector<std::int32_t> zeros;
    std::vector<std::int32_t> count;
    std::vector<double> sum;
    std::vector<double> absolute;
    std::vector<double> square;
    std::vector<double> max;
};

} // namespace

void checkPictureSize(const Extents& extents)
{
    if (extents.height > longestSide || extents.width > longestSide || extents.planeElements() > mostPixels)
        throw Error(fmt::format("a picture of {} x {} pixels of a sparse tensor is too large, at most {} a side are possible; "
                                "use counts or coordinates",
                                extents.depth > 1 ? fmt::format("{} x {}", extents.depth, extents.height)
                                                  : fmt::format("{}", extents.height),
                                extents.width, longestSide));
}

SparseMarks::SparseMarks(const SparseEntries& entries, const SeenEntries& seen, const HotTest& test, bool storedOnly,
                         const Job& job)
    : m_entries(entries),
      m_own(isComplex(entries.dtype) ? std::optional<SeenEntries>(std::in_place, entries, test.complexView()) : std::nullopt),
      m_seen(m_own ? *m_own : seen), m_test(test), m_hot(entries.own.size()),
      m_zeroHot(storedOnly ? std::vector<bool>(test.conditionCount()) : zeroHotness(entries.dtype, test))
{
    withSeenType(entries.dtype, [&](auto type) { markEntries<decltype(type)>(entries, m_seen, test, job, m_hot.data()); });
}

std::int64_t SparseMarks::zeroHotChannels() const
{
    const std::int64_t channels = m_entries.extents.channels;
    if (!m_test.isPerChannel())
        return m_zeroHot.front() ? channels : 0;
    const auto own = static_cast<std::ptrdiff_t>(m_test.ownConditions());
    std::int64_t hot = std::count(m_zeroHot.begin(), m_zeroHot.begin() + own, true);
    if (own < static_cast<std::ptrdiff_t>(m_zeroHot.size()) && m_zeroHot.back())
        hot += channels - own;
    return hot;
}

bool SparseMarks::isAnyZeroHot() const
{
    return zeroHotChannels() > 0;
}

bool SparseMarks::isMixed() const
{
    return isAnyZeroHot() && zeroHotChannels() < m_entries.extents.channels;
}

std::optional<std::int64_t> SparseMarks::nextZeroHot(std::int64_t channel) const
{
    const std::int64_t channels = m_entries.extents.channels;
    while (channel < channels && !isZeroHot(channel))
        channel = m_test.nextCondition(channel).value_or(channels);
    return channel < channels ? std::optional(channel) : std::nullopt;
}

double SparseMarks::real(std::int64_t entry) const
{
    return toDouble(scalar(entry));
}

Scalar SparseMarks::scalar(std::int64_t entry) const
{
    return withSeenType(m_entries.dtype, [&](auto seen) { return scalarOf(m_seen.at<decltype(seen)>(entry)); });
}

Scalar SparseMarks::zero() const
{
    return withSeenType(m_entries.dtype, [](auto seen) { return scalarOf(decltype(seen){}); });
}

std::int64_t SparseMarks::count(const Job& job) const
{
    const Extents& extents = m_entries.extents;
    std::int64_t count = zeroHotChannels() * extents.batches * extents.planeElements();
    for (std::size_t i = 0; i < m_entries.filled.size(); ++i) {
        // An element that is stored is no implicit zero.
        const bool isInstead = isZeroHot(m_entries.channelOf(i));
        m_entries.forEntries(m_entries.ofFilled(i), job, [&](std::int64_t entry) { count += isHot(entry) - isInstead; });
    }
    return count;
}

std::vector<std::int64_t> SparseMarks::counts(const Job& job) const
{
    const Extents& extents = m_entries.extents;
    std::vector<std::int64_t> out(static_cast<std::size_t>(extents.planes()));
    for (std::size_t plane = 0; plane < out.size(); ++plane)
        if (isZeroHot(static_cast<std::int64_t>(plane) % extents.channels))
            out[plane] = extents.planeElements();
    for (std::size_t i = 0; i < m_entries.filled.size(); ++i) {
        const bool isInstead = isZeroHot(m_entries.channelOf(i));
        std::int64_t& count = out[static_cast<std::size_t>(m_entries.filled[i])];
        m_entries.forEntries(m_entries.ofFilled(i), job, [&](std::int64_t entry) { count += isHot(entry) - isInstead; });
    }
    return out;
}

std::vector<Sum> SparseMarks::hotSums(const Job& job) const
{
    const bool isInteger = !isFloating(m_entries.dtype) && !isComplex(m_entries.dtype);
    std::vector<Sum> out(static_cast<std::size_t>(m_entries.extents.planes()), Sum{isInteger, 0, 0});
    for (std::size_t i = 0; i < m_entries.filled.size(); ++i) {
        Sum& sum = out[static_cast<std::size_t>(m_entries.filled[i])];
        const EntryRange range = m_entries.ofFilled(i);
        if (isInteger)
            m_entries.forEntries(range, job, [&](std::int64_t entry) {
                if (isHot(entry))
                    sum.integer += std::visit([](auto v) { return static_cast<__int128>(v); }, scalar(entry));
            });
        else
            sum.real = laneSum(m_entries, range, job, [&](std::int64_t entry) { return isHot(entry) ? real(entry) : 0.0; });
    }
    return out;
}

void SparseMarks::addBatch(std::int64_t batch, std::int64_t target, MapOutputs& out, const Job& job) const
{
    const Extents& extents = m_entries.extents;
    PixelArrays pixels(extents.planeElements());
    std::fill(pixels.zeros.begin(), pixels.zeros.end(), static_cast<std::int32_t>(zeroHotChannels()));
    const std::size_t end = m_entries.filledFrom((batch + 1) * extents.channels);
    for (std::size_t i = m_entries.filledFrom(batch * extents.channels); i < end; ++i) {
        const bool isInstead = isZeroHot(m_entries.channelOf(i));
        m_entries.forEntries(m_entries.ofFilled(i), job, [&](std::int64_t entry) {
            const auto pixel = static_cast<std::size_t>(m_entries.inPlane[static_cast<std::size_t>(entry)]);
            pixels.zeros[pixel] -= isInstead;
            if (isHot(entry))
                pixels.add(pixel, real(entry));
        });
    }
    pixels.addZeros();
    out.write(target, extents.planeElements(),
              PixelSums<double>{pixels.count.data(), pixels.sum.data(), pixels.absolute.data(), pixels.square.data(),
                                pixels.max.data()});
}

Tensor SparseMarks::heatMap(const HeatMapQuery& query, const Job& job) const
{
    const Extents& extents = m_entries.extents;
    checkPictureSize(extents);
    if (extents.channels > std::numeric_limits<std::int32_t>::max())
        throw Error(fmt::format("a heat map over {} channels cannot be counted; choose one channel", extents.channels));
    const std::int64_t batches = query.batch ? 1 : extents.batches;
    if (checkedProduct(batches, extents.planeElements()) > mostPixels)
        throw Error(
            fmt::format("heat maps of {} batch items of a sparse tensor are too large; choose one batch item", batches));
    MapOutputs out({query}, m_entries.dtype, batches * extents.planeElements());
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        job.check();
        addBatch(query.batch.value_or(0) + batch, batch * extents.planeElements(), out, job);
    }
    Shape shape = planeShape(extents);
    shape.insert(shape.begin(), batches);
    return out.take(shape).front();
}

Tensor SparseMarks::mask(PlaneIndex plane, const Job& job) const
{
    checkPictureSize(m_entries.extents);
    std::vector<std::byte> bytes(static_cast<std::size_t>(m_entries.extents.planeElements()),
                                 static_cast<std::byte>(isZeroHot(plane.channel)));
    const std::int64_t index = plane.batch * m_entries.extents.channels + plane.channel;
    m_entries.forEntries(m_entries.ofPlane(index), job, [&](std::int64_t entry) {
        const auto pixel = static_cast<std::size_t>(m_entries.inPlane[static_cast<std::size_t>(entry)]);
        bytes[pixel] = static_cast<std::byte>(isHot(entry));
    });
    return Tensor::contiguous(DType::boolean, planeShape(m_entries.extents), Storage::fromVector(std::move(bytes)));
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/code_scan.h"

#include "core/engine/code_sums.h"
#include "core/engine/reductions.h"
#include "core/engine/strided_copy.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace core {
namespace {

constexpr std::size_t openSlot = 4;
/// Elements of one step of a scan of a plane.
constexpr std::int64_t stretch = 65536;

/// Values of single elements of a plane, wherever they lie.
template <class Seen>
class Looker
{
public:
    Looker(const PlaneGrid& grid, PlaneIndex plane)
        : m_base(grid.planeBase(plane.batch, plane.channel)), m_order(grid.plane),
          m_isDirect(grid.plane.isOneRun() && grid.plane.innerStride() == 1)
    {
    }

    const std::byte* at(std::int64_t element) const
    {
        return m_base + (m_isDirect ? element : m_order.offsetOf(element)) * static_cast<std::int64_t>(sizeof(Seen));
    }

    static CompareOf<Seen> value(const std::byte* at)
    {
        Seen stored;
        std::memcpy(&stored, at, sizeof stored);
        return toCompare(stored);
    }

private:
    const std::byte* m_base;
    const StridedOrder& m_order;
    bool m_isDirect;
};

/// Calls use(index) for every set bit.
template <class Use>
void forBits(const std::uint64_t* words, std::int64_t n, Use use)
{
    for (std::int64_t i = 0; i < maskWords(n); ++i)
        for (std::uint64_t word = words[i]; word; word &= word - 1)
            use(i * 64 + std::countr_zero(word));
}

/// Open elements of a stretch of a plane: asked for from memory all at once, then looked at one by one.
template <class Seen>
class OpenElements
{
public:
    /// element(i) is the place of the i-th in the plane.
    template <class ElementOf>
    void collect(const Looker<Seen>& looker, ElementOf element, const std::uint64_t* open, std::int64_t n)
    {
        m_elements.clear();
        forBits(open, n, [&](std::int64_t i) {
            const std::byte* const at = looker.at(element(i));
            __builtin_prefetch(at);
            m_elements.push_back({at, static_cast<std::uint32_t>(i)});
        });
    }

    /// Calls use(index, value) for those that are hot.
    template <class Use>
    void forHot(const Predicate<CompareOf<Seen>>& predicate, Use use) const
    {
        for (const auto& [at, i] : m_elements)
            if (const auto value = Looker<Seen>::value(at); predicate(value))
                use(i, value);
    }

private:
    struct Element
    {
        const std::byte* at;
        std::uint32_t index;
    };
    std::vector<Element> m_elements;
};

/// The places of a stretch of a plane.
auto fromFirst(std::int64_t first)
{
    return [first](std::int64_t i) { return first + i; };
}

/// Marks `n` elements of a plane by their codes; element(i) is the place of the i-th in the plane.
template <class Seen, class ElementOf>
void markRun(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const CodePlan& plan, const std::uint8_t* codes,
             std::int64_t n, ElementOf element, Scratch& scratch, std::uint64_t* words)
{
    const CodeTest& codeTest = plan.of(test, plane.channel).test;
    std::uint64_t* const open = codeTest.hasMixed ? scratch.take<std::uint64_t>(openSlot, maskWords(n)) : nullptr;
    markCodes(codes, n, codeTest, words, open);
    if (open) {
        OpenElements<Seen> elements;
        elements.collect(Looker<Seen>(grid, plane), element, open, n);
        elements.forHot(test.predicate<Seen>(plane.channel),
                        [&](std::uint32_t i, auto) { words[i / 64] |= std::uint64_t{1} << i % 64; });
    }
}

template <class Seen>
class CountPass
{
public:
    CountPass(const PlaneGrid& grid, const TensorIndex& index, const HotTest& test, const CodePlan& plan)
        : m_grid(grid), m_index(index), m_test(test), m_plan(plan)
    {
    }

    std::vector<std::int64_t> run(const Workers& workers, const Job& job)
    {
        const std::int64_t chunks = m_index.chunksOfPlane();
        std::vector<std::int64_t> counts(static_cast<std::size_t>(m_grid.extents.planes() * chunks));
        // Small planes are taken several at a time.
        const std::int64_t elements = m_grid.extents.planeElements();
        const std::int64_t together = std::max(stretch / std::max(elements, std::int64_t{1}), std::int64_t{1});
        const auto items = (std::ssize(counts) + together - 1) / together;
        workers.forEach(items, job, [&](std::int64_t item, Scratch& scratch) {
            OpenElements<Seen> elementsLeft;
            for (std::int64_t chunk = item * together; chunk < std::min((item + 1) * together, std::ssize(counts)); ++chunk)
                counts[static_cast<std::size_t>(chunk)] = countChunk(chunk, chunks, elementsLeft, scratch);
        });
        return counts;
    }

private:
    std::int64_t countChunk(std::int64_t chunk, std::int64_t chunks, OpenElements<Seen>& openElements, Scratch& scratch)
    {
        const std::int64_t number = chunk / chunks;
        const PlaneIndex plane{number / m_grid.extents.channels, number % m_grid.extents.channels};
        const CodeAnswer& answer = m_plan.of(m_test, plane.channel);
        std::int64_t count = m_index.elementsIn(chunk, answer);
        if (!answer.test.hasMixed)
            return count;
        const auto predicate = m_test.predicate<Seen>(plane.channel);
        const Looker<Seen> looker(m_grid, plane);
        const std::int64_t begin = chunk % chunks * m_index.chunkElements();
        const std::int64_t end = std::min(begin + m_index.chunkElements(), m_grid.extents.planeElements());
        std::uint64_t* const hot = scratch.take<std::uint64_t>(openSlot + 1, maskWords(stretch));
        std::uint64_t* const open = scratch.take<std::uint64_t>(openSlot, maskWords(stretch));
        for (std::int64_t first = begin; first < end; first += stretch) {
            const std::int64_t n = std::min(stretch, end - first);
            markCodes(m_plan.codes->plane(plane.batch, plane.channel) + first, n, answer.test, hot, open);
            openElements.collect(looker, fromFirst(first), open, n);
            openElements.forHot(predicate, [&](std::uint32_t, auto) { ++count; });
        }
        return count;
    }

    const PlaneGrid& m_grid;
    const TensorIndex& m_index;
    const HotTest& m_test;
    const CodePlan& m_plan;
};

/// Maps of some batch items, tile by tile, every tile through all channels.
template <class Seen>
class CodeMapPass
{
    using Map = MapType<Seen>;
    static constexpr std::int64_t mostPixels = 32768;
    static constexpr std::size_t countSlot = 6;

public:
    CodeMapPass(const PlaneGrid& grid, const HotTest& test, const MapJob& maps, const std::optional<CodePlan>& plan,
                const MaxMap& maxMap)
        : m_grid(grid), m_test(test), m_maps(maps), m_plan(plan), m_maxMap(maxMap), m_needs(needsOf(maps.queries)),
          m_out(maps.queries, grid.dtype, maps.batches * grid.extents.planeElements(), maps.pool),
          m_predicates(test.predicates<Seen>())
    {
    }

    std::vector<Tensor> run(const Workers& workers, const Job& job)
    {
        const std::int64_t elements = m_grid.extents.planeElements();
        const std::int64_t pixels = evenTilePixels(elements, m_maps.batches, workers.threads(), mostPixels);
        const std::int64_t tiles = (elements + pixels - 1) / pixels;
        workers.forEach(m_maps.batches * tiles, job, [&](std::int64_t item, Scratch& scratch) {
            const std::int64_t first = item % tiles * pixels;
            tile(m_maps.firstBatch + item / tiles, first, std::min(pixels, elements - first), item / tiles * elements + first,
                 scratch, job);
        });
        Shape shape = planeShape(m_grid.extents);
        shape.insert(shape.begin(), m_maps.batches);
        return m_out.take(shape);
    }

private:
    void tile(std::int64_t batch, std::int64_t first, std::int64_t n, std::int64_t target, Scratch& scratch, const Job& job)
    {
        PixelSums<Map> found;
        if (m_needs.count || m_needs.sum) {
            const CodeTotals sums = addChannels(batch, first, n, scratch, job);
            found.count = sums.count;
            found.sum = sums.sum;
        }
        if (m_needs.max)
            found.max = largest(batch, first, n, scratch);
        m_out.write(target, n, found);
    }

    CodeTotals addChannels(std::int64_t batch, std::int64_t first, std::int64_t n, Scratch& scratch, const Job& job)
    {
        CodeTotals sums;
        sums.pixels = n;
        sums.count = scratch.take<std::int32_t>(countSlot, n);
        std::fill_n(sums.count, n, 0);
        if (m_needs.sum) {
            sums.sum = scratch.take<double>(countSlot + 1, n);
            std::fill_n(sums.sum, n, 0.0);
            sums.base = m_plan->codes->base();
            sums.step = m_plan->codes->step();
        }
        takeShort(sums, scratch, countSlot + 2);
        const std::int64_t channels = m_grid.extents.channels;
        const CodeTest& test = m_plan->answers.front().test;
        if (m_test.isPerChannel() || isLeftOpen(test, m_needs.sum))
            addOneByOne(batch, first, sums, scratch, job);
        else
            addAllCodes({m_plan->codes->plane(batch, 0) + first, channels, m_plan->codes->channelStride()}, test, sums, job);
        return sums;
    }

    /// Channels with open elements, or with tests of their own.
    void addOneByOne(std::int64_t batch, std::int64_t first, const CodeTotals& sums, Scratch& scratch, const Job& job) const
    {
        // Open elements of a channel are looked at while the next one's codes are read.
        OpenElements<Seen> open[2];
        int waiting = -1;
        const std::int64_t channels = m_grid.extents.channels;
        std::uint64_t* const words = scratch.take<std::uint64_t>(openSlot, maskWords(sums.pixels));
        for (std::int64_t c = 0; c < channels;) {
            const CodeTest& test = m_plan->of(m_test, c).test;
            CodeRun run;
            run.codes = m_plan->codes->plane(batch, c) + first;
            run.pixels = sums.pixels;
            run.count = sums.shortCount;
            run.sum = sums.shortSum;
            run.open = isLeftOpen(test, m_needs.sum) ? words : nullptr;
            run.ahead = c + 1 < channels ? m_plan->codes->channelStride() : 0;
            addCodes(run, test);
            if (run.open)
                open[c % 2].collect(Looker<Seen>(m_grid, {batch, c}), fromFirst(first), words, sums.pixels);
            if (waiting >= 0)
                addOpen(open[waiting], c - 1, sums);
            waiting = run.open ? static_cast<int>(c % 2) : -1;
            ++c;
            if (c % mostShortChannels == 0 || c == channels) {
                addUpCodes(sums);
                job.check();
            }
        }
        if (waiting >= 0)
            addOpen(open[waiting], channels - 1, sums);
    }

    void addOpen(const OpenElements<Seen>& open, std::int64_t channel, const CodeTotals& sums) const
    {
        const auto& predicate = m_predicates[m_test.isPerChannel() ? m_test.conditionOf(channel) : 0];
        open.forHot(predicate, [&](std::uint32_t i, auto value) {
            ++sums.count[i];
            if (sums.sum)
                sums.sum[i] += static_cast<double>(value);
        });
    }

    const Map* largest(std::int64_t batch, std::int64_t first, std::int64_t n, Scratch& scratch) const
    {
        const auto* const all = m_maxMap.values<Seen>() + batch * m_grid.extents.planeElements() + first;
        Map* const hot = scratch.take<Map>(countSlot + 4, n);
        const auto lowest = static_cast<Map>(m_predicates.front().lo);
        if constexpr (std::is_same_v<KeptMax<Seen>, Map>) {
            keepFrom(all, n, lowest, hot);
        } else {
            std::fill_n(hot, n, -std::numeric_limits<Map>::infinity());
            raiseMax<Seen>(reinterpret_cast<const std::byte*>(all), n, hot);
            keepFrom(hot, n, lowest, hot);
        }
        return hot;
    }

    const PlaneGrid& m_grid;
    const HotTest& m_test;
    const MapJob& m_maps;
    const std::optional<CodePlan>& m_plan;
    const MaxMap& m_maxMap;
    MapNeeds m_needs;
    MapOutputs m_out;
    std::vector<Predicate<CompareOf<Seen>>> m_predicates;
};

/// Whether a test is `lo <= v` for one lo above every -inf, so that the largest value of a pixel tells all.
bool isLowerBound(const HotTest& test, DType dtype)
{
    if (test.isPerChannel() || isComplex(dtype))
        return false;
    return withSeenType(dtype, [&](auto seen) {
        using Compare = CompareOf<decltype(seen)>;
        const auto predicate = test.predicate<decltype(seen)>(0);
        if constexpr (std::is_floating_point_v<Compare>) {
            if (!(predicate.lo > -std::numeric_limits<Compare>::infinity()))
                return false;
            return !predicate.invert && !predicate.nanHot && predicate.hi == std::numeric_limits<Compare>::infinity();
        } else {
            return !predicate.invert && predicate.lo <= predicate.hi && predicate.hi == std::numeric_limits<Compare>::max();
        }
    });
}

/// An open element costs a line of the cache, as much as reading the values of many.
double mostOpen(CodeUse use, int valueBytes)
{
    switch (use) {
    case CodeUse::counts:
        // Values of two bytes are counted as fast as their codes.
        return 0.0015 * (valueBytes - 2);
    case CodeUse::marks:
        return 0.003 * valueBytes;
    default:
        return 0.005;
    }
}

} // namespace

std::optional<CodePlan> planCodes(const ValueCodes* codes, const HotTest& test, CodeUse use)
{
    if (!codes)
        return std::nullopt;
    const double most = mostOpen(use, codes->valueBytes());
    CodePlan plan{codes, {}};
    for (std::size_t condition = 0; condition < test.conditionCount(); ++condition) {
        auto answer = codes->answer(test, condition, use == CodeUse::draft);
        if (!answer || answer->openShare > most)
            return std::nullopt;
        plan.answers.push_back(std::move(*answer));
    }
    return plan;
}

std::vector<std::int64_t> countByCodes(const PlaneGrid& grid, const TensorIndex& index, const HotTest& test,
                                       const CodePlan& plan, const Workers& workers, const Job& job)
{
    return withSeenType(grid.dtype,
                        [&](auto seen) { return CountPass<decltype(seen)>(grid, index, test, plan).run(workers, job); });
}

bool canReduceByCodes(const MapJob& maps, const std::optional<CodePlan>& plan, const MaxMap& maxMap, const HotTest& test,
                      DType dtype, bool draft)
{
    return std::all_of(maps.queries.begin(), maps.queries.end(), [&](const HeatMapQuery& query) {
        switch (query.reduction) {
        case Reduction::count:
            return plan.has_value();
        case Reduction::sum:
        case Reduction::mean:
            return plan && (draft || plan->codes->areValues());
        case Reduction::max:
            return !maxMap.isEmpty() && isLowerBound(test, dtype);
        default:
            return false;
        }
    });
}

CodeMaps reduceByCodes(const PlaneGrid& grid, const HotTest& test, const MapJob& maps, const std::optional<CodePlan>& plan,
                       const MaxMap& maxMap, const Workers& workers, const Job& job)
{
    const MapNeeds needs = needsOf(maps.queries);
    CodeMaps out;
    const bool isNear = plan && std::any_of(plan->answers.begin(), plan->answers.end(),
                                            [](const CodeAnswer& answer) { return !answer.isExact; });
    out.areExact = !((needs.count || needs.sum) && isNear) && (!needs.sum || plan->codes->areValues());
    out.maps = withSeenType(
        grid.dtype, [&](auto seen) { return CodeMapPass<decltype(seen)>(grid, test, maps, plan, maxMap).run(workers, job); });
    return out;
}

std::int64_t markRunByCodes(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const CodePlan& plan,
                            std::int64_t first, std::int64_t n, Scratch& scratch, std::uint64_t* words)
{
    withSeenType(grid.dtype, [&](auto seen) {
        markRun<decltype(seen)>(grid, test, plane, plan, plan.codes->plane(plane.batch, plane.channel) + first, n,
                                fromFirst(first), scratch, words);
    });
    return countMask(words, maskWords(n));
}

Tensor markByCodes(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const CodePlan& plan, std::int64_t step,
                   const Workers& workers, const Job& job)
{
    constexpr std::size_t maskSlot = 2;
    constexpr std::size_t thinSlot = 3;
    Extents thin = grid.extents;
    thin.height = (thin.height + step - 1) / step;
    thin.width = (thin.width + step - 1) / step;
    std::vector<std::byte> bytes(static_cast<std::size_t>(thin.planeElements()));
    auto* out = reinterpret_cast<std::uint8_t*>(bytes.data());
    const std::uint8_t* const codes = plan.codes->plane(plane.batch, plane.channel);
    const std::int64_t width = grid.extents.width;
    const auto rowStart = [&](std::int64_t row) {
        return (row / thin.height * grid.extents.height + row % thin.height * step) * width;
    };
    const std::int64_t rows = bytes.empty() ? 0 : thin.planeElements() / thin.width;
    const std::int64_t together = std::max(stretch / std::max(thin.width, std::int64_t{1}), std::int64_t{1});
    workers.forEach((rows + together - 1) / together, job, [&](std::int64_t item, Scratch& scratch) {
        const std::int64_t firstRow = item * together;
        const std::int64_t n = (std::min(firstRow + together, rows) - firstRow) * thin.width;
        const std::uint8_t* from = codes + rowStart(firstRow);
        if (step > 1) {
            auto* const packed = scratch.take<std::uint8_t>(thinSlot, n);
            for (std::int64_t row = 0; row * thin.width < n; ++row) {
                const CopyAxis axis{thin.width, step, 1};
                copyBox(reinterpret_cast<const std::byte*>(codes + rowStart(firstRow + row)),
                        reinterpret_cast<std::byte*>(packed + row * thin.width), {&axis, 1}, 1);
            }
            from = packed;
        }
        auto* words = scratch.take<std::uint64_t>(maskSlot, maskWords(n));
        withSeenType(grid.dtype, [&](auto seen) {
            markRun<decltype(seen)>(
                grid, test, plane, plan, from, n,
                [&](std::int64_t i) { return rowStart(firstRow + i / thin.width) + i % thin.width * step; }, scratch, words);
        });
        expandMask(words, n, out + firstRow * thin.width);
    });
    return Tensor::contiguous(DType::boolean, planeShape(thin), Storage::fromVector(std::move(bytes)));
}

} // namespace core

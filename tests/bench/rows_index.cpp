// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/first_scan.h"
#include "core/engine/kernels_narrow.h"
#include "core/engine/memory_plan.h"
#include "core/engine/tensor_index.h"
#include "tests/bench/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include <malloc.h>

namespace bench {
namespace {

/// What a window shows of the coordinate list.
constexpr std::int64_t visibleRows = 60;

core::Selection everything()
{
    return core::Selection::all(core::Layout::guess(4));
}

core::Where above(double threshold)
{
    return core::Where::parse(fmt::format("> {}", threshold));
}

core::Tensor tensorOver(std::span<const float> values, const Extent& extent)
{
    return core::Tensor::contiguous(core::DType::f32, {extent.batches, extent.channels, extent.height, extent.width},
                                    core::Storage{std::as_bytes(values), nullptr, nullptr});
}

core::Tensor tensorOver(std::span<const core::Half> values, const Extent& extent)
{
    return core::Tensor::contiguous(core::DType::f16, {extent.batches, extent.channels, extent.height, extent.width},
                                    core::Storage{std::as_bytes(values), nullptr, nullptr});
}

void look(Suite& suite, const core::Tensor& tensor, const Extent& extent, double threshold)
{
    if (suite.peers())
        suite.peers()->look(tensor.data(), tensor.dtype(), extent, threshold);
}

void look(Suite& suite, std::span<const float> values, const Extent& extent, double threshold)
{
    look(suite, tensorOver(values, extent), extent, threshold);
}

/// What is done once to a tensor: the first scan, and the index.
class BuildRows
{
public:
    BuildRows(Suite& suite, std::span<const float> values, const Extent& extent)
        : m_suite(suite), m_values(values), m_extent(extent), m_tensor(tensorOver(values, extent)), m_selection(everything()),
          m_grid(m_tensor, m_selection), m_plan(core::planMemory(m_grid, core::memoryLimit(m_tensor)))
    {
        m_plan.index.pool = m_pool;
    }

    void run(const std::string& size)
    {
        addScan("first_scan/" + size, {true, false});
        addScan("first_scan/" + size + "/max_map", {true, true});
        const std::string name = "histograms/" + size;
        if (m_suite.wants(name))
            addHistograms(name);
    }

private:
    core::FirstScan scan(const core::ScanParts& parts)
    {
        return core::scanFirst(core::BlockReader(m_grid), parts, m_pool, m_suite.workers(), {});
    }

    void addScan(const std::string& name, const core::ScanParts& parts)
    {
        if (!m_suite.wants(name))
            return;
        look(m_suite, m_values, m_extent, 0);
        const core::FirstScan first = scan(parts);
        std::vector<double> min;
        std::vector<double> max;
        for (const core::PlaneStatistics& plane : first.planes) {
            min.push_back(core::toDouble(*plane.values.min));
            max.push_back(core::toDouble(*plane.values.max));
        }
        m_suite.add(
            {name, [this, parts] { scan(parts); }, {}, {}, m_suite.equal([&](Peers& p) { return p.equalRanges(min, max); })},
            std::as_bytes(m_values));
    }

    void addHistograms(const std::string& name)
    {
        const core::Statistics all = m_suite.engine().load(m_tensor, m_selection)->statistics();
        const auto build = [&] {
            return core::buildTensorIndex(core::BlockReader(m_grid), all, m_plan.index, m_suite.workers(), {});
        };
        const auto index = build();
        const double stop = core::nearestStop(index->stops(), 1);
        look(m_suite, m_values, m_extent, stop);
        const core::Where where = above(stop);
        const core::HotTest test(core::DType::f32, where.comparison, {where.condition});
        m_suite.add({name, [&] { build(); }, {}, {}, m_suite.equal([&](Peers& p) {
                         const auto counts = index->counts(test);
                         return counts && p.equalCounts(counts->data());
                     })},
                    std::as_bytes(m_values));
    }

    Suite& m_suite;
    std::span<const float> m_values;
    Extent m_extent;
    core::Tensor m_tensor;
    core::Selection m_selection;
    core::PlaneGrid m_grid;
    std::shared_ptr<core::BufferPool> m_pool = std::make_shared<core::BufferPool>(std::size_t{1} << 30);
    core::MemoryPlan m_plan;
};

/// What a dragged threshold asks of a tensor with an index.
class DragRows
{
public:
    DragRows(Suite& suite, core::Tensor tensor, const Extent& extent)
        : m_suite(suite), m_tensor(std::move(tensor)), m_extent(extent), m_loaded(suite.engine().load(m_tensor, everything()))
    {
        m_loaded->buildIndex();
    }

    void run(const std::string& variant, double threshold)
    {
        if (m_suite.wants("slider/" + variant))
            addSlider("slider/" + variant, threshold);
        if (m_suite.wants("percentile/" + variant))
            addPercentile("percentile/" + variant, threshold);
        if (m_suite.wants("visible_map/" + variant))
            addVisibleMap("visible_map/" + variant, threshold);
        if (m_suite.wants("rows/" + variant))
            addRows("rows/" + variant, threshold);
        if (m_suite.wants("coords_memory/" + variant))
            addMemory("coords_memory/" + variant, threshold);
    }

    void addSlider(const std::string& name, double threshold)
    {
        core::Query query;
        query.draft = true;
        query.heatMaps = {{core::Reduction::count, false, std::nullopt}, {core::Reduction::max, false, std::nullopt}};
        query.rows = core::RowWindow{0, visibleRows};
        double stop = m_loaded->nearestStop(threshold);
        const auto drag = [&] {
            stop = m_loaded->stepStop(stop, 1);
            query.where = above(stop);
            return m_loaded->run(query);
        };
        const core::Result first = drag();
        look(m_suite, m_tensor, m_extent, stop);
        m_suite.add(
            {name, [&] { drag(); }, {}, {}, m_suite.equal([&](Peers& p) { return p.equalCounts(first.counts.data()); })},
            bytes());
    }

private:
    /// The value that a part of all values lies above, another part every time.
    void addPercentile(const std::string& name, double threshold)
    {
        core::Query query;
        query.counts = false;
        const auto elements = static_cast<double>(m_extent.elements());
        double percent = 100 - 100 * static_cast<double>(count(threshold)) / elements;
        const auto find = [&] {
            percent -= 1e-4;
            query.where = core::Where::parse(fmt::format("percentile {}", percent));
            return *m_loaded->run(query).thresholds[0].a;
        };
        const double found = find();
        // As many values lie above it as there should, but for those that equal it.
        const double expected = elements * (100 - percent) / 100;
        const double below = std::nextafter(static_cast<float>(found), -INFINITY);
        const bool isFound =
            static_cast<double>(count(found)) <= expected + 1 && static_cast<double>(count(below)) >= expected - 1;
        m_suite.add({name, [&] { find(); }, {}, {}, isFound}, bytes());
    }

    std::int64_t count(double threshold) const
    {
        core::Query query;
        query.where = above(threshold);
        return m_loaded->run(query).count;
    }

    /// Of one batch item, exact wherever the threshold lies; reads are of that batch item.
    void addVisibleMap(const std::string& name, double threshold)
    {
        core::Query query;
        query.where = above(threshold);
        query.counts = false;
        query.heatMaps = {{core::Reduction::count, false, 0}, {core::Reduction::sum, false, 0}};
        const auto image = static_cast<std::size_t>(m_extent.channels * m_extent.pixels());
        look(m_suite, m_tensor, m_extent, threshold);
        const core::Result result = m_loaded->run(query);
        const auto* const counts = reinterpret_cast<const std::int64_t*>(result.heatMaps[0].data());
        const auto* const sums = reinterpret_cast<const double*>(result.heatMaps[1].data());
        m_suite.add({name, [&] { m_loaded->run(query); }, {}, {}, m_suite.equal([&](Peers& p) {
                         return p.equalImage(0, counts, sums);
                     })},
                    bytes().first(image * static_cast<std::size_t>(core::itemSize(m_tensor.dtype()))));
    }

    /// What an answer with rows leaves in memory while it is held, beside the tensor and its index: rows are found when asked.
    void addMemory(const std::string& name, double threshold)
    {
        constexpr double rowBytes = 4 * sizeof(std::int64_t);
        core::Query query;
        query.where = above(m_loaded->nearestStop(threshold));
        query.rows = core::RowWindow{0, visibleRows};
        m_loaded->run(query);
        const auto before = static_cast<double>(mallinfo2().uordblks);
        const core::Result result = m_loaded->run(query);
        const double kept =
            std::max(static_cast<double>(mallinfo2().uordblks) - before, static_cast<double>(result.rows->rows()) * rowBytes);
        m_suite.addBytes(name, kept / static_cast<double>(result.count), "int64 x rank", rowBytes);
    }

    /// The 95th percentile of windows anywhere in the list, in place of a median.
    void addRows(const std::string& name, double threshold)
    {
        core::Query query;
        const double stop = m_loaded->nearestStop(threshold);
        query.where = above(stop);
        const std::int64_t hot = m_loaded->run(query).count;
        std::mt19937_64 random(1);
        std::vector<double> times;
        core::Result last;
        for (int i = 0; i < 300; ++i) {
            query.rows = core::RowWindow{
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(hot - visibleRows, 1))),
                visibleRows};
            const auto begin = std::chrono::steady_clock::now();
            last = m_loaded->run(query);
            times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
        std::sort(times.begin(), times.end());
        look(m_suite, m_tensor, m_extent, stop);
        const auto equal = m_suite.equal(
            [&](Peers& p) { return p.equalRowWindow(last.rows->firstRow, last.rows->rows(), last.rows->indices.data()); });
        m_suite.addTime(name, times[times.size() * 95 / 100], bytes(), equal);
    }

    std::span<const std::byte> bytes() const { return {m_tensor.data(), static_cast<std::size_t>(m_tensor.bytes())}; }

    Suite& m_suite;
    core::Tensor m_tensor;
    Extent m_extent;
    std::unique_ptr<core::LoadedTensor> m_loaded;
};

/// Counts of all planes at a stop, many times over: one takes microseconds.
double lookupMs(const core::LoadedTensor& loaded)
{
    constexpr int times = 200;
    core::Query query;
    double stop = loaded.nearestStop(1);
    std::vector<core::Where> wheres;
    for (int i = 0; i < times; ++i) {
        stop = loaded.stepStop(stop, 1);
        wheres.push_back(above(stop));
    }
    const auto begin = std::chrono::steady_clock::now();
    for (const core::Where& where : wheres) {
        query.where = where;
        loaded.run(query);
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / times;
}

/// 256 planes each: of 1 MiB, and of 16 MiB. The large tensor is a view that shows 1 GiB four times; its index is its own.
void addLookups(Suite& suite, std::span<const float> values)
{
    if (!suite.wants("counts_lookup"))
        return;
    const core::Tensor images =
        core::Tensor::contiguous(core::DType::f32, {4, 64, 512, 512}, core::Storage{std::as_bytes(values), nullptr, nullptr});
    const auto small = suite.engine().load(images, everything());
    const core::Tensor view(core::DType::f32, {4, 64, 2048, 2048}, {0, 2048 * 2048, 2048, 1},
                            core::Storage{std::as_bytes(values), nullptr, nullptr});
    const auto large = suite.engine().load(view, everything());
    small->buildIndex();
    large->buildIndex();
    core::Query query;
    query.where = above(large->nearestStop(1));
    // The large tensor's first batch item is all that there is of it.
    look(suite, values, {1, 64, 2048, 2048}, query.where.condition.a.real);
    const auto equal = suite.equal([&](Peers& p) { return p.equalCounts(large->run(query).counts.data()); });
    suite.add({"counts_lookup", [&] { lookupMs(*large); }, {{"256 MiB by look-up", [&] { lookupMs(*small); }}}, {}, equal},
              std::as_bytes(values));
}

/// As many float16 values as there are float32 ones.
void addHalves(Suite& suite, std::span<const float> values, const Extent& extent, const std::string& variant)
{
    const std::string name = "slider_half/" + variant;
    if (!suite.wants(name))
        return;
    const auto loan = suite.pool().take(values.size() * sizeof(core::Half));
    const auto halves = loan.as<core::Half>(values.size());
    core::narrow(values.data(), std::ssize(values), halves.data());
    DragRows(suite, tensorOver(std::span<const core::Half>(halves), extent), extent)
        .addSlider(name, thresholdFor(values, 0.008));
}

} // namespace

void addIndexRows(Suite& suite)
{
    const std::string size = "1GiB";
    const Extent extent{4, 64, 1024, 1024};
    constexpr double fractions[] = {0.00002, 0.008, 0.1};
    std::vector<std::string> built = {"first_scan/" + size, "first_scan/" + size + "/max_map", "histograms/" + size};
    std::vector<std::string> dragged;
    for (const char* row : {"slider", "percentile", "visible_map", "rows", "coords_memory"})
        for (const double fraction : fractions)
            dragged.push_back(fmt::format("{}/{}/{}", row, size, percent(fraction)));
    if (!suite.wantsAny(built) && !suite.wantsAny(dragged) && !suite.wants("counts_lookup") &&
        !suite.wants("slider_half/" + size + "/" + percent(0.008)))
        return;
    const auto elements = static_cast<std::size_t>(extent.elements());
    const auto loan = suite.pool().take(elements * sizeof(float));
    const auto values = loan.as<float>(elements);
    fill(values, extent, DataKind::iid);
    suite.eachTarget([&] {
        BuildRows(suite, values, extent).run(size);
        if (suite.wantsAny(dragged)) {
            DragRows drag(suite, tensorOver(values, extent), extent);
            for (const double fraction : fractions)
                drag.run(size + "/" + percent(fraction), thresholdFor(values, fraction));
        }
        addLookups(suite, values);
        addHalves(suite, values, extent, size + "/" + percent(0.008));
    });
}

} // namespace bench

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/case_table.h"

#include "tests/gpu/compare_operations.h"
#include "tests/gpu/compare_values.h"
#include "tests/support/shape_cases.h"

#include <fmt/format.h>

#include <iterator>

using namespace core;

namespace support {
namespace {

/// Beside those of every engine: planes of one pixel, of less and more than a tile, of many blocks; one channel and more than a
/// block counts at once, of several batch items.
std::vector<ShapeCase> makeShapes()
{
    std::vector<ShapeCase> all = {{{9000}, "W"},
                                  {{700}, "N"},
                                  {{1, 1, 1, 1}, "NCHW"},
                                  {{2, 20, 64, 64}, "NCHW"},
                                  {{1, 3, 300, 301}, "NCHW"},
                                  {{3, 40, 16, 20}, "NCHW"}};
    all.insert(all.begin(), std::begin(shapeCases), std::end(shapeCases));
    return all;
}

const std::vector<ShapeCase> shapes = makeShapes();
/// Of the last case: enough pixels for wide loads, in each of several batch items.
const ShapeCase wideShape = {{2, 2, 512, 512}, "NCHW"};

const char* const realConditions[] = {
    "> 0.5",           ">= 1",          "< -1.5",       "<= 0",       "== 1",       "!= 0",         ">= 0",
    "> -inf",          "between -1 2",  "outside -3 3", "abs > 2",    "abs >= 1.5", "nan",          "inf",
    "finite",          "> 1e300",       "== 0",         "> 300",      "> -1",       "percentile 0", "percentile 100",
    "percentile 37.5", "percentile 99", "sigma 1",      "sigma -0.5", "max 0.25",   "otsu"};
const char* const complexConditions[] = {"== 1", "!= 0", "abs > 2", "abs >= 1.5", "nan", "inf", "finite"};

} // namespace

Where randomWhere(DType dtype, Random& random)
{
    Where where = Where::parse(isComplex(dtype) ? complexConditions[random() % std::size(complexConditions)]
                                                : realConditions[random() % std::size(realConditions)]);
    where.comparison = random() % 2 ? Comparison::torch : Comparison::exact;
    where.perChannel = random() % 2;
    return where;
}

std::int64_t below(std::int64_t n, Random& random)
{
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

namespace {

Query randomQuery(DType dtype, const Extents& extents, Random& random)
{
    Query query;
    query.where = randomWhere(dtype, random);
    query.hotSums = random() % 2;
    query.counts = random() % 4 != 0;
    for (const Reduction reduction :
         {Reduction::sum, Reduction::count, Reduction::max, Reduction::mean, Reduction::l1, Reduction::l2}) {
        if (random() % 2)
            continue;
        query.heatMaps.push_back({reduction, random() % 3 == 0, std::nullopt});
        if (extents.batches > 0 && random() % 2)
            query.heatMaps.back().batch = below(extents.batches, random);
    }
    for (int i = 0; i < 2 && extents.planes() > 0; ++i)
        query.masks.push_back({below(extents.batches, random), below(extents.channels, random)});
    query.rows = RowWindow{static_cast<std::int64_t>(random() % 3000), static_cast<std::int64_t>(random() % 80)};
    if (random() % 3 == 0)
        query.rows->first = static_cast<std::int64_t>(random() % 30);
    return query;
}

std::string compareRows(const std::string& what, const Coordinates& expected, const Coordinates& actual)
{
    if (expected.firstRow != actual.firstRow || expected.rank != actual.rank || expected.indices != actual.indices)
        return fmt::format("{}: {} rows from {}, not the same {} from {}", what, actual.rows(), actual.firstRow,
                           expected.rows(), expected.firstRow);
    if (expected.values.size() != actual.values.size())
        return fmt::format("{}: {} values, not {}", what, actual.values.size(), expected.values.size());
    for (std::size_t i = 0; i < expected.values.size(); ++i)
        if (!same(expected.values[i], actual.values[i]))
            return fmt::format("{}: value of row {}", what, i);
    return {};
}

std::string compareStatistics(const LoadedTensor& cpu, const LoadedTensor& gpu)
{
    const auto& expected = cpu.planeStatistics();
    const auto& actual = gpu.planeStatistics();
    if (expected.size() != actual.size())
        return fmt::format("{} planes, not {}", actual.size(), expected.size());
    for (std::size_t plane = 0; plane < expected.size(); ++plane)
        if (!same(expected[plane], actual[plane]))
            return fmt::format("statistics of plane {}: sum {}, mean {}, std {} instead of {}, {}, {}", plane,
                               actual[plane].sum.toDouble(), actual[plane].mean.value_or(0), actual[plane].std.value_or(0),
                               expected[plane].sum.toDouble(), expected[plane].mean.value_or(0),
                               expected[plane].std.value_or(0));
    return same(cpu.statistics(), gpu.statistics()) ? "" : "statistics of all";
}

std::string compareHistograms(const GpuCase& c, const LoadedTensor& cpu, const LoadedTensor& gpu)
{
    std::vector<std::optional<PlaneIndex>> places{std::nullopt};
    if (cpu.extents().planes() > 0)
        places.push_back(PlaneIndex{cpu.extents().batches - 1, 0});
    for (const int bins : c.histogramBins)
        for (const auto& place : places) {
            const Histogram expected = cpu.histogram(place, bins);
            const Histogram actual = gpu.histogram(place, bins);
            if (!same(expected.lo, actual.lo) || !same(expected.hi, actual.hi) || expected.bins != actual.bins)
                return fmt::format("histogram of {} bins{}", bins, place ? " of the last plane" : "");
        }
    return {};
}

Coordinates allRows(const LoadedTensor& tensor, const Where& where, bool values)
{
    Coordinates all;
    tensor.coordinates(where, values, [&](const RowBlock& block) {
        all.indices.insert(all.indices.end(), block.indices.begin(), block.indices.end());
        all.values.insert(all.values.end(), block.values.begin(), block.values.end());
        all.firstRow += block.rows;
        return true;
    });
    return all;
}

} // namespace

GpuCase makeGpuCase(DType dtype, std::uint64_t number)
{
    Random random(1000 * static_cast<std::uint64_t>(dtype) + number);
    const auto& [shape, letters] = number + 1 == gpuCases ? wideShape : shapes[number % std::size(shapes)];
    const Strides strides = allStrides[number / std::size(shapes) % std::size(allStrides)];
    GpuCase c;
    c.tensor = randomTensor(dtype, shape, strides, random, random() % 4 != 0);
    c.selection = Selection::all(Layout::parse(letters, static_cast<int>(shape.size())));
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 0 && (c.selection.fixed[axis] || random() % 5 == 0))
            c.selection.fixed[axis] = below(shape[axis], random);
    c.name = fmt::format("case {}: {} {} {} {}", number, dtypeName(dtype), shapeText(shape), letters, stridesName(strides));
    const Strides otherStrides = allStrides[below(std::ssize(allStrides), random)];
    c.other = randomTensor(dtype, shape, otherStrides, random, random() % 4 != 0);
    const Extents extents = extentsOf(shape, c.selection);
    for (int i = 0; i < 3; ++i)
        c.queries.push_back(randomQuery(dtype, extents, random));
    c.histogramBins = {1, 16, 300};
    if (number % 16 == 0)
        c.histogramBins.push_back(5000);
    return c;
}

std::string compareResults(const Query& query, const Result& expected, const Result& actual)
{
    if (query.counts && (expected.counts != actual.counts || expected.count != actual.count))
        return fmt::format("counts: {} hot elements, not {}", actual.count, expected.count);
    if (expected.thresholds.size() != actual.thresholds.size())
        return "number of thresholds";
    for (std::size_t i = 0; i < expected.thresholds.size(); ++i)
        if (!same(expected.thresholds[i].a, actual.thresholds[i].a) || !same(expected.thresholds[i].b, actual.thresholds[i].b))
            return fmt::format("threshold {}: {}, not {}", i, actual.thresholds[i].a.value_or(0),
                               expected.thresholds[i].a.value_or(0));
    if (expected.hotSums.size() != actual.hotSums.size() || expected.heatMaps.size() != actual.heatMaps.size() ||
        expected.masks.size() != actual.masks.size() || expected.rows.has_value() != actual.rows.has_value())
        return "number of answers";
    for (std::size_t i = 0; i < expected.hotSums.size(); ++i)
        if (!same(expected.hotSums[i], actual.hotSums[i]))
            return fmt::format("hot sum of plane {}: {}, not {}", i, actual.hotSums[i].toDouble(),
                               expected.hotSums[i].toDouble());
    std::string difference;
    for (std::size_t i = 0; i < expected.heatMaps.size() && difference.empty(); ++i)
        difference = compareTensors(fmt::format("map {}", i), expected.heatMaps[i], actual.heatMaps[i]);
    for (std::size_t i = 0; i < expected.masks.size() && difference.empty(); ++i)
        difference = compareTensors(fmt::format("mask {}", i), expected.masks[i], actual.masks[i]);
    if (difference.empty() && expected.rows)
        difference = compareRows("rows", *expected.rows, *actual.rows);
    return difference;
}

std::string compareEngines(const GpuCase& c, const Engine& cpuEngine, const Engine& gpuEngine)
{
    const auto cpu = cpuEngine.load(c.tensor, c.selection);
    const auto gpu = gpuEngine.load(c.tensor, c.selection);
    std::string difference = compareStatistics(*cpu, *gpu);
    for (std::size_t i = 0; i < c.queries.size() && difference.empty(); ++i) {
        const Query& query = c.queries[i];
        const auto expected = attempt([&] { return cpu->run(query); });
        const auto actual = attempt([&] { return gpu->run(query); });
        difference = expected.second != actual.second ? fmt::format("\"{}\" instead of \"{}\"", actual.second, expected.second)
                                                      : compareResults(query, expected.first, actual.first);
        const bool values = i % 2;
        if (difference.empty() && expected.second.empty())
            difference = compareRows("all rows", allRows(*cpu, query.where, values), allRows(*gpu, query.where, values));
        if (!difference.empty())
            difference =
                fmt::format("\"{}\"{}, {} comparison: {}", query.where.text, query.where.perChannel ? " per channel" : "",
                            comparisonName(query.where.comparison), difference);
    }
    if (difference.empty() && !isComplex(c.tensor.dtype()))
        difference = compareHistograms(c, *cpu, *gpu);
    if (difference.empty())
        difference = compareOperations(c, cpuEngine, gpuEngine, *cpu, *gpu);
    return difference.empty() ? "" : fmt::format("{}: {}", c.name, difference);
}

} // namespace support

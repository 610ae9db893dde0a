// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/case_table.h"

#include "core/error.h"
#include "tests/support/shape_cases.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>

using namespace core;

namespace support {
namespace {

/// Beside those of every engine: planes of one pixel, of less and more than a tile, of many blocks; one channel and more than a
/// warp counts at once.
std::vector<ShapeCase> makeShapes()
{
    std::vector<ShapeCase> all = {
        {{9000}, "W"}, {{700}, "N"}, {{1, 1, 1, 1}, "NCHW"}, {{2, 20, 64, 64}, "NCHW"}, {{1, 3, 300, 301}, "NCHW"}};
    all.insert(all.begin(), std::begin(shapeCases), std::end(shapeCases));
    return all;
}

const std::vector<ShapeCase> shapes = makeShapes();
/// Of the last case: enough pixels for wide loads.
const ShapeCase wideShape = {{1, 2, 256, 1024}, "NCHW"};

const char* const realConditions[] = {
    "> 0.5",           ">= 1",          "< -1.5",       "<= 0",       "== 1",       "!= 0",         ">= 0",
    "> -inf",          "between -1 2",  "outside -3 3", "abs > 2",    "abs >= 1.5", "nan",          "inf",
    "finite",          "> 1e300",       "== 0",         "> 300",      "> -1",       "percentile 0", "percentile 100",
    "percentile 37.5", "percentile 99", "sigma 1",      "sigma -0.5", "max 0.25",   "otsu"};
const char* const complexConditions[] = {"== 1", "!= 0", "abs > 2", "abs >= 1.5", "nan", "inf", "finite"};

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

/// Equal bits, or both NaN.
bool same(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

bool same(const Scalar& a, const Scalar& b)
{
    if (a.index() != b.index())
        return false;
    const double* real = std::get_if<double>(&a);
    return real ? same(*real, std::get<double>(b)) : a == b;
}

template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b)
{
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same(const Sum& a, const Sum& b)
{
    return a.isInteger == b.isInteger && a.integer == b.integer && same(a.real, b.real);
}

bool same(const Statistics& a, const Statistics& b)
{
    return a.elements == b.elements && a.finite == b.finite && a.zeros == b.zeros && a.nan == b.nan &&
           a.positiveInf == b.positiveInf && a.negativeInf == b.negativeInf && same(a.min, b.min) && same(a.max, b.max) &&
           same(a.mean, b.mean) && same(a.std, b.std) && same(a.sum, b.sum) && a.ordered == b.ordered;
}

/// An element as float64 where that tells NaN, or its bits.
bool sameElement(DType dtype, const std::byte* a, const std::byte* b)
{
    if (std::memcmp(a, b, static_cast<std::size_t>(itemSize(dtype))) == 0)
        return true;
    return isFloating(dtype) && std::isnan(realPart(dtype, a)) && std::isnan(realPart(dtype, b));
}

std::string compareTensors(const std::string& what, const Tensor& expected, const Tensor& actual)
{
    if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape())
        return fmt::format("{}: {} {} instead of {} {}", what, dtypeName(actual.dtype()), shapeText(actual.shape()),
                           dtypeName(expected.dtype()), shapeText(expected.shape()));
    const int size = itemSize(expected.dtype());
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        if (!sameElement(expected.dtype(), expected.data() + i * size, actual.data() + i * size))
            return fmt::format("{}: element {} is {}, not {}", what, i,
                               static_cast<double>(realPart(expected.dtype(), actual.data() + i * size)),
                               static_cast<double>(realPart(expected.dtype(), expected.data() + i * size)));
    return {};
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

/// An answer, or the message of the error.
template <class Ask>
auto attempt(Ask ask) -> std::pair<decltype(ask()), std::string>
{
    try {
        return {ask(), ""};
    } catch (const Error& error) {
        return {decltype(ask()){}, error.what()};
    }
}

std::string compareLabels(const LoadedTensor& cpu, const LoadedTensor& gpu, Random& random)
{
    LabelQuery query;
    query.values = random() % 2;
    if (cpu.extents().batches > 0 && random() % 2)
        query.batch = below(cpu.extents().batches, random);
    const auto expected = attempt([&] { return cpu.labels(query); });
    const auto actual = attempt([&] { return gpu.labels(query); });
    if (expected.second != actual.second)
        return fmt::format("labels: \"{}\" instead of \"{}\"", actual.second, expected.second);
    std::string difference = compareTensors("labels", expected.first.labels, actual.first.labels);
    if (difference.empty() && expected.first.values)
        difference = compareTensors("values of labels", *expected.first.values, *actual.first.values);
    return difference;
}

std::string compareIds(const LoadedTensor& cpu, const LoadedTensor& gpu)
{
    const auto expected = attempt([&] { return cpu.labelCounts(); });
    const auto actual = attempt([&] { return gpu.labelCounts(); });
    if (expected.second != actual.second || expected.first.counts != actual.first.counts)
        return "counts of ids";
    return compareTensors("ids", expected.first.ids, actual.first.ids);
}

/// The device's powers are as exact as the CPU's, but not the same.
bool isNear(double a, double b)
{
    return same(a, b) || std::abs(a - b) <= 1e-13 * std::abs(b);
}

std::string compareNorms(const LoadedTensor& cpu, const LoadedTensor& gpu)
{
    for (const double p : {0.0, 1.0, 2.0, 3.0, 0.5, static_cast<double>(INFINITY), -1.0}) {
        const auto expected = attempt([&] { return cpu.norms({p}); });
        const auto actual = attempt([&] { return gpu.norms({p}); });
        if (expected.second != actual.second || expected.first.size() != actual.first.size())
            return fmt::format("norms of p = {}", p);
        const bool isPower = p == 3 || p == 0.5;
        for (std::size_t plane = 0; plane < expected.first.size(); ++plane)
            if (!(isPower ? isNear(actual.first[plane], expected.first[plane])
                          : same(actual.first[plane], expected.first[plane])))
                return fmt::format("norm {} of plane {}: {}, not {}", p, plane, actual.first[plane], expected.first[plane]);
    }
    return {};
}

/// Of every kind, with numbers that some dtypes refuse.
SelectQuery randomUpdate(DType dtype, Random& random)
{
    constexpr double reals[] = {0, 1, -1, 0.5, 2.5, 300, -1e30, static_cast<double>(INFINITY), static_cast<double>(NAN)};
    const auto number = [&] {
        const double real = reals[random() % std::size(reals)];
        return random() % 2 || !(std::abs(real) < 1000) ? Number::fromReal(real)
                                                        : Number::fromInteger(static_cast<std::int64_t>(real));
    };
    SelectQuery query;
    query.where = randomWhere(dtype, random);
    query.update = static_cast<Update>(random() % 6);
    query.value = number();
    if (random() % 3)
        query.lower = number();
    if (random() % 3)
        query.upper = number();
    return query;
}

/// `cpuOther` and `gpuOther` are the operands that the engines are given.
std::string compareUpdates(const LoadedTensor& cpu, const LoadedTensor& gpu, const LoadedTensor& cpuOther,
                           const LoadedTensor& gpuOther, Random& random)
{
    for (int i = 0; i < 2; ++i) {
        SelectQuery query = randomUpdate(cpu.dtype(), random);
        query.other = &cpuOther;
        const auto expected = attempt([&] { return cpu.select(query); });
        query.other = &gpuOther;
        const auto actual = attempt([&] { return gpu.select(query); });
        const std::string name = fmt::format("update {} of \"{}\"", static_cast<int>(query.update), query.where.text);
        if (expected.second != actual.second)
            return fmt::format("{}: \"{}\" instead of \"{}\"", name, actual.second, expected.second);
        if (expected.first.before != actual.first.before || expected.first.after != actual.first.after)
            return fmt::format("{}: counts", name);
        const std::string difference = !expected.second.empty() ? ""
                                                                : compareTensors(name, std::get<Tensor>(expected.first.values),
                                                                                 std::get<Tensor>(actual.first.values));
        if (!difference.empty())
            return difference;
    }
    return {};
}

std::string compareFusion(const LoadedTensor& cpu, const LoadedTensor& gpu, const LoadedTensor& cpuOther,
                          const LoadedTensor& gpuOther, Random& random)
{
    const Norm norm{static_cast<double>(random() % 3)};
    const auto expected = attempt([&] { return cpu.fuse(cpuOther, norm); });
    const auto actual = attempt([&] { return gpu.fuse(gpuOther, norm); });
    if (expected.second != actual.second || expected.first.norms.size() != actual.first.norms.size())
        return "norms of a fusion";
    for (std::size_t plane = 0; plane < expected.first.norms.size(); ++plane)
        if (!same(expected.first.norms[plane], actual.first.norms[plane]) ||
            !same(expected.first.otherNorms[plane], actual.first.otherNorms[plane]))
            return fmt::format("norms of a fusion, plane {}", plane);
    return expected.second.empty() ? compareTensors("fusion", expected.first.values, actual.first.values) : "";
}

std::string compareStops(const LoadedTensor& cpu, const LoadedTensor& gpu)
{
    cpu.buildIndex();
    gpu.buildIndex();
    for (const double value : {-1e300, -2.3, 0.0, 0.3, 1.7, 100.0, 1e300})
        if (!same(cpu.nearestStop(value), gpu.nearestStop(value)) || !same(cpu.stepStop(value, 3), gpu.stepStop(value, 3)) ||
            !same(cpu.stepStop(value, -1), gpu.stepStop(value, -1)))
            return fmt::format("stops at {}: {}, not {}", value, gpu.nearestStop(value), cpu.nearestStop(value));
    return {};
}

std::string compareOperations(const GpuCase& c, const Engine& cpuEngine, const Engine& gpuEngine, const LoadedTensor& cpu,
                              const LoadedTensor& gpu)
{
    Random random(std::hash<std::string>()(c.name));
    std::string difference = compareLabels(cpu, gpu, random);
    if (difference.empty())
        difference = compareIds(cpu, gpu);
    if (difference.empty())
        difference = compareNorms(cpu, gpu);
    if (!difference.empty())
        return difference;
    const auto cpuOther = cpuEngine.load(c.other, c.selection);
    // An operand that the device holds, or that it is brought for the occasion.
    const auto gpuOther = random() % 2 ? gpuEngine.load(c.other, c.selection) : cpuEngine.load(c.other, c.selection);
    difference = compareUpdates(cpu, gpu, *cpuOther, *gpuOther, random);
    if (difference.empty())
        difference = compareFusion(cpu, gpu, *cpuOther, *gpuOther, random);
    return difference.empty() ? compareStops(cpu, gpu) : difference;
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/compare_operations.h"

#include "tests/gpu/compare_values.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

using namespace core;

namespace support {
namespace {

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
                                                                                 std::get<Tensor>(actual.first.values), true);
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
    return expected.second.empty() ? compareTensors("fusion", expected.first.values, actual.first.values, true) : "";
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

} // namespace

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

} // namespace support

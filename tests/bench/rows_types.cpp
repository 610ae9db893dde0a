// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/passes.h"
#include "tests/bench/suite.h"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

template <class Stored>
void addCounts(Suite& suite, const std::string& name, std::span<const Stored> values, core::DType dtype, double threshold,
               const core::Predicate<core::CompareOf<Stored>>& predicate)
{
    const Extent& extent = suite.options().extent;
    suite.eachTarget([&] {
        Passes<Stored> ours(values, extent, suite.workers());
        ours.count(predicate);
        if (suite.peers())
            suite.peers()->look(values.data(), dtype, extent, threshold);
        suite.add({name,
                   [&] { ours.count(predicate); },
                   suite.peersOf([](Peers& p) { return p.counts(); }),
                   {},
                   suite.equal([&](Peers& p) { return p.equalCounts(ours.counts().data()); })},
                  std::as_bytes(values));
    });
}

void addDensity(Suite& suite, std::span<const float> floats, float threshold, const std::string& variant)
{
    const std::string half = "counts_half/" + variant;
    const std::string boolean = "counts_bool/" + variant;
    if (suite.wants(half)) {
        const auto loan = suite.pool().take(floats.size() * sizeof(core::Half));
        const auto halves = loan.as<core::Half>(floats.size());
        std::transform(floats.begin(), floats.end(), halves.begin(), [](float value) { return core::toHalf(value); });
        const float rounded = core::toFloat(core::toHalf(threshold));
        addCounts<core::Half>(suite, half, halves, core::DType::f16, rounded, {std::nextafter(rounded, INFINITY), INFINITY});
    }
    if (suite.wants(boolean)) {
        const auto loan = suite.pool().take(floats.size());
        const auto bools = loan.as<std::uint8_t>(floats.size());
        std::transform(floats.begin(), floats.end(), bools.begin(),
                       [&](float value) { return static_cast<std::uint8_t>(value > threshold); });
        addCounts<std::uint8_t>(suite, boolean, bools, core::DType::boolean, 0, {1, 255});
    }
}

} // namespace

void addTypeRows(Suite& suite)
{
    const Extent& extent = suite.options().extent;
    const auto elements = static_cast<std::size_t>(extent.elements());
    std::optional<core::BufferPool::Loan> loan;
    for (const double fraction : {0.00002, 0.008, 0.1}) {
        if (!suite.wantsAny({"counts_half/" + percent(fraction), "counts_bool/" + percent(fraction)}))
            continue;
        if (!loan) {
            loan.emplace(suite.pool().take(elements * sizeof(float)));
            fill(loan->as<float>(elements), extent, DataKind::iid);
        }
        const auto floats = loan->as<float>(elements);
        addDensity(suite, floats, thresholdFor(floats, fraction), percent(fraction));
    }
}

} // namespace bench

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/suite.h"

#include <algorithm>
#include <random>

namespace bench {
namespace {

/// A label map of 4,096 x 4,096.
constexpr std::int64_t side = 4096;
constexpr std::int32_t ids = 5000;

} // namespace

void addLabelCountRows(Suite& suite)
{
    const std::string name = "label_counts";
    if (!suite.wantsAny({name, name + "/unique"}))
        return;
    std::vector<std::int32_t> labels(static_cast<std::size_t>(side * side));
    std::mt19937_64 random(3);
    std::generate(labels.begin(), labels.end(), [&] { return static_cast<std::int32_t>(random() % ids); });
    const auto bytes = std::as_bytes(std::span(labels));
    const auto tensor = core::Tensor::contiguous(core::DType::i32, {side, side}, core::Storage{bytes, nullptr, nullptr});
    const auto loaded = suite.engine().load(tensor, core::Selection::all(core::Layout::guess(2)));
    const core::LabelCounts counts = loaded->labelCounts();
    // Both find the range of the ids each time.
    const auto run = [&] { loaded->labelCounts(); };
    suite.eachTarget([&] {
        suite.add(
            {name, run, suite.peersOf([&](Peers& p) { return p.labelCounts(labels, ids); }), {}, suite.equal([&](Peers& p) {
                 return p.equalLabelCounts(labels, counts.counts);
             })},
            bytes);
    });
}

} // namespace bench

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/check_large.h"

#include "tests/gpu/case_table.h"

#include <cstdio>

using namespace core;

namespace support {

int checkLarge(const Engine& engine)
{
    // Planes of 2^30 + 2^15 elements: the third begins past 2^31.
    const Shape shape{1, 3, 32769, 32768};
    std::vector<std::byte> bytes(static_cast<std::size_t>(elementCount(shape)));
    // Few hot ones, in places without a pattern; the last element is one.
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        state = state * 1664525 + 1013904223;
        bytes[i] = std::byte{static_cast<std::uint8_t>(state >> 14 < 80 ? 200 + i % 50 : state >> 25)};
    }
    bytes.back() = std::byte{255};
    const Tensor tensor = Tensor::contiguous(DType::u8, shape, Storage::fromVector(std::move(bytes)));
    const auto selection = Selection::all(Layout::parse("NCHW", 4));
    const auto cpu = makeCpuEngine()->load(tensor, selection);
    const auto gpu = engine.load(tensor, selection);
    Query query;
    query.where = Where::parse("> 199");
    query.heatMaps = {{Reduction::count, false, std::nullopt}, {Reduction::max, true, std::nullopt}};
    query.masks = {{0, 2}};
    const Result counted = cpu->run(query);
    query.rows = RowWindow{counted.count - 60, 60};
    int bad = 0;
    const auto tell = [&](const char* what, const std::string& difference) {
        std::printf("%s more than 2^31 elements, %s%s%s\n", difference.empty() ? "ok  " : "FAIL", what,
                    difference.empty() ? "" : ": ", difference.c_str());
        bad += !difference.empty();
    };
    tell("counts, maps, mask, last rows", compareResults(query, cpu->run(query), gpu->run(query)));
    std::int64_t rows = 0;
    std::uint64_t sums[2] = {};
    for (const LoadedTensor* loaded : {cpu.get(), gpu.get()}) {
        rows = 0;
        std::uint64_t& sum = sums[loaded == gpu.get()];
        loaded->coordinates(query.where, false, [&](const RowBlock& block) {
            for (const std::int64_t index : block.indices)
                sum = sum * 31 + static_cast<std::uint64_t>(index);
            rows += block.rows;
            return true;
        });
    }
    tell("all rows", rows == counted.count && sums[0] == sums[1] ? "" : "not the same rows");
    Query rule;
    rule.where = Where::parse("percentile 99.99");
    rule.hotSums = true;
    tell("percentile", compareResults(rule, cpu->run(rule), gpu->run(rule)));
    return bad;
}

} // namespace support

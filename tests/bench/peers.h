// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"
#include "tests/bench/bench_data.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// One way of another library to do what we do.
struct Peer
{
    std::string name;
    std::function<void()> run;
    /// Weaker ways that the table names by themselves; empty for the rest.
    std::string group = {};
};

/// LibTorch's ways, on the same values with the same threads; outputs are allocated and touched beforehand. The equal...()
/// functions compare ours with what LibTorch computes, once, untimed.
class Peers
{
public:
    virtual ~Peers() = default;

    /// Version, CPU capability, threads.
    virtual std::string description() const = 0;
    /// Looks at `values` (uint8: bool), of this extent, and at `> threshold` (bool: the elements themselves).
    virtual void look(const void* values, core::DType dtype, const Extent& extent, double threshold) = 0;
    virtual std::int64_t hot() const = 0;

    virtual std::vector<Peer> counts() = 0;
    /// Mask, counts per plane, count, sum and max maps, coordinates.
    virtual std::vector<Peer> everything() = 0;
    /// int64 [n, 4].
    virtual std::vector<Peer> rows() = 0;
    /// Linear offsets.
    virtual std::vector<Peer> offsets() = 0;
    /// The channel with the largest value at each pixel.
    virtual std::vector<Peer> labels() = 0;
    /// norm(x) >= norm(y) ? x : y for each plane, `other` being y.
    virtual std::vector<Peer> fusion(const float* other) = 0;
    /// `value` where hot, into another tensor or in place.
    virtual std::vector<Peer> update(float value) = 0;
    virtual std::vector<Peer> updateInPlace(float value) = 0;
    /// Counts of the ids below `ids`.
    virtual std::vector<Peer> labelCounts(std::span<const std::int32_t> labels, std::int64_t ids) = 0;

    virtual bool equalCounts(const std::int64_t* counts) = 0;
    /// Sums within 1e-12 of the sum of magnitudes.
    virtual bool equalMaps(const std::int32_t* count, const double* sum, const float* max) = 0;
    virtual bool equalRows(const std::int64_t* rows) = 0;
    /// Count and sum map of one batch item.
    virtual bool equalImage(std::int64_t batch, const std::int64_t* count, const double* sum) = 0;
    /// Rows [first, first + count), row-major.
    virtual bool equalRowWindow(std::int64_t first, std::int64_t count, const std::int64_t* rows) = 0;
    /// Smallest and largest value per plane; no NaN.
    virtual bool equalRanges(std::span<const double> min, std::span<const double> max) = 0;
    virtual bool equalOffsets(const std::uint32_t* offsets) = 0;
    virtual bool equalLabels(const std::uint8_t* labels) = 0;
    /// The choice by float64 norms.
    virtual bool equalFusion(const float* other, const float* fused) = 0;
    virtual bool equalUpdate(float value, const float* updated) = 0;
    virtual bool equalLabelCounts(std::span<const std::int32_t> labels, std::span<const std::int64_t> counts) = 0;
};

/// LibTorch, or null with the reason.
std::unique_ptr<Peers> makePeers(int threads, std::string& reason);

} // namespace bench

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/peers.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include <limits>

namespace bench {
namespace {

at::ScalarType scalarType(core::DType dtype)
{
    switch (dtype) {
    case core::DType::boolean:
        return at::kBool;
    case core::DType::f16:
        return at::kHalf;
    default:
        return at::kFloat;
    }
}

class TorchPeers : public Peers
{
public:
    explicit TorchPeers(int threads) { at::set_num_threads(threads); }

    std::string description() const override
    {
        return "LibTorch " TORCH_VERSION ", CPU capability " + at::get_cpu_capability() + ", " +
               std::to_string(at::get_num_threads()) + " threads";
    }

    void look(const void* values, core::DType dtype, const Extent& extent, double threshold) override
    {
        m_threshold = threshold;
        const std::vector<std::int64_t> shape = {extent.batches, extent.channels, extent.height, extent.width};
        const std::vector<std::int64_t> map = {extent.batches, extent.height, extent.width};
        m_values = at::from_blob(const_cast<void*>(values), shape, scalarType(dtype));
        m_isBool = dtype == core::DType::boolean;
        m_mask = at::zeros(shape, at::kBool);
        m_counts = at::zeros({extent.batches, extent.channels}, at::kLong);
        m_realCounts = at::zeros({extent.batches, extent.channels}, at::kFloat);
        m_countMap = at::zeros(map, at::kLong);
        m_sumMap = at::zeros(map, at::kFloat);
        m_maxMap = at::zeros(map, at::kFloat);
        m_real = m_isBool ? at::Tensor() : at::zeros(shape, at::kFloat);
        m_ones = at::ones({extent.batches, 1, extent.channels}, at::kFloat);
        m_product = at::zeros({extent.batches, 1, extent.pixels()}, at::kFloat);
        m_lowest = at::full({}, -std::numeric_limits<float>::infinity());
        mark();
        const std::int64_t hot = m_mask.nonzero().size(0);
        // torch.nonzero lays its result out by axis.
        m_rows = at::zeros({4, hot}, at::kLong).t();
        m_offsets = at::zeros({1, hot}, at::kLong).t();
    }

    std::int64_t hot() const override { return m_rows.size(0); }

    std::vector<Peer> counts() override
    {
        std::vector<Peer> peers = {
            {"gt, sum of bool",
             [this] {
                 mark();
                 at::sum_out(m_counts, m_mask, {2, 3});
             }},
            {"gt, count_nonzero",
             [this] {
                 mark();
                 at::count_nonzero(m_mask, {2, 3});
             }},
            {"gt, sum of bool as float32",
             [this] {
                 mark();
                 m_mask.sum({2, 3}, false, at::kFloat);
             }},
        };
        if (!m_isBool && m_values.scalar_type() == at::kFloat)
            peers.push_back({"gt into float32, sum", [this] {
                                 markReal();
                                 at::sum_out(m_realCounts, m_real, {2, 3});
                             }});
        return peers;
    }

    std::vector<Peer> everything() override
    {
        return {{"plain: gt, nonzero, sums of bool, threshold and sum, amax",
                 [this] {
                     mark();
                     at::nonzero_out(m_rows, m_mask);
                     at::sum_out(m_counts, m_mask, {2, 3});
                     at::sum_out(m_countMap, m_mask, {1});
                     at::threshold_out(m_real, m_values, m_threshold, 0);
                     at::sum_out(m_sumMap, m_real, {1});
                     reduceMax();
                 }},
                {"strong: float32 mask, sum, bmm with ones, amax", [this] {
                     mark();
                     at::nonzero_out(m_rows, m_mask);
                     markReal();
                     at::sum_out(m_realCounts, m_real, {2, 3});
                     at::bmm_out(m_product, m_ones, byPlane());
                     at::threshold_out(m_real, m_values, m_threshold, 0);
                     at::bmm_out(m_product, m_ones, byPlane());
                     reduceMax();
                 }}};
    }

    std::vector<Peer> rows() override
    {
        return {{"gt, nonzero into a ready tensor",
                 [this] {
                     mark();
                     at::nonzero_out(m_rows, m_mask);
                 }},
                {"gt, nonzero", [this] { m_values.gt(m_threshold).nonzero(); }}};
    }

    std::vector<Peer> offsets() override
    {
        return {{"gt, nonzero of the flat mask into a ready tensor",
                 [this] {
                     mark();
                     at::nonzero_out(m_offsets, m_mask.view({-1}));
                 }},
                {"gt, nonzero of the flat mask", [this] { m_values.gt(m_threshold).view({-1}).nonzero(); }}};
    }

    bool equalCounts(const std::int64_t* counts) override
    {
        mark();
        return at::equal(m_mask.sum({2, 3}), blob(counts, m_counts.sizes(), at::kLong));
    }

    bool equalMaps(const std::int32_t* count, const double* sum, const float* max) override
    {
        mark();
        const at::Tensor hot = at::where(m_mask, m_values.to(at::kDouble), at::zeros({}, at::kDouble));
        const at::Tensor difference = (hot.sum(1) - blob(sum, m_sumMap.sizes(), at::kDouble)).abs();
        const bool sums = (difference <= hot.abs().sum(1) * 1e-12).all().item<bool>();
        const at::Tensor counts = m_mask.sum({1}, false, at::kInt);
        const at::Tensor largest = at::where(m_mask, m_values, m_lowest).amax({1});
        // Ours is NaN where nothing is hot.
        const at::Tensor ours = blob(max, m_maxMap.sizes(), at::kFloat);
        const at::Tensor filled = at::where(ours.isnan().logical_and(counts.eq(0)), m_lowest, ours);
        return sums && at::equal(counts, blob(count, m_countMap.sizes(), at::kInt)) && at::equal(largest, filled);
    }

    bool equalRows(const std::int64_t* rows) override
    {
        mark();
        return at::equal(m_mask.nonzero(), blob(rows, {4, hot()}, at::kLong).t());
    }

    bool equalOffsets(const std::uint32_t* offsets) override
    {
        mark();
        return at::equal(m_mask.view({-1}).nonzero().view({-1}), blob(offsets, {hot()}, at::kInt).to(at::kLong));
    }

private:
    void mark()
    {
        if (m_isBool)
            m_mask = m_values;
        else
            at::gt_out(m_mask, m_values, m_threshold);
    }

    void markReal() { at::gt_out(m_real, m_values, m_threshold); }

    at::Tensor byPlane() const { return m_real.view({m_real.size(0), m_real.size(1), -1}); }

    void reduceMax()
    {
        at::amax_out(m_maxMap, m_values, {1});
        at::where(m_maxMap > m_threshold, m_maxMap, m_lowest);
    }

    template <class T>
    static at::Tensor blob(const T* values, at::IntArrayRef shape, at::ScalarType type)
    {
        return at::from_blob(const_cast<T*>(values), shape, type);
    }

    double m_threshold = 0;
    bool m_isBool = false;
    at::Tensor m_values, m_mask, m_counts, m_realCounts, m_countMap, m_sumMap, m_maxMap, m_real, m_ones, m_product, m_lowest,
        m_rows, m_offsets;
};

} // namespace

std::unique_ptr<Peers> makePeers(int threads, std::string&)
{
    return std::make_unique<TorchPeers>(threads);
}

} // namespace bench

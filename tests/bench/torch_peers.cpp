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
        // What the last tensor needed goes first.
        for (at::Tensor* tensor : {&m_values, &m_mask, &m_counts, &m_realCounts, &m_countMap, &m_sumMap, &m_maxMap, &m_real,
                                   &m_ones, &m_product, &m_rows, &m_offsets, &m_labels, &m_other, &m_fused})
            tensor->reset();
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
        const auto hot = at::count_nonzero(m_mask).item<std::int64_t>();
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
             },
             "bool_sum"},
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
        if (m_values.scalar_type() == at::kHalf)
            peers.push_back({"to float32, gt into float32, sum", [this] {
                                 m_real.copy_(m_values);
                                 at::gt_out(m_real, m_real, m_threshold);
                                 at::sum_out(m_realCounts, m_real, {2, 3});
                             }});
        if (!m_isBool)
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
                 },
                 "plain"},
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
                {"gt, nonzero", [this] { m_values.gt(m_threshold).nonzero(); }},
                {"gt, argwhere", [this] { m_values.gt(m_threshold).argwhere(); }}};
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

    std::vector<Peer> labels() override
    {
        m_labels = at::zeros(m_countMap.sizes(), at::kLong);
        return {{"argmax", [this] { at::argmax_out(m_labels, m_values, 1); }},
                {"max(1), values and indices", [this] { at::max_out(m_maxMap, m_labels, m_values, 1); }},
                {"permuted, argmax(-1)", [this] {
                     m_values.permute({0, 2, 3, 1}).contiguous().argmax(-1);
                 }}};
    }

    std::vector<Peer> fusion(const float* other) override
    {
        m_other = blob(other, m_values.sizes(), at::kFloat);
        m_fused = at::zeros(m_values.sizes(), at::kFloat);
        const auto choose = [this](const at::Tensor& norm, const at::Tensor& otherNorm) {
            at::where_out(m_fused, norm >= otherNorm, m_values, m_other);
        };
        return {{"(x * x).sum, where",
                 [this, choose] {
                     at::mul_out(m_real, m_values, m_values);
                     const at::Tensor norm = m_real.sum({2, 3}, true);
                     at::mul_out(m_real, m_other, m_other);
                     choose(norm, m_real.sum({2, 3}, true));
                 }},
                {"vector_norm, where", [this, choose] { choose(vectorNorm(m_values), vectorNorm(m_other)); }},
                {"norm, where", [this, choose] {
                     choose(m_values.norm(2, at::IntArrayRef{2, 3}, true), m_other.norm(2, at::IntArrayRef{2, 3}, true));
                 }}};
    }

    std::vector<Peer> update(float value) override
    {
        m_fused = at::zeros(m_values.sizes(), at::kFloat);
        return {{"gt, where into a ready tensor",
                 [this, value] {
                     mark();
                     at::where_out(m_fused, m_mask, at::full({}, value), m_values);
                 }},
                {"gt, copy, masked_fill_", [this, value] {
                     mark();
                     m_fused.copy_(m_values);
                     m_fused.masked_fill_(m_mask, value);
                 }}};
    }

    std::vector<Peer> updateInPlace(float value) override
    {
        m_fused = m_values.clone();
        return {{"gt, masked_fill_",
                 [this, value] {
                     at::gt_out(m_mask, m_fused, m_threshold);
                     m_fused.masked_fill_(m_mask, value);
                 }},
                {"gt, where in place", [this, value] {
                     at::gt_out(m_mask, m_fused, m_threshold);
                     at::where_out(m_fused, m_mask, at::full({}, value), m_fused);
                 }}};
    }

    std::vector<Peer> labelCounts(std::span<const std::int32_t> labels, std::int64_t ids) override
    {
        const at::Tensor all = blob(labels.data(), {static_cast<std::int64_t>(labels.size())}, at::kInt);
        const at::Tensor wide = all.to(at::kLong);
        return {{"bincount", [all] { at::bincount(all); }},
                {"bincount of int64", [wide] { at::bincount(wide); }},
                {"histc of float32", [real = all.to(at::kFloat), ids] { at::histc(real, ids, 0, ids); }},
                {"unique", [all] { at::_unique2(all, true, false, true); }, "unique"}};
    }

    bool equalCounts(const std::int64_t* counts) override
    {
        mark();
        return at::equal(m_mask.sum({2, 3}), blob(counts, m_counts.sizes(), at::kLong));
    }

    bool equalMaps(const std::int32_t* count, const double* sum, const float* max) override
    {
        // One batch item at a time: in float64 they take room.
        for (std::int64_t batch = 0; batch < m_values.size(0); ++batch) {
            const std::int64_t first = batch * m_values.size(2) * m_values.size(3);
            if (!equalMapsOf(batch, count + first, sum + first, max + first))
                return false;
        }
        return true;
    }

    bool equalRows(const std::int64_t* rows) override
    {
        mark();
        return at::equal(m_mask.nonzero(), blob(rows, {4, hot()}, at::kLong).t());
    }

    bool equalImage(std::int64_t batch, const std::int64_t* count, const double* sum) override
    {
        const at::Tensor mask = m_values.select(0, batch).gt(m_threshold);
        return at::equal(mask.sum({0}), blob(count, m_sumMap.sizes().slice(1), at::kLong)) && equalSum(batch, sum);
    }

    bool equalRowWindow(std::int64_t first, std::int64_t count, const std::int64_t* rows) override
    {
        mark();
        return at::equal(m_mask.nonzero().slice(0, first, first + count), blob(rows, {count, 4}, at::kLong));
    }

    bool equalRanges(std::span<const double> min, std::span<const double> max) override
    {
        const at::IntArrayRef planes = m_counts.sizes();
        return at::equal(m_values.amin({2, 3}).to(at::kDouble), blob(min.data(), planes, at::kDouble)) &&
               at::equal(m_values.amax({2, 3}).to(at::kDouble), blob(max.data(), planes, at::kDouble));
    }

    bool equalOffsets(const std::uint32_t* offsets) override
    {
        mark();
        return at::equal(m_mask.view({-1}).nonzero().view({-1}), blob(offsets, {hot()}, at::kInt).to(at::kLong));
    }

    bool equalLabels(const std::uint8_t* labels) override
    {
        return at::equal(m_values.argmax(1), blob(labels, m_countMap.sizes(), at::kByte).to(at::kLong));
    }

    bool equalFusion(const float* other, const float* fused) override
    {
        const at::Tensor y = blob(other, m_values.sizes(), at::kFloat);
        const at::Tensor chosen = vectorNorm(m_values.to(at::kDouble)) >= vectorNorm(y.to(at::kDouble));
        return at::equal(at::where(chosen, m_values, y), blob(fused, m_values.sizes(), at::kFloat));
    }

    bool equalUpdate(float value, const float* updated) override
    {
        mark();
        return at::equal(m_values.masked_fill(m_mask, value), blob(updated, m_values.sizes(), at::kFloat));
    }

    bool equalLabelCounts(std::span<const std::int32_t> labels, std::span<const std::int64_t> counts) override
    {
        const at::Tensor all = blob(labels.data(), {static_cast<std::int64_t>(labels.size())}, at::kInt);
        return at::equal(at::bincount(all), blob(counts.data(), {static_cast<std::int64_t>(counts.size())}, at::kLong));
    }

private:
    bool equalSum(std::int64_t batch, const double* sum)
    {
        const at::Tensor values = m_values.select(0, batch);
        const at::Tensor hot = at::where(values.gt(m_threshold), values.to(at::kDouble), at::zeros({}, at::kDouble));
        const at::Tensor difference = (hot.sum(0) - blob(sum, m_sumMap.sizes().slice(1), at::kDouble)).abs();
        return (difference <= hot.abs().sum(0) * 1e-12).all().item<bool>();
    }

    bool equalMapsOf(std::int64_t batch, const std::int32_t* count, const double* sum, const float* max)
    {
        const at::Tensor values = m_values.select(0, batch);
        const at::IntArrayRef map = m_sumMap.sizes().slice(1);
        const at::Tensor mask = values.gt(m_threshold);
        const at::Tensor counts = mask.sum({0}, false, at::kInt);
        const at::Tensor largest = at::where(mask, values, m_lowest).amax({0});
        // Ours is NaN where nothing is hot.
        const at::Tensor ours = blob(max, map, at::kFloat);
        const at::Tensor filled = at::where(ours.isnan().logical_and(counts.eq(0)), m_lowest, ours);
        return equalSum(batch, sum) && at::equal(counts, blob(count, map, at::kInt)) && at::equal(largest, filled);
    }

    static at::Tensor vectorNorm(const at::Tensor& x) { return at::linalg_vector_norm(x, 2, at::IntArrayRef{2, 3}, true); }

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
        m_rows, m_offsets, m_labels, m_other, m_fused;
};

} // namespace

std::unique_ptr<Peers> makePeers(int threads, std::string&)
{
    return std::make_unique<TorchPeers>(threads);
}

} // namespace bench

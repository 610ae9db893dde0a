// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/engine/plane_grid.h"
#include "core/error.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace support {

/// What a test watches and steers in a fake engine. Outlives the engine and its tensors.
struct FakeControl
{
    std::atomic<int> loads = 0;
    std::atomic<int> runs = 0;
    std::atomic<int> histograms = 0;
    std::atomic<int> indexes = 0;
    /// Called at the start of each call with what is called ("load", "run", "index") and the job; may block, throw or count.
    std::function<void(const char*, const core::Query*, const core::Job&)> at;

    void enter(const char* what, const core::Query* query, const core::Job& job) const
    {
        if (at)
            at(what, query, job);
    }
};

/// Answers by plain loops over a contiguous float32 tensor of rank 2 to 5; knows only the condition `> T`.
class FakeTensor : public core::LoadedTensor
{
public:
    FakeTensor(FakeControl& control, core::Tensor tensor, core::Selection selection)
        : m_control(control), m_tensor(tensor.toContiguous()), m_selection(std::move(selection))
    {
        m_extents = core::extentsOf(m_tensor.shape(), m_selection);
        m_values.resize(static_cast<std::size_t>(m_tensor.elements()));
        if (!m_values.empty())
            std::memcpy(m_values.data(), m_tensor.data(), m_values.size() * sizeof(float));
        m_statistics.resize(static_cast<std::size_t>(m_extents.planes()));
        for (std::size_t plane = 0; plane < m_statistics.size(); ++plane)
            m_statistics[plane] = statisticsOf(plane * planeSize(), planeSize());
    }

    core::DType dtype() const override { return core::DType::f32; }
    const core::Shape& shape() const override { return m_tensor.shape(); }
    const core::Selection& selection() const override { return m_selection; }
    const core::Tensor* dense() const override { return &m_tensor; }
    const std::vector<core::Statistics>& planeStatistics(const core::Job&) const override { return m_statistics; }
    core::Statistics statistics(const core::Job&) const override { return statisticsOf(0, m_values.size()); }

    core::Result run(const core::Query& query, const core::Job& job) const override
    {
        ++m_control.runs;
        m_control.enter("run", &query, job);
        const double t = query.where.condition.a.real;
        core::Result result;
        result.thresholds.resize(1);
        result.thresholds[0].a = t;
        if (query.counts)
            countPlanes(t, result);
        for (const auto& heat : query.heatMaps)
            result.heatMaps.push_back(heatMap(t, heat));
        for (const auto& plane : query.masks)
            result.masks.push_back(core::thinned(mask(t, plane), query.maskStep));
        if (query.rows)
            result.rows = rows(t, *query.rows);
        return result;
    }

    void coordinates(const core::Where& where, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                     const core::Job& job) const override
    {
        m_control.enter("coordinates", nullptr, job);
        const auto all = rows(where.condition.a.real, {0, std::numeric_limits<std::int64_t>::max()});
        sink({all.indices, values ? std::span<const core::Scalar>(all.values) : std::span<const core::Scalar>{}});
    }

    core::Tensor plane(core::PlaneIndex plane) const override
    {
        core::Shape shape{m_extents.height, m_extents.width};
        if (m_extents.hasDepth)
            shape.insert(shape.begin(), m_extents.depth);
        return core::Tensor::contiguous(core::DType::f32, shape, m_tensor.storage(),
                                        m_tensor.byteOffset() + static_cast<std::int64_t>(firstOf(plane) * sizeof(float)));
    }

    core::Scalar value(std::span<const std::int64_t> indices) const override
    {
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < indices.size(); ++axis)
            at += indices[axis] * m_tensor.strides()[axis];
        return static_cast<double>(m_values.at(static_cast<std::size_t>(at)));
    }

    void buildIndex(const core::Job& job) const override
    {
        ++m_control.indexes;
        m_control.enter("index", nullptr, job);
    }
    double nearestStop(double value) const override { return std::round(value * 8) / 8; }
    double stepStop(double value, std::int64_t steps) const override
    {
        return nearestStop(value) + static_cast<double>(steps) / 8;
    }

    core::Histogram histogram(std::optional<core::PlaneIndex> plane, int bins, const core::Job& job) const override
    {
        ++m_control.histograms;
        m_control.enter("histogram", nullptr, job);
        const auto first = plane ? firstOf(*plane) : 0;
        const auto count = plane ? planeSize() : m_values.size();
        const auto range = statisticsOf(first, count);
        core::Histogram histogram;
        if (!range.min)
            return histogram;
        histogram.lo = std::get<double>(*range.min);
        histogram.hi = std::get<double>(*range.max);
        histogram.bins.resize(static_cast<std::size_t>(bins));
        for (std::size_t i = first; i < first + count; ++i) {
            if (!std::isfinite(m_values[i]))
                continue;
            const double place = (m_values[i] - histogram.lo) / (histogram.hi - histogram.lo) * bins;
            ++histogram.bins[static_cast<std::size_t>(std::min(place > 0 ? place : 0.0, bins - 1.0))];
        }
        return histogram;
    }

    core::LabelMap labels(const core::LabelQuery&, const core::Job&) const override { refuse(); }
    core::LabelCounts labelCounts(const core::Job&) const override { refuse(); }
    core::Selected select(const core::SelectQuery&, const core::Job&) const override { refuse(); }
    std::vector<double> norms(const core::Norm&, const core::Job&) const override { refuse(); }
    core::Fused fuse(const core::LoadedTensor&, const core::Norm&, const core::Job&) const override { refuse(); }

private:
    /// Nothing asks for these.
    [[noreturn]] static void refuse() { throw core::Error("the fake engine knows only `> T`"); }

    std::size_t planeSize() const { return static_cast<std::size_t>(m_extents.planeElements()); }
    std::size_t firstOf(core::PlaneIndex plane) const
    {
        return static_cast<std::size_t>(plane.batch * m_extents.channels + plane.channel) * planeSize();
    }

    core::Statistics statisticsOf(std::size_t first, std::size_t count) const
    {
        core::Statistics s;
        s.elements = static_cast<std::int64_t>(count);
        double lo = HUGE_VAL;
        double hi = -HUGE_VAL;
        for (std::size_t i = first; i < first + count; ++i) {
            const double v = m_values[i];
            s.nan += std::isnan(v);
            s.zeros += v == 0;
            if (!std::isfinite(v))
                continue;
            ++s.finite;
            s.sum.real += v;
            lo = std::min(lo, v);
            hi = std::max(hi, v);
        }
        if (s.finite > 0) {
            s.min = lo;
            s.max = hi;
            s.mean = s.sum.real / static_cast<double>(s.finite);
            s.std = 0.0;
        }
        return s;
    }

    void countPlanes(double t, core::Result& result) const
    {
        for (std::int64_t plane = 0; plane < m_extents.planes(); ++plane) {
            std::int64_t count = 0;
            for (std::size_t i = 0; i < planeSize(); ++i)
                count += m_values[static_cast<std::size_t>(plane) * planeSize() + i] > t;
            result.counts.push_back(count);
            result.count += count;
        }
    }

    core::Tensor heatMap(double t, const core::HeatMapQuery& heat) const
    {
        core::Shape shape{1, m_extents.height, m_extents.width};
        if (m_extents.hasDepth)
            shape.insert(shape.begin() + 1, m_extents.depth);
        std::vector<double> sums(planeSize());
        std::vector<std::int64_t> counts(planeSize());
        for (std::int64_t channel = 0; channel < m_extents.channels; ++channel)
            for (std::size_t i = 0; i < planeSize(); ++i) {
                const double v = m_values[firstOf({heat.batch.value_or(0), channel}) + i];
                if (heat.allValues || v > t) {
                    sums[i] += v;
                    ++counts[i];
                }
            }
        if (heat.reduction == core::Reduction::count)
            return core::Tensor::fromValues(core::DType::i64, shape, counts);
        return core::Tensor::fromValues(core::DType::f64, shape, sums);
    }

    core::Tensor mask(double t, core::PlaneIndex plane) const
    {
        core::Shape shape{m_extents.height, m_extents.width};
        if (m_extents.hasDepth)
            shape.insert(shape.begin(), m_extents.depth);
        std::vector<std::uint8_t> hot;
        for (std::size_t i = 0; i < planeSize(); ++i)
            hot.push_back(m_values[firstOf(plane) + i] > t);
        return core::Tensor::fromValues(core::DType::boolean, shape, hot);
    }

    core::Coordinates rows(double t, core::RowWindow window) const
    {
        core::Coordinates rows;
        rows.firstRow = window.first;
        rows.rank = m_tensor.rank();
        std::int64_t row = 0;
        for (std::size_t i = 0; i < m_values.size() && rows.rows() < window.count; ++i) {
            if (!(m_values[i] > t) || row++ < window.first)
                continue;
            for (int axis = 0; axis < rows.rank; ++axis) {
                const auto a = static_cast<std::size_t>(axis);
                rows.indices.push_back(static_cast<std::int64_t>(i) / m_tensor.strides()[a] % m_tensor.shape()[a]);
            }
            rows.values.push_back(static_cast<double>(m_values[i]));
        }
        return rows;
    }

    FakeControl& m_control;
    core::Tensor m_tensor;
    core::Selection m_selection;
    std::vector<float> m_values;
    std::vector<core::Statistics> m_statistics;
};

/// Loads float32 tensors as FakeTensor.
class FakeEngine : public core::Engine
{
public:
    explicit FakeEngine(FakeControl& control) : m_control(control) {}
    std::string name() const override { return "fake"; }
    std::unique_ptr<core::LoadedTensor> load(const core::Content& content, const core::Selection& selection,
                                             const core::Job& job) const override
    {
        ++m_control.loads;
        m_control.enter("load", nullptr, job);
        return std::make_unique<FakeTensor>(m_control, std::get<core::Tensor>(content), selection);
    }

private:
    FakeControl& m_control;
};

} // namespace support

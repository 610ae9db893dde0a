// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/code_scan.h"
#include "core/engine/engine.h"
#include "core/engine/first_scan.h"
#include "core/engine/memory_plan.h"
#include "core/engine/plane_grid.h"
#include "core/engine/rules.h"
#include "core/engine/statistics.h"

#include <mutex>

namespace core {

/// A strided tensor of any dtype, rank and strides taken in by the CPU engine.
class DenseTensor : public LoadedTensor
{
public:
    /// Scans the tensor once for its statistics. Throws Error (selection outside the shape, file changed), Cancelled.
    DenseTensor(Tensor tensor, Selection selection, std::shared_ptr<const Workers> workers, const Job& job);

    DType dtype() const override { return m_tensor.dtype(); }
    const Shape& shape() const override { return m_tensor.shape(); }
    const Selection& selection() const override { return m_selection; }
    const Tensor* dense() const override { return &m_tensor; }

    const std::vector<Statistics>& planeStatistics(const Job& job = {}) const override;
    Statistics statistics(const Job& job = {}) const override;
    Result run(const Query& query, const Job& job = {}) const override;
    void coordinates(const Where& where, bool values, const std::function<bool(const RowBlock&)>& sink,
                     const Job& job = {}) const override;
    Tensor plane(PlaneIndex plane) const override;
    Scalar value(std::span<const std::int64_t> indices) const override;
    void buildIndex(const Job& job = {}) const override;
    std::string indexNote() const override { return m_memory.leftOut; }
    double nearestStop(double value) const override;
    double stepStop(double value, std::int64_t steps) const override;
    Histogram histogram(std::optional<PlaneIndex> plane, int bins, const Job& job = {}) const override;
    bool isHistogramQuick(std::optional<PlaneIndex> plane) const override;
    LabelMap labels(const LabelQuery& query, const Job& job = {}) const override;
    LabelCounts labelCounts(const Job& job = {}) const override;
    Selected select(const SelectQuery& query, const Job& job = {}) const override;
    std::vector<double> norms(const Norm& norm, const Job& job = {}) const override;
    Fused fuse(const LoadedTensor& other, const Norm& norm, const Job& job = {}) const override;

private:
    HotTest makeTest(const Where& where, const Job& job) const;
    void answerMaps(const Query& query, const HotTest& test, const std::optional<CodePlan>& plan, Result& result,
                    const Job& job) const;
    std::shared_ptr<const TensorIndex> index() const;
    /// Values of some planes with what the index knows of them.
    ValueSet valuesOf(const BlockReader& reader, const PlaneChoice& planes, const Statistics& statistics) const;

    Tensor m_tensor;
    Selection m_selection;
    std::shared_ptr<const Workers> m_workers;
    PlaneGrid m_grid;
    /// Lends memory for maps; tensors that came from it keep it.
    std::shared_ptr<BufferPool> m_pool;
    MemoryPlan m_memory;
    FirstScan m_scan;
    /// Of an 8-bit tensor, or null.
    std::shared_ptr<const ValueCodes> m_ownCodes;
    std::vector<Statistics> m_statistics;
    Statistics m_all;
    mutable TestMaker m_tests;
    /// As m_pool, for copies of the selected part (select, fuse): the memory of one is kept, since fresh pages cost more than
    /// the work done on them.
    std::shared_ptr<BufferPool> m_copies = std::make_shared<BufferPool>(static_cast<std::size_t>(m_tensor.bytes()) + (2 << 20));
    mutable std::mutex m_indexMutex;
    /// Null until built, or where none helps.
    mutable std::shared_ptr<const TensorIndex> m_index;
    mutable std::mutex m_histogramMutex;
    /// Of all elements, as asked last.
    mutable std::optional<Histogram> m_histogram;
};

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/coordinates.h"
#include "core/engine/engine.h"
#include "core/engine/parallel.h"
#include "core/engine/rules.h"
#include "core/engine/sparse_entries.h"

namespace core {

/// A sparse tensor taken in by the CPU engine: its stored elements, sorted and free of duplicates. All other elements are zeros
/// that are counted, never written out. Answers equal those for the dense tensor; sums of hot values to the last bit.
class SparseLoaded : public LoadedTensor
{
public:
    /// Throws Error (indices outside the shape, more planes than there is room for), Cancelled.
    SparseLoaded(const SparseTensor& tensor, Selection selection, std::shared_ptr<const Workers> workers, const Job& job);

    DType dtype() const override { return m_entries.dtype; }
    const Shape& shape() const override { return m_shape; }
    const Selection& selection() const override { return m_selection; }
    const Tensor* dense() const override { return nullptr; }

    const std::vector<Statistics>& planeStatistics(const Job& job = {}) const override;
    Statistics statistics(const Job& job = {}) const override;
    Result run(const Query& query, const Job& job = {}) const override;
    void coordinates(const Where& where, bool values, const std::function<bool(const RowBlock&)>& sink,
                     const Job& job = {}) const override;
    Tensor plane(PlaneIndex plane) const override;
    Scalar value(std::span<const std::int64_t> indices) const override;
    void buildIndex(const Job& job = {}) const override;
    double nearestStop(double value) const override;
    double stepStop(double value, std::int64_t steps) const override;
    Histogram histogram(std::optional<PlaneIndex> plane, int bins, const Job& job = {}) const override;

private:
    HotTest makeTest(const Where& where, const Job& job) const;
    ValueSet values(const PlaneChoice& planes, bool storedOnly, const Job& job) const;

    Shape m_shape;
    Selection m_selection;
    std::shared_ptr<const Workers> m_workers;
    CanonicalSparse m_canonical;
    SparseEntries m_entries;
    /// As kernels see them, without a condition.
    SeenEntries m_seen;
    std::vector<PlaneStatistics> m_planes;
    std::vector<Statistics> m_statistics;
    Statistics m_all;
    mutable TestMaker m_tests;
};

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/engine/parallel.h"
#include "core/engine/rules.h"
#include "core/engine/sparse_entries.h"

#include <mutex>

namespace core {

/// A sparse tensor taken in by the CPU engine: its stored elements, sorted and free of duplicates. All other elements are zeros
/// that are counted, never written out. Answers equal those for the dense tensor; sums of hot values to the last bit. There may
/// be any number of planes; lists of all of them (planeStatistics(), counts, sums) are refused past 4,194,304 (Error).
class SparseLoaded : public LoadedTensor
{
public:
    /// Throws Error (indices outside the shape), Cancelled.
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
    LabelMap labels(const LabelQuery& query, const Job& job = {}) const override;
    LabelCounts labelCounts(const Job& job = {}) const override;
    Selected select(const SelectQuery& query, const Job& job = {}) const override;
    std::vector<double> norms(const Norm& norm, const Job& job = {}) const override;
    Fused fuse(const LoadedTensor& other, const Norm& norm, const Job& job = {}) const override;

private:
    /// Positions among the filled planes.
    std::vector<std::size_t> filledOf(const PlaneChoice& planes) const;
    /// Of some planes taken as one, from the statistics of the filled ones.
    Statistics statisticsOf(const PlaneChoice& planes, const std::vector<PlaneStatistics>& filled, bool storedOnly) const;
    HotTest makeTest(const Where& where, const Job& job) const;
    /// Per channel, unless these are more than can be listed.
    std::vector<Threshold> thresholdsOf(const HotTest& test) const;
    ValueSet values(const PlaneChoice& planes, bool storedOnly, const Job& job) const;

    Shape m_shape;
    Selection m_selection;
    std::shared_ptr<const Workers> m_workers;
    CanonicalSparse m_canonical;
    SparseEntries m_entries;
    /// As kernels see them, without a condition.
    SeenEntries m_seen;
    /// Of the filled planes; with the zeros, and (on demand) of stored elements only.
    std::vector<PlaneStatistics> m_planes;
    mutable std::vector<PlaneStatistics> m_stored;
    mutable std::mutex m_storedMutex;
    /// Filled planes by channel, then batch.
    std::vector<std::size_t> m_byChannel;
    /// Of all planes, on demand.
    mutable std::vector<Statistics> m_statistics;
    mutable std::once_flag m_listed;
    Statistics m_all;
    mutable TestMaker m_tests;
};

} // namespace core

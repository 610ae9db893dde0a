// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace ui {

struct TensorSummary;

/// One row per plane of the shown batch item, or of all batch items. Rows are kept in a sorted order of their own, which
/// settles when asked and stays while a threshold is dragged.
class ChannelsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { channel, threshold, count, fraction, min, max, mean, std, flags, columnTotal };

    using QAbstractTableModel::QAbstractTableModel;

    void setTensor(const TensorSummary& tensor);
    /// Takes counts and thresholds; tells views of the changed columns only. `settle`: sort again.
    void setFrame(const core::Frame& frame, bool settle);
    void clear();
    /// Which planes are listed: those of one batch item, or (-1) of all.
    void setBatch(std::int64_t batch);
    std::int64_t batch() const { return m_batch; }

    /// Plane (batch-major position) of a row, and the row of a plane or -1.
    std::int64_t planeOf(int row) const { return m_order[static_cast<std::size_t>(row)]; }
    int rowOf(std::int64_t plane) const;
    std::int64_t countOf(std::int64_t plane) const;
    std::int64_t elementsOfPlane() const { return m_elements; }
    std::int64_t channels() const { return m_channels; }
    /// "17", or "3:17" (batch:channel) when all batch items are listed; indices of the file.
    QString planeName(std::int64_t plane) const;
    /// What is wrong with a plane, as words: "all 0", "never hot", "all hot", "5 NaN", "1 inf". Empty when nothing is.
    QString flagText(std::int64_t plane) const;
    /// "256 channels, 12 never hot, 3 all 0, 1 not finite".
    QString summary() const;
    Column sortColumn() const { return m_sortColumn; }
    Qt::SortOrder sortOrder() const { return m_sortOrder; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    static bool isAllZero(const core::Statistics& statistics);
    static std::int64_t infinities(const core::Statistics& statistics);
    void resetOrder();
    void settle();
    double sortKey(std::int64_t plane) const;
    const core::Statistics* statistics(std::int64_t plane) const;
    QString text(std::int64_t plane, Column column) const;
    /// In full, without separators and units, for pasting elsewhere.
    QString plainText(std::int64_t plane, Column column) const;
    enum class Length { brief, full };
    QString numberText(std::int64_t plane, Column column, Length length) const;
    QString thresholdText(std::int64_t plane, Length length) const;

    std::shared_ptr<const std::vector<core::Statistics>> m_statistics;
    std::shared_ptr<const std::vector<std::int64_t>> m_counts;
    std::vector<core::Threshold> m_thresholds;
    core::DType m_dtype = core::DType::f32;
    core::DType m_thresholdDtype = core::DType::f32;
    std::int64_t m_batches = 0;
    std::int64_t m_channels = 0;
    std::int64_t m_firstBatch = 0;
    std::int64_t m_firstChannel = 0;
    std::int64_t m_elements = 0;
    std::int64_t m_batch = 0;
    std::vector<std::int64_t> m_order;
    std::vector<int> m_rows;
    Column m_sortColumn = count;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
    /// Counts or thresholds changed since the last sort.
    bool m_unsorted = false;
};

} // namespace ui

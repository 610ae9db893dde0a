// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/contents_tree.h"

#include <QAbstractItemModel>

namespace ui {

/// A ContentsTree as a Qt item model. Entries without values are listed dimmed; the shown entry is bold.
class ContentsModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { name, shape, dtype, size, summary, columnTotal };

    using QAbstractItemModel::QAbstractItemModel;

    const ContentsTree& tree() const { return m_tree; }
    void setDocument(int id, std::shared_ptr<const core::Document> document);
    void removeDocument(int id);
    void setSummaries(int id, const std::vector<NamedSummary>& summaries);
    void setFilter(const QString& text);
    /// Marks the entry shown; -1 for none.
    void setShownNode(int node);
    int shownNode() const { return m_shown; }
    /// Layers whose shape is not known yet tell their type in its place where the column of types is hidden; the view repaints.
    void setTypeHidden(bool hidden);

    int nodeOf(const QModelIndex& index) const { return index.isValid() ? static_cast<int>(index.internalId()) : 0; }
    /// Invalid for nodes that are filtered out.
    QModelIndex indexOf(int node, int column = 0) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// By a column; -1 is the file's own order.
    void sort(int column, Qt::SortOrder order) override;

private:
    QString text(int node, Column column) const;
    QString toolTip(int node) const;

    ContentsTree m_tree;
    int m_shown = -1;
    bool m_typeHidden = false;
    QString m_shownEntry;
    int m_shownDocument = -1;
};

/// "3 NaN · 12 of 256 dead · -3.1 … 4.9".
QString summaryText(const EntrySummary& summary, core::DType dtype);

} // namespace ui

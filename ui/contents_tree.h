// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "ui/contents_panel.h"

#include <QString>

#include <compare>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ui {

/// How entries are ordered below each node.
enum class ContentsOrder { file, name, shape, dtype, size, summary };

/// The documents as nodes: node 0 is the root, its children the documents, below them one node per path segment; groups that
/// hold one thing only are joined with it ("conv1.weight"). A layer is both an entry and the parent of what it holds. Knows
/// which nodes pass the filter, and their order.
class ContentsTree
{
public:
    struct Node
    {
        QString name;
        int parent = -1;
        /// Row among the shown children of the parent; -1 when filtered out.
        int row = -1;
        int document = -1;
        /// Null for documents and groups.
        const core::Entry* entry = nullptr;
        /// Can be asked for: it has values, or is a layer of a program, which a run gives values.
        bool isChoosable = false;
        std::vector<int> children;
        std::vector<int> shown;
        /// Bytes of the entry and all below it.
        std::int64_t bytes = 0;
    };

    ContentsTree();

    /// Adds a document, or replaces the one of that id in its place.
    void setDocument(int id, std::shared_ptr<const core::Document> document);
    void removeDocument(int id);
    const core::Document* document(int id) const;
    /// Keeps the summary of a node's entry until its document goes or is replaced.
    void setSummary(int index, const EntrySummary& summary);

    /// Shows entries whose full name holds every word of the text, letter case aside; all for an empty text.
    void setFilter(const QString& text);
    const QString& filter() const { return m_filter; }
    void setOrder(ContentsOrder order, bool descending);
    /// Number of tensors, and of layers that a run gives values, that pass the filter, and of all.
    std::int64_t shownTensors() const { return m_shownTensors; }
    std::int64_t tensors() const { return m_tensors; }
    bool hasLayers() const { return m_hasLayers; }

    /// The shape that takes most room as text; empty without tensors.
    const core::Shape& longestShape() const { return m_longestShape; }
    /// The summary of a node's entry, or null.
    const EntrySummary* summary(int index) const;
    const Node& node(int index) const { return m_nodes[static_cast<std::size_t>(index)]; }
    /// The node of an entry, or -1.
    int find(int document, const QString& entry) const;
    int documentNode(int id) const;
    /// The next (+1) or previous (-1) shown tensor in the order seen; -1 at the ends. From -1: the first or last.
    int neighbour(int index, int step) const;
    /// The first shown entry in the order seen that can be asked for, or -1.
    int firstChoosable() const;
    /// Path of names from the document down, the same after a reload.
    QString key(int index) const;

private:
    struct Document
    {
        int id;
        std::shared_ptr<const core::Document> document;
    };

    struct ChildKey
    {
        int parent;
        std::string_view name;
        bool operator==(const ChildKey&) const = default;
    };
    struct ChildHash
    {
        std::size_t operator()(const ChildKey& key) const;
    };

    /// Larger is worse, by NaN and infinities, then dead channels, then range.
    struct SummaryRank
    {
        bool isKnown = false;
        double alarms = 0;
        double dead = 0;
        double range = 0;
        auto operator<=>(const SummaryRank&) const = default;
    };

    void forgetSummaries(int id);
    SummaryRank rankOf(int index) const;
    void rankAll();
    void rebuild();
    void addDocument(const Document& document);
    void compact();
    int child(int parent, const std::string& name, int document);
    bool filterNode(int index, const QStringList& words, int depth);
    void orderNode(int index);
    void arrange();
    bool before(int a, int b) const;
    /// Shown nodes with entries, in the order seen.
    std::vector<int> order() const;

    std::vector<Document> m_documents;
    std::vector<Node> m_nodes;
    /// Nodes of entries by document and name, names as the documents hold them.
    std::map<int, std::unordered_map<std::string_view, int>> m_entries;
    std::unordered_map<const core::Entry*, EntrySummary> m_summaries;
    /// How nodes rank by summary, groups by the worst below them; filled while ordering by it.
    std::vector<SummaryRank> m_ranks;
    /// Children by parent and name, while building.
    std::unordered_map<ChildKey, int, ChildHash> m_byName;
    QString m_filter;
    ContentsOrder m_order = ContentsOrder::file;
    bool m_descending = false;
    core::Shape m_longestShape;
    std::size_t m_longestShapeText = 0;
    std::int64_t m_tensors = 0;
    std::int64_t m_shownTensors = 0;
    bool m_hasLayers = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contents_tree.h"

#include "ui/natural_order.h"

#include <QStringList>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace ui {
namespace {

/// Depth to which a hostile file may drive recursion; what lies deeper hangs on the last level.
constexpr std::size_t deepest = 200;

/// Length of a shape as text.
std::size_t lettersOf(const core::Shape& shape)
{
    std::size_t letters = shape.size();
    for (std::int64_t extent : shape)
        for (letters += 1; extent >= 10; extent /= 10)
            ++letters;
    return letters;
}

/// What the column of types sorts by.
std::string_view typeOf(const core::Entry* entry)
{
    if (!entry)
        return {};
    if (entry->isTensor())
        return core::dtypeName(entry->dtype);
    return entry->kind == core::EntryKind::layer ? std::string_view(entry->type) : std::string_view();
}

} // namespace

ContentsTree::ContentsTree()
{
    rebuild();
}

void ContentsTree::setDocument(int id, std::shared_ptr<const core::Document> document)
{
    const auto known = std::find_if(m_documents.begin(), m_documents.end(), [id](auto& other) { return other.id == id; });
    forgetSummaries(id);
    if (known != m_documents.end())
        known->document = std::move(document);
    else
        m_documents.push_back({id, std::move(document)});
    rebuild();
}

void ContentsTree::removeDocument(int id)
{
    forgetSummaries(id);
    std::erase_if(m_documents, [id](const Document& document) { return document.id == id; });
    rebuild();
}

const core::Document* ContentsTree::document(int id) const
{
    for (const Document& document : m_documents) {
        if (document.id == id)
            return document.document.get();
    }
    return nullptr;
}

void ContentsTree::rebuild()
{
    m_nodes.assign(1, Node{});
    m_entries.clear();
    m_tensors = 0;
    m_hasLayers = false;
    m_longestShape = {};
    m_longestShapeText = 0;
    for (const Document& document : m_documents)
        addDocument(document);
    m_byName.clear();
    compact();
    for (std::size_t i = m_nodes.size(); i-- > 1;)
        m_nodes[static_cast<std::size_t>(m_nodes[i].parent)].bytes += m_nodes[i].bytes;
    arrange();
}

void ContentsTree::addDocument(const Document& document)
{
    const int top = static_cast<int>(m_nodes.size());
    Node node;
    node.name = QString::fromStdString(document.document->file.filename().string());
    if (node.name.isEmpty())
        node.name = QString::fromStdString(document.document->file.string());
    node.parent = 0;
    node.document = document.id;
    m_nodes.push_back(node);
    m_nodes[0].children.push_back(top);
    auto& names = m_entries[document.id];
    names.reserve(document.document->entries.size());
    m_byName.reserve(m_byName.size() + 2 * document.document->entries.size());
    // Neighbours share most of their path: the nodes of the path before save most look-ups.
    const std::vector<std::string>* pathBefore = nullptr;
    std::vector<int> nodesBefore;
    for (const core::Entry& entry : document.document->entries) {
        int at = top;
        const std::size_t depth = std::min(entry.path.size(), deepest);
        std::size_t i = 0;
        for (; i < std::min(depth, nodesBefore.size()) && entry.path[i] == (*pathBefore)[i]; ++i)
            at = nodesBefore[i];
        nodesBefore.resize(i);
        for (; i < depth; ++i)
            nodesBefore.push_back(at = child(at, entry.path[i], document.id));
        pathBefore = &entry.path;
        if (m_nodes[static_cast<std::size_t>(at)].entry) {
            // Two entries of one path ("~2"): side by side.
            at = child(m_nodes[static_cast<std::size_t>(at)].parent, entry.name, document.id);
        }
        Node& leaf = m_nodes[static_cast<std::size_t>(at)];
        leaf.entry = &entry;
        leaf.bytes = entry.isTensor() ? entry.bytes : 0;
        names.emplace(entry.name, at);
        const bool runnable = entry.kind == core::EntryKind::layer && document.document->isProgram;
        leaf.isChoosable = entry.isTensor() || runnable;
        m_hasLayers |= runnable;
        m_tensors += leaf.isChoosable;
        if (const std::size_t letters = lettersOf(entry.shape); letters > m_longestShapeText) {
            m_longestShapeText = letters;
            m_longestShape = entry.shape;
        }
    }
}

void ContentsTree::compact()
{
    for (std::size_t i = 1; i < m_nodes.size(); ++i) {
        for (int& slot : m_nodes[i].children) {
            while (!node(slot).entry && node(slot).children.size() == 1) {
                Node& group = m_nodes[static_cast<std::size_t>(slot)];
                slot = group.children.front();
                group.children.clear();
                Node& inner = m_nodes[static_cast<std::size_t>(slot)];
                inner.name = group.name + (inner.name.startsWith(u'[') ? QString() : QStringLiteral(".")) + inner.name;
                inner.parent = static_cast<int>(i);
            }
        }
    }
}

std::size_t ContentsTree::ChildHash::operator()(const ChildKey& key) const
{
    return std::hash<std::string_view>()(key.name) ^ static_cast<std::size_t>(key.parent) * 0x9e3779b97f4a7c15U;
}

int ContentsTree::child(int parent, const std::string& name, int document)
{
    const ChildKey key{parent, name};
    if (const auto known = m_byName.find(key); known != m_byName.end())
        return known->second;
    const int index = static_cast<int>(m_nodes.size());
    Node node;
    node.name = QString::fromStdString(name);
    node.parent = parent;
    node.document = document;
    m_nodes.push_back(std::move(node));
    m_nodes[static_cast<std::size_t>(parent)].children.push_back(index);
    m_byName.emplace(key, index);
    return index;
}

void ContentsTree::forgetSummaries(int id)
{
    if (const core::Document* old = document(id); old && !m_summaries.empty())
        for (const core::Entry& entry : old->entries)
            m_summaries.erase(&entry);
}

void ContentsTree::setSummary(int index, const EntrySummary& summary)
{
    if (const core::Entry* entry = node(index).entry)
        m_summaries[entry] = summary;
}

const EntrySummary* ContentsTree::summary(int index) const
{
    const auto known = m_summaries.find(node(index).entry);
    return known == m_summaries.end() ? nullptr : &known->second;
}

ContentsTree::SummaryRank ContentsTree::rankOf(int index) const
{
    constexpr double worst = std::numeric_limits<double>::infinity();
    const EntrySummary* known = summary(index);
    if (!known || known->state == SummaryState::whenShown)
        return {};
    if (known->state == SummaryState::failed)
        return {true, worst, 0, 0};
    const core::Statistics& s = known->statistics;
    const auto real = [](const core::Scalar& value) {
        return std::visit([](auto v) { return static_cast<double>(v); }, value);
    };
    return {true, static_cast<double>(s.nan + s.positiveInf + s.negativeInf), static_cast<double>(known->deadChannels),
            s.min && s.max ? real(*s.max) - real(*s.min) : 0};
}

void ContentsTree::rankAll()
{
    m_ranks.assign(m_nodes.size(), {});
    for (std::size_t i = m_nodes.size(); i-- > 1;) {
        m_ranks[i] = std::max(m_ranks[i], rankOf(static_cast<int>(i)), [](auto& a, auto& b) { return (a <=> b) < 0; });
        SummaryRank& above = m_ranks[static_cast<std::size_t>(m_nodes[i].parent)];
        above = std::max(above, m_ranks[i], [](auto& a, auto& b) { return (a <=> b) < 0; });
    }
}

void ContentsTree::setFilter(const QString& text)
{
    m_filter = text.simplified();
    arrange();
}

void ContentsTree::setOrder(ContentsOrder order, bool descending)
{
    m_order = order;
    m_descending = descending;
    arrange();
}

void ContentsTree::arrange()
{
    m_shownTensors = 0;
    const QStringList words = m_filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    filterNode(0, words, 0);
    if (m_order == ContentsOrder::summary)
        rankAll();
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        orderNode(static_cast<int>(i));
}

bool ContentsTree::filterNode(int index, const QStringList& words, int depth)
{
    Node& node = m_nodes[static_cast<std::size_t>(index)];
    node.shown.clear();
    node.row = -1;
    bool passes = node.entry == nullptr ? words.isEmpty() : true;
    if (node.entry && !words.isEmpty()) {
        const QString name = QString::fromStdString(node.entry->name);
        passes = std::all_of(words.begin(), words.end(),
                             [&name](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
    }
    if (passes && node.entry)
        m_shownTensors += node.isChoosable;
    for (const int childIndex : node.children) {
        if (filterNode(childIndex, words, depth + 1))
            node.shown.push_back(childIndex);
    }
    // Documents stay, so that a filter without matches does not look like a closed file.
    return passes || !node.shown.empty() || depth == 1;
}

bool ContentsTree::before(int a, int b) const
{
    const Node& x = node(a);
    const Node& y = node(b);
    switch (m_order) {
    case ContentsOrder::name:
        return naturallyBefore(x.name, y.name);
    case ContentsOrder::shape:
        return (x.entry ? x.entry->shape : core::Shape()) < (y.entry ? y.entry->shape : core::Shape());
    case ContentsOrder::dtype:
        return typeOf(x.entry) < typeOf(y.entry);
    case ContentsOrder::size:
        return x.bytes < y.bytes;
    case ContentsOrder::summary:
        return (m_ranks[static_cast<std::size_t>(a)] <=> m_ranks[static_cast<std::size_t>(b)]) < 0;
    case ContentsOrder::file:
        break;
    }
    return a < b;
}

void ContentsTree::orderNode(int index)
{
    std::vector<int>& shown = m_nodes[static_cast<std::size_t>(index)].shown;
    // Documents keep the order in which they were opened.
    if (index > 0 && m_order != ContentsOrder::file) {
        std::stable_sort(shown.begin(), shown.end(),
                         [this](int a, int b) { return m_descending ? before(b, a) : before(a, b); });
        // What is not known yet comes last either way.
        if (m_order == ContentsOrder::summary)
            std::stable_partition(shown.begin(), shown.end(),
                                  [this](int at) { return m_ranks[static_cast<std::size_t>(at)].isKnown; });
    }
    for (std::size_t row = 0; row < shown.size(); ++row)
        m_nodes[static_cast<std::size_t>(shown[row])].row = static_cast<int>(row);
}

int ContentsTree::find(int document, const QString& entry) const
{
    const auto names = m_entries.find(document);
    if (names == m_entries.end())
        return -1;
    const std::string name = entry.toStdString();
    const auto known = names->second.find(name);
    return known == names->second.end() ? -1 : known->second;
}

int ContentsTree::documentNode(int id) const
{
    for (const int index : m_nodes[0].children) {
        if (node(index).document == id)
            return index;
    }
    return -1;
}

std::vector<int> ContentsTree::order() const
{
    std::vector<int> order;
    std::vector<int> open{0};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        if (node(at).entry)
            order.push_back(at);
        open.insert(open.end(), node(at).shown.rbegin(), node(at).shown.rend());
    }
    return order;
}

int ContentsTree::firstChoosable() const
{
    const std::vector<int> seen = order();
    const auto first = std::find_if(seen.begin(), seen.end(), [this](int at) { return node(at).isChoosable; });
    return first == seen.end() ? -1 : *first;
}

int ContentsTree::neighbour(int index, int step) const
{
    std::vector<int> tensors = order();
    std::erase_if(tensors, [this](int at) { return !node(at).entry->isTensor(); });
    if (tensors.empty())
        return -1;
    const auto here = std::find(tensors.begin(), tensors.end(), index);
    if (here == tensors.end())
        return step > 0 ? tensors.front() : tensors.back();
    const auto next = here - tensors.begin() + step;
    return next < 0 || next >= static_cast<std::ptrdiff_t>(tensors.size()) ? -1 : tensors[static_cast<std::size_t>(next)];
}

QString ContentsTree::key(int index) const
{
    QString key;
    for (int at = index; at > 0; at = node(at).parent)
        key.prepend(QLatin1Char('\x1f') + (node(at).parent == 0 ? QString::number(node(at).document) : node(at).name));
    return key;
}

} // namespace ui

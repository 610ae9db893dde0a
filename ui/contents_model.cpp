// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contents_model.h"

#include "ui/number_text.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <QStringList>

#include <array>

namespace ui {
namespace {

QString latin(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Long values would widen the column without end.
QString shortened(const std::string& text)
{
    constexpr qsizetype longest = 80;
    const QString line = QString::fromStdString(text).simplified();
    return line.size() > longest ? line.left(longest) + QStringLiteral("\u2026") : line;
}

/// "Conv2d" of "__torch__.torch.nn.modules.conv.Conv2d".
QString className(const std::string& type)
{
    return QString::fromStdString(type).section(u'.', -1);
}

QString stridesText(const core::Strides& strides)
{
    QStringList parts;
    for (const std::int64_t stride : strides)
        parts.append(QString::number(stride));
    return parts.join(QStringLiteral(", "));
}

/// The summary in a tooltip.
QString summaryLine(const EntrySummary* summary, core::DType dtype)
{
    if (!summary)
        return ContentsModel::tr("Its summary is still to come.");
    switch (summary->state) {
    case SummaryState::failed:
        return QStringLiteral("\u26a0 ") + summary->problem;
    case SummaryState::whenShown:
        return ContentsModel::tr("Too large to be summarized unasked: its summary comes when it is shown.");
    case SummaryState::known:
        break;
    }
    return summaryText(*summary, dtype);
}

/// Whether something is wrong that its row should tell.
bool isAlarming(const EntrySummary* summary)
{
    if (!summary || summary->state == SummaryState::whenShown)
        return false;
    const core::Statistics& s = summary->statistics;
    return summary->state == SummaryState::failed || s.nan + s.positiveInf + s.negativeInf > 0;
}

} // namespace

QString summaryText(const EntrySummary& summary, core::DType dtype)
{
    if (summary.state == SummaryState::failed)
        return ContentsModel::tr("failed");
    if (summary.state == SummaryState::whenShown)
        return ContentsModel::tr("when shown");
    const core::Statistics& s = summary.statistics;
    QStringList parts;
    if (s.nan > 0)
        parts.append(QStringLiteral("%1 NaN").arg(countText(s.nan)));
    if (s.positiveInf + s.negativeInf > 0)
        parts.append(QStringLiteral("%1 inf").arg(countText(s.positiveInf + s.negativeInf)));
    // A single channel of zeros is told by its range.
    if (summary.deadChannels > 0 && summary.channels > 1)
        parts.append(ContentsModel::tr("%1 of %2 dead").arg(countText(summary.deadChannels), countText(summary.channels)));
    if (s.min && s.max)
        parts.append(*s.min == *s.max ? ContentsModel::tr("all %1").arg(valueText(*s.min, dtype))
                                      : valueText(*s.min, dtype) + QStringLiteral(" \u2026 ") + valueText(*s.max, dtype));
    else if (s.elements == 0)
        parts.append(ContentsModel::tr("no elements"));
    else if (parts.isEmpty())
        parts.append(ContentsModel::tr("all finite"));
    return parts.join(QStringLiteral(" \u00b7 "));
}

void ContentsModel::setDocument(int id, std::shared_ptr<const core::Document> document)
{
    beginResetModel();
    m_tree.setDocument(id, std::move(document));
    m_shown = m_shownDocument < 0 ? -1 : m_tree.find(m_shownDocument, m_shownEntry);
    endResetModel();
}

void ContentsModel::removeDocument(int id)
{
    beginResetModel();
    m_tree.removeDocument(id);
    m_shown = m_shownDocument < 0 ? -1 : m_tree.find(m_shownDocument, m_shownEntry);
    endResetModel();
}

void ContentsModel::setSummaries(int id, const std::vector<NamedSummary>& summaries)
{
    // A view searches its rows for each changed one.
    constexpr std::size_t fewRows = 50;
    for (const NamedSummary& known : summaries) {
        const int node = m_tree.find(id, known.entry);
        if (node < 0)
            continue;
        m_tree.setSummary(node, known.summary);
        if (const QModelIndex row = indexOf(node); row.isValid() && summaries.size() <= fewRows)
            Q_EMIT dataChanged(row, row.siblingAtColumn(summary));
    }
    if (const QModelIndex document = indexOf(m_tree.documentNode(id)); document.isValid() && summaries.size() > fewRows)
        Q_EMIT dataChanged(document, document.siblingAtColumn(summary));
}

void ContentsModel::setFilter(const QString& filter)
{
    beginResetModel();
    m_tree.setFilter(filter);
    endResetModel();
}

void ContentsModel::setShownNode(int node)
{
    const int before = m_shown;
    m_shown = node;
    m_shownDocument = node < 0 ? -1 : m_tree.node(node).document;
    m_shownEntry = node < 0 ? QString() : QString::fromStdString(m_tree.node(node).entry->name);
    for (const int changed : {before, node}) {
        if (changed >= 0 && indexOf(changed).isValid())
            Q_EMIT dataChanged(indexOf(changed), indexOf(changed, columnTotal - 1));
    }
}

void ContentsModel::setTypeHidden(bool hidden)
{
    if (m_typeHidden == hidden)
        return;
    m_typeHidden = hidden;
}

void ContentsModel::sort(int column, Qt::SortOrder order)
{
    constexpr std::array orders{ContentsOrder::name, ContentsOrder::shape, ContentsOrder::dtype, ContentsOrder::size,
                                ContentsOrder::summary};
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    m_tree.setOrder(column < 0 || column >= columnTotal ? ContentsOrder::file : orders[static_cast<std::size_t>(column)],
                    order == Qt::DescendingOrder);
    QModelIndexList after;
    for (const QModelIndex& index : before)
        after.append(indexOf(nodeOf(index), index.column()));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

QModelIndex ContentsModel::indexOf(int node, int column) const
{
    if (node <= 0 || m_tree.node(node).row < 0)
        return {};
    return createIndex(m_tree.node(node).row, column, static_cast<quintptr>(node));
}

QModelIndex ContentsModel::index(int row, int column, const QModelIndex& parent) const
{
    const auto& shown = m_tree.node(nodeOf(parent)).shown;
    if (row < 0 || static_cast<std::size_t>(row) >= shown.size() || column < 0 || column >= columnTotal)
        return {};
    return createIndex(row, column, static_cast<quintptr>(shown[static_cast<std::size_t>(row)]));
}

QModelIndex ContentsModel::parent(const QModelIndex& index) const
{
    return index.isValid() ? indexOf(m_tree.node(nodeOf(index)).parent) : QModelIndex();
}

int ContentsModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(m_tree.node(nodeOf(parent)).shown.size());
}

int ContentsModel::columnCount(const QModelIndex&) const
{
    return columnTotal;
}

QString ContentsModel::text(int index, Column column) const
{
    const ContentsTree::Node& node = m_tree.node(index);
    const core::Entry* entry = node.entry;
    const bool tensor = entry && entry->isTensor();
    const bool layer = entry && entry->kind == core::EntryKind::layer;
    switch (column) {
    case name:
        return node.name;
    case shape:
        if (tensor || (layer && !entry->shape.empty()))
            return shapeText(entry->shape);
        if (layer)
            return m_typeHidden ? className(entry->type) : QString();
        return entry ? shortened(entry->kind == core::EntryKind::value ? entry->value : entry->type) : QString();
    case dtype:
        if (!tensor)
            return layer ? className(entry->type) : QString();
        return entry->storage == core::StorageKind::strided
                   ? latin(core::dtypeName(entry->dtype))
                   : latin(core::dtypeName(entry->dtype)) + QLatin1Char(' ') + latin(core::storageKindName(entry->storage));
    case size:
        return node.bytes > 0 || tensor ? bytesText(node.bytes) : QString();
    case summary:
        return m_tree.summary(index) ? summaryText(*m_tree.summary(index), entry->dtype) : QString();
    default:
        return {};
    }
}

QString ContentsModel::toolTip(int index) const
{
    const ContentsTree::Node& node = m_tree.node(index);
    QStringList lines;
    if (!node.entry) {
        const core::Document* document = m_tree.document(node.document);
        if (node.parent != 0 || !document)
            return {};
        lines.append(QString::fromStdString(document->file.string()));
        lines.append(
            tr("format %1, %2 entries").arg(latin(document->format), countText(std::int64_t(document->entries.size()))));
        for (const std::string& warning : document->warnings)
            lines.append(QStringLiteral("\u26a0 ") + QString::fromStdString(warning));
        return lines.join(QLatin1Char('\n'));
    }
    const core::Entry& entry = *node.entry;
    lines.append(QString::fromStdString(entry.name));
    if (entry.isTensor()) {
        if (entry.kind == core::EntryKind::layer)
            lines.append(tr("layer: %1").arg(QString::fromStdString(entry.type)));
        lines.append(QStringLiteral("%1, %2").arg(latin(core::dtypeName(entry.dtype)), shapeText(entry.shape)));
        lines.append(entry.storage == core::StorageKind::strided
                         ? tr("strides %1").arg(entry.strides.empty() ? tr("none") : stridesText(entry.strides))
                         : tr("sparse %1, %2 stored")
                               .arg(latin(core::storageKindName(entry.storage)), countText(entry.stored.value_or(0))));
        lines.append(tr("%1 bytes").arg(countText(entry.bytes)));
    } else {
        const QString what = latin(core::entryKindName(entry.kind));
        const QString said = QString::fromStdString(entry.kind == core::EntryKind::value ? entry.value : entry.type);
        lines.append(QStringLiteral("%1: %2").arg(what, said.left(400)));
    }
    for (const std::string& note : entry.notes)
        lines.append(QString::fromStdString(note));
    if (entry.isTensor())
        lines.append(summaryLine(m_tree.summary(index), entry.dtype));
    if (entry.isTensor())
        lines.append(tr("Double-click or Enter shows it."));
    else if (node.isChoosable)
        lines.append(tr("No values yet: double-click or Enter runs the model and shows it."));
    return lines.join(QLatin1Char('\n'));
}

QVariant ContentsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const ContentsTree::Node& node = m_tree.node(nodeOf(index));
    switch (role) {
    case Qt::DisplayRole: {
        const core::Document* document = node.parent == 0 ? m_tree.document(node.document) : nullptr;
        const bool warned =
            index.column() == name && ((document && !document->warnings.empty()) || isAlarming(m_tree.summary(nodeOf(index))));
        return warned ? node.name + QStringLiteral(" \u26a0") : text(nodeOf(index), static_cast<Column>(index.column()));
    }
    case Qt::ToolTipRole:
        return toolTip(nodeOf(index));
    case Qt::TextAlignmentRole:
        return int((index.column() == size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        // Values, objects and groups are there to be read, not to be shown.
        if (node.parent != 0 && (index.column() != name || (node.entry && !node.entry->isTensor())))
            return QGuiApplication::palette().color(QPalette::PlaceholderText);
        return {};
    case Qt::FontRole:
        if (nodeOf(index) == m_shown && index.column() == name) {
            QFont font = QGuiApplication::font();
            font.setBold(true);
            return font;
        }
        return {};
    case Qt::AccessibleDescriptionRole:
        return nodeOf(index) == m_shown ? tr("shown") : QString();
    default:
        return {};
    }
}

QVariant ContentsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    constexpr std::array names{QT_TR_NOOP("Name"), QT_TR_NOOP("Shape"), QT_TR_NOOP("Type"), QT_TR_NOOP("Size"),
                               QT_TR_NOOP("Summary")};
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return tr(names[static_cast<std::size_t>(section)]);
    if (role == Qt::ToolTipRole)
        return tr("Click to sort; a third click brings the file's own order back. Right click: more orders and columns.");
    return {};
}

} // namespace ui

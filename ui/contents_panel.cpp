// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contents_panel.h"

#include "ui/contents_model.h"
#include "ui/number_text.h"
#include "ui/panel_pages.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace ui {
namespace {

/// Trees up to this size unfold by themselves.
constexpr std::int64_t smallTree = 60;
/// A filter unfolds its matches up to this number; beyond it people filter further.
constexpr std::int64_t mostUnfolded = 2000;

/// The style's items with some air between rows.
class AiryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 4);
    }
};

} // namespace

ContentsPanel::ContentsPanel(QWidget* parent)
    : QWidget(parent), m_model(new ContentsModel(this)), m_tree(new QTreeView), m_filter(new QLineEdit), m_matches(new QLabel)
{
    build();
    connectControls();
}

ContentsPanel::~ContentsPanel() = default;

void ContentsPanel::build()
{
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter entries by name"));
    m_filter->setToolTip(tr("Show entries whose name holds these words (Ctrl+F; Esc clears)"));
    m_filter->installEventFilter(this);
    m_matches->setForegroundRole(QPalette::PlaceholderText);
    m_matches->hide();
    m_tree->setModel(m_model);
    m_tree->setAccessibleName(tr("Contents"));
    m_tree->setItemDelegate(new AiryDelegate(m_tree));
    m_tree->setUniformRowHeights(true);
    // Layers are shown by it and groups opened: activate decides.
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setIndentation(10);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->installEventFilter(this);
    m_tree->viewport()->installEventFilter(this);
    QHeaderView* header = m_tree->header();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    m_tree->setSortingEnabled(true);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(40);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 8, 8, 0);
    column->setSpacing(4);
    column->addWidget(m_filter);
    column->addWidget(m_matches);
    column->addWidget(m_tree, 1);
    m_pages = makePages(this, content, tr("The tensors of opened files. Files can be dropped on the window."));
}

void ContentsPanel::connectControls()
{
    connect(m_filter, &QLineEdit::textChanged, this, &ContentsPanel::applyFilter);
    connect(m_tree, &QTreeView::doubleClicked, this, &ContentsPanel::activate);
    connect(m_tree, &QWidget::customContextMenuRequested, this, &ContentsPanel::openMenu);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ContentsPanel::spanDocuments);
    connect(m_tree->header(), &QHeaderView::sectionResized, this, [this] {
        if (QApplication::mouseButtons().testFlag(Qt::LeftButton) && m_tree->header()->underMouse())
            m_ownColumns = true;
        m_model->setTypeHidden(m_tree->header()->sectionSize(ContentsModel::dtype) == 0);
    });
    connect(m_tree->header(), &QHeaderView::sortIndicatorChanged, this, &ContentsPanel::fitColumns);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ContentsPanel::fitColumns);
    connect(m_tree->header(), &QWidget::customContextMenuRequested, this, &ContentsPanel::openHeaderMenu);
    // Not at each of many summaries: rows that jump about cannot be clicked.
    constexpr int sortMs = 300;
    m_sortTimer.setSingleShot(true);
    m_sortTimer.setInterval(sortMs);
    connect(&m_sortTimer, &QTimer::timeout, this, [this] {
        const QHeaderView* header = m_tree->header();
        m_model->sort(header->sortIndicatorSection(), header->sortIndicatorOrder());
    });
}

void ContentsPanel::addDocument(int id, std::shared_ptr<const core::Document> document)
{
    const Unfolded before = unfolded();
    m_model->setDocument(id, std::move(document));
    restore(before);
    m_pages->setCurrentIndex(1);
    const int node = m_model->tree().documentNode(id);
    const core::Document* added = m_model->tree().document(id);
    if (m_filter->text().isEmpty()) {
        m_tree->expand(m_model->indexOf(node));
        if (static_cast<std::int64_t>(added->entries.size()) <= smallTree)
            m_tree->expandRecursively(m_model->indexOf(node));
    }
    if (!m_tree->currentIndex().isValid())
        m_tree->setCurrentIndex(m_model->indexOf(node));
    showMatches();
}

void ContentsPanel::replaceDocument(int id, std::shared_ptr<const core::Document> document)
{
    const Unfolded before = unfolded();
    m_model->setDocument(id, std::move(document));
    restore(before);
    showMatches();
}

void ContentsPanel::removeDocument(int id)
{
    const Unfolded before = unfolded();
    m_model->removeDocument(id);
    restore(before);
    if (m_model->rowCount() == 0)
        m_pages->setCurrentIndex(0);
    showMatches();
}

void ContentsPanel::setSummaries(int document, const std::vector<NamedSummary>& summaries)
{
    m_model->setSummaries(document, summaries);
    if (!std::exchange(m_hasSummaries, true))
        fitColumns();
    if (m_tree->header()->sortIndicatorSection() == ContentsModel::summary && !m_sortTimer.isActive())
        m_sortTimer.start();
}

ContentsPanel::Unfolded ContentsPanel::unfolded() const
{
    Unfolded state;
    std::vector<QModelIndex> open{QModelIndex()};
    while (!open.empty()) {
        const QModelIndex index = open.back();
        open.pop_back();
        for (int row = 0; row < m_model->rowCount(index); ++row) {
            const QModelIndex child = m_model->index(row, 0, index);
            if (!m_tree->isExpanded(child))
                continue;
            state.expanded.insert(m_model->tree().key(m_model->nodeOf(child)));
            open.push_back(child);
        }
    }
    if (m_tree->currentIndex().isValid())
        state.current = m_model->tree().key(m_model->nodeOf(m_tree->currentIndex()));
    return state;
}

void ContentsPanel::restore(const Unfolded& state)
{
    std::vector<QModelIndex> open{QModelIndex()};
    while (!open.empty()) {
        const QModelIndex index = open.back();
        open.pop_back();
        for (int row = 0; row < m_model->rowCount(index); ++row) {
            const QModelIndex child = m_model->index(row, 0, index);
            const QString key = m_model->tree().key(m_model->nodeOf(child));
            if (key == state.current)
                m_tree->setCurrentIndex(child);
            if (!state.expanded.contains(key))
                continue;
            m_tree->expand(child);
            open.push_back(child);
        }
    }
}

void ContentsPanel::applyFilter(const QString& text)
{
    if (!m_beforeFilter)
        m_beforeFilter = unfolded();
    m_model->setFilter(text);
    if (m_model->tree().filter().isEmpty()) {
        restore(*m_beforeFilter);
        m_beforeFilter.reset();
        unfold(m_model->shownNode());
    } else if (m_model->tree().shownTensors() <= mostUnfolded) {
        m_tree->expandAll();
    } else {
        m_tree->expandToDepth(0);
    }
    showMatches();
}

void ContentsPanel::spanDocuments()
{
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_tree->setFirstColumnSpanned(row, {}, true);
}

void ContentsPanel::fitColumns()
{
    if (m_ownColumns)
        return;
    constexpr int padding = 12;
    QHeaderView* header = m_tree->header();
    const auto width = [&](int column, const QString& text) {
        const QString name = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        // The mark of the sorted column needs room beside its name.
        const int marked = header->fontMetrics().horizontalAdvance(name) + 2 * padding;
        return std::max(marked, fontMetrics().horizontalAdvance(text) + padding);
    };
    const int leastName = std::clamp(m_tree->viewport()->width() * 2 / 5, 60, 100);
    int rest = m_tree->viewport()->width() - leastName;
    int widest = width(ContentsModel::shape, shapeText(m_model->tree().longestShape()));
    if (m_model->tree().hasLayers())
        widest = std::max(widest, width(ContentsModel::shape, QStringLiteral("BatchNorm2d")));
    const int shape = std::clamp(widest, 0, std::max(rest, 60));
    header->resizeSection(ContentsModel::shape, shape);
    rest -= shape;
    const std::array columns{
        std::pair{ContentsModel::dtype, width(ContentsModel::dtype, QStringLiteral("complex128"))},
        std::pair{ContentsModel::size, width(ContentsModel::size, QStringLiteral("37.6 kB"))},
        std::pair{ContentsModel::summary, width(ContentsModel::summary, tr("12 of 256 dead \u00b7 -3.125 \u2026 4.875"))}};
    for (const auto& [column, wanted] : columns) {
        const bool sorted = header->sortIndicatorSection() == column;
        const bool fits = rest >= wanted && (column != ContentsModel::summary || m_hasSummaries);
        header->setSectionHidden(column, !fits && !sorted);
        if (fits || sorted) {
            header->resizeSection(column, wanted);
            rest -= wanted;
        }
    }
    header->resizeSection(ContentsModel::name, leastName + std::max(rest, 0));
}

void ContentsPanel::showMatches()
{
    const bool filtered = !m_model->tree().filter().isEmpty();
    const QString text = m_model->tree().hasLayers() ? tr("%1 of %2 layers and tensors") : tr("%1 of %2 tensors");
    m_matches->setText(text.arg(countText(m_model->tree().shownTensors()), countText(m_model->tree().tensors())));
    m_matches->setVisible(filtered);
}

void ContentsPanel::unfold(int node)
{
    const QModelIndex index = m_model->indexOf(node);
    if (!index.isValid())
        return;
    for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
        m_tree->expand(above);
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
}

void ContentsPanel::setShown(int document, const QString& entry)
{
    const int node = entry.isEmpty() ? -1 : m_model->tree().find(document, entry);
    if (node == m_model->shownNode())
        return;
    m_model->setShownNode(node);
    unfold(node);
}

void ContentsPanel::saveState(QSettings& settings) const
{
    settings.setValue(QStringLiteral("contents/columns"), m_ownColumns ? m_tree->header()->saveState() : QByteArray());
    settings.setValue(QStringLiteral("contents/sortedBy"), m_tree->header()->sortIndicatorSection());
    settings.setValue(QStringLiteral("contents/descending"), m_tree->header()->sortIndicatorOrder() == Qt::DescendingOrder);
}

void ContentsPanel::restoreState(const QSettings& settings)
{
    m_ownColumns = m_tree->header()->restoreState(settings.value(QStringLiteral("contents/columns")).toByteArray());
    const int column = settings.value(QStringLiteral("contents/sortedBy"), -1).toInt();
    const bool descending = settings.value(QStringLiteral("contents/descending"), false).toBool();
    m_tree->sortByColumn(column < ContentsModel::columnTotal ? column : -1,
                         descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    fitColumns();
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contents_panel.h"

#include "ui/contents_model.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>

#include <algorithm>

namespace ui {

namespace {

/// Why nothing is shown of an entry that is no tensor.
QString reasonOf(const core::Entry& entry)
{
    constexpr qsizetype longest = 60;
    const auto shortened = [](const std::string& text) {
        const QString line = QString::fromStdString(text).simplified();
        return line.size() > longest ? line.left(longest) + QChar(0x2026) : line;
    };
    const QString name = QString::fromStdString(entry.name);
    switch (entry.kind) {
    case core::EntryKind::value:
        return ContentsPanel::tr("%1 is the value %2, no tensor: there is nothing to draw").arg(name, shortened(entry.value));
    case core::EntryKind::layer:
        return ContentsPanel::tr("%1 is a layer (%2), no saved tensor: there is nothing to draw")
            .arg(name, shortened(entry.type));
    default:
        return ContentsPanel::tr("%1 is an object of type %2, no tensor: there is nothing to draw")
            .arg(name, shortened(entry.type));
    }
}

} // namespace

void ContentsPanel::choose(const QModelIndex& index)
{
    const ContentsTree::Node& node = m_model->tree().node(m_model->nodeOf(index));
    if (!node.entry)
        return;
    if (node.isChoosable)
        Q_EMIT entryChosen(node.document, QString::fromStdString(node.entry->name));
    else
        Q_EMIT otherEntryChosen(reasonOf(*node.entry));
}

void ContentsPanel::activate(const QModelIndex& index)
{
    const ContentsTree::Node& node = m_model->tree().node(m_model->nodeOf(index));
    const QModelIndex row = index.siblingAtColumn(ContentsModel::name);
    if (node.isChoosable || node.children.empty())
        choose(index);
    else
        m_tree->setExpanded(row, !m_tree->isExpanded(row));
}

bool ContentsPanel::chooseNeighbour(int step)
{
    const int next = m_model->tree().neighbour(m_model->shownNode(), step);
    if (next < 0)
        return false;
    choose(m_model->indexOf(next));
    return true;
}

void ContentsPanel::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

bool ContentsPanel::eventFilter(QObject* watched, QEvent* event)
{
    const auto isKey = [event](std::initializer_list<int> keys) {
        return (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) &&
               std::find(keys.begin(), keys.end(), static_cast<QKeyEvent*>(event)->key()) != keys.end();
    };
    const bool pressed = event->type() == QEvent::KeyPress;
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (isKey({Qt::Key_Escape}) && !m_filter->text().isEmpty()) {
        event->accept();
        if (pressed)
            m_filter->clear();
        return true;
    }
    if (watched == m_filter && isKey({Qt::Key_Down, Qt::Key_Return, Qt::Key_Enter}) && pressed) {
        // The first match, ready for Enter.
        const int first = m_model->tree().filter().isEmpty() ? -1 : m_model->tree().firstChoosable();
        if (first >= 0)
            unfold(first);
        m_tree->setFocus(Qt::TabFocusReason);
        if (first >= 0 && !isKey({Qt::Key_Down}))
            choose(m_model->indexOf(first));
        return true;
    }
    if (watched == m_tree && isKey({Qt::Key_Return, Qt::Key_Enter}) && pressed) {
        const QModelIndex current = m_tree->currentIndex();
        activate(current);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ContentsPanel::openMenu(const QPoint& position)
{
    const QModelIndex index = m_tree->indexAt(position).siblingAtColumn(0);
    if (!index.isValid())
        return;
    const ContentsTree::Node& node = m_model->tree().node(m_model->nodeOf(index));
    const int document = node.document;
    const QString file = m_model->tree().node(m_model->tree().documentNode(document)).name;
    QMenu menu(this);
    if (node.isChoosable)
        menu.addAction(node.entry->isTensor() ? tr("Show") : tr("Run the model and show"), this,
                       [this, index] { choose(index); });
    const QString name = node.entry ? QString::fromStdString(node.entry->name) : node.name;
    menu.addAction(tr("Copy name"), this, [name] { QApplication::clipboard()->setText(name); });
    menu.addSeparator();
    menu.addAction(tr("Expand all"), m_tree, &QTreeView::expandAll);
    menu.addAction(tr("Collapse all"), m_tree, &QTreeView::collapseAll);
    addSortMenu(menu);
    menu.addSeparator();
    menu.addAction(tr("Reload %1").arg(file), this, [this, document] { Q_EMIT reloadRequested(document); });
    menu.addAction(tr("Close %1").arg(file), this, [this, document] { Q_EMIT closeRequested(document); });
    menu.exec(m_tree->viewport()->mapToGlobal(position));
}

void ContentsPanel::addSortMenu(QMenu& menu)
{
    const QHeaderView* header = m_tree->header();
    QMenu* orders = menu.addMenu(tr("Sort by"));
    const auto add = [&](const QString& text, int column) {
        QAction* action = orders->addAction(text, this, [this, column] {
            // Where something is wrong, and what is large, comes first.
            const bool descending = column == ContentsModel::summary || column == ContentsModel::size;
            m_tree->sortByColumn(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
        });
        action->setCheckable(true);
        action->setChecked(header->sortIndicatorSection() == column);
    };
    add(tr("order of the file"), -1);
    for (int column = ContentsModel::name; column < ContentsModel::columnTotal; ++column)
        add(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().toLower(), column);
}

void ContentsPanel::openHeaderMenu(const QPoint& position)
{
    QHeaderView* header = m_tree->header();
    QMenu menu(this);
    addSortMenu(menu);
    menu.addSeparator();
    for (int column = ContentsModel::shape; column < ContentsModel::columnTotal; ++column) {
        QAction* action = menu.addAction(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(!header->isSectionHidden(column));
        connect(action, &QAction::toggled, header, [this, header, column](bool on) {
            m_ownColumns = true;
            header->setSectionHidden(column, !on);
        });
    }
    menu.addSeparator();
    menu.addAction(tr("Fit the columns"), this, [this] {
        m_ownColumns = false;
        fitColumns();
    });
    menu.exec(header->mapToGlobal(position));
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/engine/engine.h"

#include <QSet>
#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QLineEdit;
class QModelIndex;
class QSettings;
class QStackedLayout;
class QTreeView;

namespace ui {

class ContentsModel;

/// What `analyze --all` says of an entry.
struct EntrySummary
{
    core::Statistics statistics;
    /// Channels whose values are all 0.
    std::int64_t deadChannels = 0;
    std::int64_t channels = 0;
};

/// Dock content: the opened documents as a tree of entries with a filter.
class ContentsPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ContentsPanel(QWidget* parent = nullptr);
    ~ContentsPanel() override;

    void addDocument(int id, std::shared_ptr<const core::Document> document);
    /// A reloaded document: what is expanded, selected and filtered stays.
    void replaceDocument(int id, std::shared_ptr<const core::Document> document);
    void removeDocument(int id);
    void setSummary(int document, const QString& entry, const EntrySummary& summary);

    /// Marks the entry that is shown and scrolls to it; an empty name marks none. Emits nothing.
    void setShown(int document, const QString& entry);
    /// Chooses the next (+1) or previous (-1) tensor after the shown one, in the order seen; false at the ends.
    bool chooseNeighbour(int step);
    /// Puts the cursor into the filter, all selected (Ctrl+F).
    void focusFilter();

    void saveState(QSettings& settings) const;
    void restoreState(const QSettings& settings);

Q_SIGNALS:
    /// A tensor was double-clicked or entered.
    void entryChosen(int document, const QString& entry);
    void closeRequested(int document);
    void reloadRequested(int document);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void connectControls();
    void applyFilter(const QString& text);
    void choose(const QModelIndex& index);
    void unfold(int node);
    void openMenu(const QPoint& position);
    void openHeaderMenu(const QPoint& position);
    void showMatches();
    /// Documents' names over the whole width.
    void spanDocuments();
    /// Gives the names what the other columns leave, but never so little that they are cut to nothing.
    void fitNames();
    /// Keys of the expanded nodes and of the current one, which outlive a reset of the model.
    struct Unfolded
    {
        QSet<QString> expanded;
        QString current;
    };
    Unfolded unfolded() const;
    void restore(const Unfolded& unfolded);

    ContentsModel* m_model;
    QTreeView* m_tree;
    QLineEdit* m_filter;
    QLabel* m_matches;
    QStackedLayout* m_pages;
    /// The user set the width of the names.
    bool m_namesSized = false;
    /// What was expanded before the filter opened everything.
    std::optional<Unfolded> m_beforeFilter;
};

} // namespace ui

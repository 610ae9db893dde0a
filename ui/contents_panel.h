// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/engine/engine.h"

#include <QSet>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QModelIndex;
class QSettings;
class QStackedLayout;
class QTreeView;

namespace ui {

class ContentsModel;

enum class SummaryState {
    known,
    /// Too large to be read without being asked for: comes when the tensor is shown.
    whenShown,
    failed
};

/// What `analyze --all` says of an entry.
struct EntrySummary
{
    SummaryState state = SummaryState::known;
    core::Statistics statistics;
    /// Channels whose values are all 0.
    std::int64_t deadChannels = 0;
    std::int64_t channels = 0;
    /// Why it failed.
    QString problem;
};

struct NamedSummary
{
    QString entry;
    EntrySummary summary;
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
    /// Shows summaries as they become known. Where Contents is sorted by them, rows find their places soon after.
    void setSummaries(int document, const std::vector<NamedSummary>& summaries);

    /// Marks the entry that is shown and scrolls to it; an empty name marks none. Emits nothing.
    void setShown(int document, const QString& entry);
    /// Chooses the next (+1) or previous (-1) tensor after the shown one, in the order seen; false at the ends.
    bool chooseNeighbour(int step);
    /// Puts the cursor into the filter, all selected (Ctrl+F).
    void focusFilter();

    void saveState(QSettings& settings) const;
    void restoreState(const QSettings& settings);

Q_SIGNALS:
    /// A tensor, or a layer that a run gives values, was double-clicked or entered.
    void entryChosen(int document, const QString& entry);
    /// The same of an entry that is no tensor: why nothing is shown.
    void otherEntryChosen(const QString& reason);
    void closeRequested(int document);
    void reloadRequested(int document);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void connectControls();
    void applyFilter(const QString& text);
    void choose(const QModelIndex& index);
    /// Shows what can be shown, and opens or closes groups.
    void activate(const QModelIndex& index);
    void unfold(int node);
    void openMenu(const QPoint& position);
    void openHeaderMenu(const QPoint& position);
    void showMatches();
    /// Documents' names over the whole width.
    void spanDocuments();
    /// Shapes in full, names in the rest, further columns where there is room; unless the user arranged the columns.
    void fitColumns();
    void addSortMenu(QMenu& menu);
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
    /// Rows go to their places by new summaries.
    QTimer m_sortTimer;
    /// The user chose columns or their widths.
    bool m_ownColumns = false;
    bool m_hasSummaries = false;
    /// What was expanded before the filter opened everything.
    std::optional<Unfolded> m_beforeFilter;
};

} // namespace ui

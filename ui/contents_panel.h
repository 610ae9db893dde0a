// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/engine/engine.h"

#include <QWidget>

#include <memory>
#include <optional>

class QSettings;

namespace ui {

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
    void changeEvent(QEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace ui

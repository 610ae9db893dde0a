// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

#include <array>

class QCheckBox;
class QLabel;
class QSettings;
class QStackedLayout;
class QToolButton;

namespace ui {

class ChannelBars;
class ChannelsModel;
class DataTable;
struct TensorSummary;

/// Dock content: one bar and one table row per channel of the shown batch item (or of all), sorted alike.
class ChannelsPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ChannelsPanel(QWidget* parent = nullptr);
    ~ChannelsPanel() override;

    void setTensor(const TensorSummary& tensor);
    /// Shows counts and thresholds. While Request::dragging the order of rows and the bars' axis stay; at rest they settle.
    void setFrame(const core::Frame& frame);
    void clear();
    /// Selects the row of a plane (positions among the selected batch items and channels); emits nothing.
    void setCurrent(std::int64_t batch, std::int64_t channel);

    /// Writes the bars as SVG or PDF by the file's ending; false when it cannot.
    bool savePlot(const QString& path) const;
    void saveState(QSettings& settings) const;
    void restoreState(const QSettings& settings);

Q_SIGNALS:
    /// The user chose a row or a bar: positions among the selected batch items and channels.
    void channelChosen(std::int64_t batch, std::int64_t channel);
    /// Export the table (button and context menu).
    void exportRequested();

private:
    void build();
    void connectControls();
    void chooseRow(int row);
    void selectPlane(std::int64_t plane);
    void settle();
    /// Columns as wide as what they hold, and their names; unless the user sized them.
    void fitColumns();
    void openMenu(const QPoint& position);

    ChannelsModel* m_model;
    ChannelBars* m_bars;
    DataTable* m_table;
    QLabel* m_summary;
    QCheckBox* m_allBatches;
    QToolButton* m_export;
    QStackedLayout* m_pages;
    std::int64_t m_channels = 0;
    std::int64_t m_shownBatch = 0;
    std::int64_t m_plane = -1;
    /// The selection is being set by the program, not by the user.
    bool m_following = false;
    bool m_ownColumns = false;
    /// Widths of the columns of this tensor so far.
    std::array<int, 9> m_widths{};
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

class QLabel;
class QSpinBox;
class QTimer;
class QToolButton;

namespace ui {

/// One axis of the selection: `channel < 17 > of 256`. Shows the index in the file, speaks in positions among the selected.
class AxisStepper : public QWidget
{
    Q_OBJECT
public:
    AxisStepper(const QString& name, const QString& previousTip, const QString& nextTip, QWidget* parent = nullptr);

    /// `first`: index in the file of position 0. Keeps the position where it fits. Emits no positionChanged.
    void setExtent(std::int64_t first, std::int64_t extent);
    std::int64_t extent() const { return m_extent; }
    std::int64_t position() const { return m_position; }
    /// Emits no positionChanged.
    void setPosition(std::int64_t position);
    bool canStep(std::int64_t steps) const { return m_position + steps >= 0 && m_position + steps < m_extent; }
    /// Moves by steps and stops at the ends, or goes round.
    void step(std::int64_t steps, bool around = false);

Q_SIGNALS:
    void positionChanged(std::int64_t position);
    /// Position or extent changed, whoever changed it: other steps may be possible.
    void stepsChanged();

private:
    void go(std::int64_t position);

    QSpinBox* m_box;
    QToolButton* m_previous;
    QToolButton* m_next;
    QLabel* m_of;
    std::int64_t m_first = 0;
    std::int64_t m_extent = 1;
    std::int64_t m_position = 0;
};

/// Which batch item, channel and depth slice are shown; plays through slices or channels.
class PlaneControls : public QWidget
{
    Q_OBJECT
public:
    explicit PlaneControls(QWidget* parent = nullptr);

    void setExtents(const core::Extents& extents);
    /// Writes the three positions into a request.
    void apply(core::Request& request) const;
    /// Emits nothing.
    void setPlane(std::int64_t batch, std::int64_t channel);

    AxisStepper* batch() const { return m_batch; }
    AxisStepper* channel() const { return m_channel; }
    AxisStepper* depth() const { return m_depth; }
    bool isPlaying() const;
    bool canPlay() const;
    /// Plays slices where there are several, else channels.
    void togglePlay();
    void stop();

Q_SIGNALS:
    void planeChanged();
    void playingChanged();

private:
    AxisStepper* m_batch;
    AxisStepper* m_channel;
    AxisStepper* m_depth;
    QToolButton* m_play;
    QTimer* m_timer;
};

} // namespace ui

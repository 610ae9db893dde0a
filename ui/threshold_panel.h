// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

#include <functional>
#include <memory>

class QSettings;

namespace ui {

struct TensorSummary;

/// Dock content: condition, value, rule, scope, comparison, histogram with draggable handles, count curve and the total.
class ThresholdPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ThresholdPanel(QWidget* parent = nullptr);
    ~ThresholdPanel() override;

    /// A tensor will be shown by frames: sets dtype, range and what conditions make sense. The condition stays where it does.
    void setTensor(const TensorSummary& tensor);
    /// Shows counts, thresholds found by rules, histogram; ignored before setTensor.
    void setFrame(const core::Frame& frame);
    void clear();

    /// Which thresholds a dragged handle stops at, and the stop n steps from one; without them values round to the pixel.
    void setStopFunctions(std::function<double(double)> nearest, std::function<double(double, std::int64_t)> step);

    /// What the controls ask now.
    core::Where where() const;
    /// Sets the controls; emits nothing.
    void setWhere(const core::Where& where);
    /// Histogram and curve of the shown plane instead of the whole tensor.
    bool planeHistogram() const;
    /// Between dragStarted and dragEnded.
    bool isDragging() const;

    /// Moves the first threshold as a mouse drag would, starting the drag when none runs.
    void dragTo(double value);
    void endDrag();
    /// Moves the threshold n stops up or down (keys `,` and `.`); a rule becomes a fixed value.
    void step(std::int64_t stops);
    /// Puts the cursor into the value field, all selected (key T).
    void focusValue();

    /// Writes histogram and curve as SVG or PDF by the file's ending; false when it cannot.
    bool savePlot(const QString& path) const;
    void saveState(QSettings& settings) const;
    void restoreState(const QSettings& settings);

Q_SIGNALS:
    /// The condition changed by any control, at every step of a drag too (isDragging() then).
    void whereChanged(const core::Where& where);
    void dragStarted();
    /// The handle stands at `value` (emitted after whereChanged).
    void dragMoved(double value);
    /// The mouse was let go: the last where() deserves an exact frame.
    void dragEnded();
    void planeHistogramChanged(bool planeOnly);

protected:
    void changeEvent(QEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace ui

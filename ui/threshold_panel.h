// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QSettings;
class QStackedLayout;
class QToolButton;

namespace ui {

class ConditionForm;
class DistributionPlot;
class TotalReadout;
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

private:
    void build();
    void connectControls();
    void conditionEdited();
    void moveHandle(int handle, double value);
    void stepValue(int index, std::int64_t steps);
    /// The text of a threshold that the mouse put at about `value`.
    QString draggedText(double value) const;
    void showDistribution(const core::Frame& frame);
    void showScales();
    void showUnplotted();
    void openScaleMenu(const QPoint& position);

    ConditionForm* m_form;
    TotalReadout* m_total;
    QComboBox* m_part;
    QToolButton* m_logCount;
    QToolButton* m_logValue;
    DistributionPlot* m_plot;
    QLabel* m_unplotted;
    QStackedLayout* m_pages;
    std::function<double(double)> m_nearestStop;
    std::function<double(double, std::int64_t)> m_stepStop;
    std::unique_ptr<TensorSummary> m_tensor;
    std::shared_ptr<const core::Distribution> m_distribution;
    /// The user's choice of a count scale; nothing: logarithmic where one bin dwarfs the rest.
    std::optional<bool> m_logCountChoice;
    bool m_dragging = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threshold_panel.h"

namespace ui {

class ThresholdPanel::Private
{
public:
    core::Where where;
    bool dragging = false;
};

ThresholdPanel::ThresholdPanel(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>()) {}
ThresholdPanel::~ThresholdPanel() = default;

void ThresholdPanel::setTensor(const TensorSummary&) {}
void ThresholdPanel::setFrame(const core::Frame&) {}
void ThresholdPanel::clear() {}
void ThresholdPanel::setStopFunctions(std::function<double(double)>, std::function<double(double, std::int64_t)>) {}
core::Where ThresholdPanel::where() const
{
    return d->where;
}
void ThresholdPanel::setWhere(const core::Where& where)
{
    d->where = where;
}
bool ThresholdPanel::planeHistogram() const
{
    return false;
}
bool ThresholdPanel::isDragging() const
{
    return d->dragging;
}
void ThresholdPanel::dragTo(double value)
{
    if (!d->dragging)
        Q_EMIT dragStarted();
    d->dragging = true;
    d->where.condition.kind = core::ConditionKind::gt;
    d->where.condition.a = core::Number::fromReal(value);
    Q_EMIT whereChanged(d->where);
    Q_EMIT dragMoved(value);
}
void ThresholdPanel::endDrag()
{
    d->dragging = false;
    Q_EMIT dragEnded();
}
void ThresholdPanel::step(std::int64_t) {}
void ThresholdPanel::focusValue() {}
bool ThresholdPanel::savePlot(const QString&) const
{
    return false;
}
void ThresholdPanel::saveState(QSettings&) const {}
void ThresholdPanel::restoreState(const QSettings&) {}
void ThresholdPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
}

} // namespace ui

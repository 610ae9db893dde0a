// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threshold_panel.h"

#include "ui/condition_form.h"
#include "ui/distribution_plot.h"
#include "ui/main_window.h"
#include "ui/number_text.h"

#include <algorithm>
#include <cmath>

namespace ui {

QString ThresholdPanel::draggedText(double value) const
{
    const core::DType dtype = m_tensor ? m_tensor->dtype : core::DType::f64;
    const bool whole = dtype == core::DType::boolean || core::isInteger(dtype);
    const double stop = m_nearestStop ? m_nearestStop(value) : value;
    if (stop != value)
        return valueText(stop, m_form->where().comparison == core::Comparison::exact ? core::DType::f64 : dtype);
    if (whole)
        return valueText(std::round(value), dtype);
    // Without stops: the roundest number within the pixel.
    const double pixel = m_plot->valuePerPixel(value);
    const double unit = pixel > 0 ? std::pow(10, std::floor(std::log10(pixel))) : 0;
    if (!(unit > 0))
        return valueText(value, core::DType::f64);
    const int decimals = std::max(0, static_cast<int>(-std::lround(std::log10(unit))));
    return valueText(QString::number(value, 'f', decimals).toDouble() + 0.0, core::DType::f64);
}

void ThresholdPanel::moveHandle(int handle, double value)
{
    using enum core::ConditionKind;
    const core::ConditionKind kind = m_form->shownCondition().kind;
    int index = handle;
    if (kind == absGt || kind == absGe) {
        value = std::max(0.0, handle == 0 ? value : -value);
        index = 0;
    } else if (m_form->valueCount() == 2) {
        value = handle == 0 ? std::min(value, m_form->value(1)) : std::max(value, m_form->value(0));
    }
    m_form->setValueText(index, draggedText(value));
    conditionEdited();
    Q_EMIT dragMoved(m_form->value(index));
}

void ThresholdPanel::dragTo(double value)
{
    if (m_form->valueCount() == 0)
        return;
    if (!m_dragging) {
        m_dragging = true;
        Q_EMIT dragStarted();
    }
    moveHandle(0, value);
}

void ThresholdPanel::endDrag()
{
    if (!m_dragging)
        return;
    m_dragging = false;
    Q_EMIT dragEnded();
}

void ThresholdPanel::step(std::int64_t stops)
{
    if (m_tensor && m_form->valueCount() > 0)
        stepValue(0, stops);
}

void ThresholdPanel::stepValue(int index, std::int64_t steps)
{
    using enum core::ConditionKind;
    const core::ConditionKind kind = m_form->shownCondition().kind;
    const double now = m_form->value(index);
    if (!std::isfinite(now) || !m_tensor)
        return;
    const bool whole = m_tensor->dtype == core::DType::boolean || core::isInteger(m_tensor->dtype);
    double next = m_stepStop ? m_stepStop(now, steps) : now;
    if (next == now)
        next = whole ? std::round(now) + static_cast<double>(steps)
                     : now + static_cast<double>(steps) * m_plot->valuePerPixel(now);
    if (kind == absGt || kind == absGe)
        next = std::max(0.0, next);
    m_form->setValueText(index, draggedText(next));
    conditionEdited();
}

} // namespace ui

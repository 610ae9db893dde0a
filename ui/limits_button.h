// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/colormap.h"

#include <QPushButton>

class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QRadioButton;

namespace ui {

/// Chooses the limits of the colour scale: full range, percentiles or typed. Shows the choice on itself and edits it in a panel
/// that drops down.
class LimitsButton : public QPushButton
{
    Q_OBJECT
public:
    explicit LimitsButton(QWidget* parent = nullptr);

    const core::RangeChoice& choice() const { return m_choice; }
    /// Emits nothing.
    void setChoice(const core::RangeChoice& choice);
    /// The limits in use: where typing starts from.
    void setRange(core::ValueRange range);

Q_SIGNALS:
    void choiceChanged();

private:
    QWidget* makePanel();
    void showChoice();
    void chooseTyped();
    void choosePercentiles();
    void change(const core::RangeChoice& choice);

    core::RangeChoice m_choice;
    core::ValueRange m_range;
    QRadioButton* m_automatic = nullptr;
    QRadioButton* m_percentiles = nullptr;
    QRadioButton* m_typed = nullptr;
    QDoubleSpinBox* m_lowPercent = nullptr;
    QDoubleSpinBox* m_highPercent = nullptr;
    QLineEdit* m_low = nullptr;
    QLineEdit* m_high = nullptr;
    QLabel* m_problem = nullptr;
};

} // namespace ui

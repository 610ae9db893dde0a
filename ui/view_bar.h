// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

class QComboBox;
class QSettings;
class QToolButton;

namespace ui {

struct Actions;
class ColorMapBox;
class LimitsButton;
class MaskControls;

/// What is shown and how it is coloured: view, reduction, colour map, limits, wall order, and what lies over the picture.
class ViewBar : public QWidget
{
    Q_OBJECT
public:
    ViewBar(const Actions& actions, QWidget* parent = nullptr);

    core::ViewKind view() const { return m_view; }
    /// Emits viewChanged when it is another.
    void setView(core::ViewKind view);
    /// Writes view, reduction, colours, limits and order into a request.
    void apply(core::Request& request) const;
    void setFrame(const core::Frame& frame);
    /// Whether values are shown in colours: colour map and limits mean something then.
    void setValuesShown(bool shown);
    /// Whether limits other than the full range are chosen.
    bool hasOwnLimits() const;
    void setZoom(double scale);
    MaskControls* maskControls() const { return m_mask; }
    /// Typed limits belong to the tensor they were typed for. Emits nothing.
    void forgetTypedLimits();
    /// Limits back to the full range.
    void resetLimits();

    void saveState(QSettings& settings) const;
    void restoreState(const QSettings& settings);

Q_SIGNALS:
    void viewChanged(core::ViewKind view);
    /// Another control changed.
    void optionsChanged();

private:
    void showOptions();

    core::ViewKind m_view = core::ViewKind::heat;
    const Actions& m_actions;
    QComboBox* m_reduction;
    QComboBox* m_values;
    QComboBox* m_order;
    QComboBox* m_scale;
    ColorMapBox* m_colors;
    LimitsButton* m_limits;
    MaskControls* m_mask;
    QToolButton* m_zoom;
};

} // namespace ui

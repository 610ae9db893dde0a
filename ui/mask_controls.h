// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas.h"

class QAction;
class QSlider;

namespace ui {

struct Actions;

/// What lies over the picture: mask on or off, opacity, contour, overlay image. The state is the actions' and the slider's.
class MaskControls : public QWidget
{
    Q_OBJECT
public:
    MaskControls(const Actions& actions, QWidget* parent = nullptr);

    /// 0 to 1.
    double opacity() const;
    void setOpacity(double opacity);
    void setOpacityEnabled(bool enabled);

Q_SIGNALS:
    void opacityChanged();

private:
    QSlider* m_opacity;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mask_controls.h"

#include "ui/actions.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSlider>
#include <QToolButton>

namespace ui {

MaskControls::MaskControls(const Actions& actions, QWidget* parent)
    : QWidget(parent), m_opacity(new QSlider(Qt::Horizontal, this))
{
    m_opacity->setRange(0, 100);
    m_opacity->setValue(60);
    m_opacity->setPageStep(10);
    m_opacity->setFixedWidth(64);
    m_opacity->setAccessibleName(tr("Opacity"));
    m_opacity->setToolTip(tr("Opacity of the mask, and of the picture over an image (A less, D more)"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->setSpacing(2);
    const auto add = [&](QAction* action) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAutoRaise(true);
        button->setAccessibleName(action->iconText());
        row->addWidget(button);
        return button;
    };
    add(actions.mask);
    row->addWidget(m_opacity);
    add(actions.contour);
    auto* over = add(actions.overImage);
    auto* bases = new QMenu(over);
    bases->addActions({actions.overGiven, actions.overOriginal, actions.overOverlay});
    over->setMenu(bases);
    over->setPopupMode(QToolButton::MenuButtonPopup);
    connect(m_opacity, &QSlider::valueChanged, this, &MaskControls::opacityChanged);
}

double MaskControls::opacity() const
{
    return m_opacity->value() / 100.0;
}

void MaskControls::setOpacity(double opacity)
{
    m_opacity->setValue(qRound(100 * opacity));
}

void MaskControls::setOpacityEnabled(bool enabled)
{
    m_opacity->setEnabled(enabled);
}

} // namespace ui

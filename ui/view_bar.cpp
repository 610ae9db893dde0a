// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/view_bar.h"

#include "ui/actions.h"
#include "ui/color_map_box.h"
#include "ui/limits_button.h"
#include "ui/mask_controls.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr std::array reductions{core::Reduction::sum,  core::Reduction::count, core::Reduction::max,
                                core::Reduction::mean, core::Reduction::l1,    core::Reduction::l2};

QComboBox* box(const QString& name, const QString& tip, const QStringList& items, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    box->addItems(items);
    box->setAccessibleName(name);
    box->setToolTip(tip);
    return box;
}

QToolButton* button(QAction* action, Qt::ToolButtonStyle style, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(style);
    button->setAccessibleName(action->iconText());
    button->setAutoRaise(style == Qt::ToolButtonIconOnly);
    return button;
}

} // namespace

ViewBar::ViewBar(const Actions& actions, QWidget* parent)
    : QWidget(parent), m_actions(actions),
      m_reduction(box(tr("Reduction"), tr("How the channels of one pixel become one number"),
                      {tr("sum"), tr("count"), tr("max"), tr("mean"), tr("L1 norm"), tr("L2 norm")}, this)),
      m_values(box(tr("Values"), tr("Which elements the heat map takes"), {tr("of hot"), tr("of all")}, this)),
      m_order(box(tr("Wall order"),
                  tr("Order of the channels in the wall: by channel is by number, the name that a channel has in a file"),
                  {tr("by channel"), tr("by count"), tr("by max"), tr("by mean")}, this)),
      m_scale(box(tr("Colour scale"), tr("Whether the tiles share their limits"), {tr("shared scale"), tr("own scale")}, this)),
      m_colors(new ColorMapBox(this)), m_limits(new LimitsButton(this)), m_mask(new MaskControls(actions, this)),
      m_zoom(new QToolButton(this))
{
    auto* top = new QHBoxLayout;
    top->setSpacing(0);
    for (QAction* action : {actions.heatView, actions.channelView, actions.wallView, actions.maskView})
        top->addWidget(button(action, Qt::ToolButtonTextBesideIcon, this));
    top->addStretch();
    top->addWidget(m_mask);

    m_zoom->setDefaultAction(actions.actualSize);
    m_zoom->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_zoom->setAutoRaise(true);
    m_zoom->setAccessibleName(tr("Zoom"));
    m_zoom->setFixedWidth(fontMetrics().horizontalAdvance(QStringLiteral("0.0001 %")) + 12);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(4);
    for (QWidget* part : {static_cast<QWidget*>(m_reduction), static_cast<QWidget*>(m_values), static_cast<QWidget*>(m_order),
                          static_cast<QWidget*>(m_scale), static_cast<QWidget*>(m_colors), static_cast<QWidget*>(m_limits)})
        bottom->addWidget(part);
    bottom->addStretch();
    bottom->addWidget(button(actions.fit, Qt::ToolButtonIconOnly, this));
    bottom->addWidget(m_zoom);

    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(8, 4, 8, 4);
    rows->setSpacing(4);
    rows->addLayout(top);
    rows->addLayout(bottom);

    for (auto* combo : {m_reduction, m_values, m_order, m_scale})
        connect(combo, &QComboBox::activated, this, &ViewBar::optionsChanged);
    connect(m_colors, &ColorMapBox::colorsChanged, this, &ViewBar::optionsChanged);
    connect(m_limits, &LimitsButton::choiceChanged, this, &ViewBar::optionsChanged);
    const std::array views{
        std::pair{actions.heatView, core::ViewKind::heat}, std::pair{actions.channelView, core::ViewKind::channel},
        std::pair{actions.wallView, core::ViewKind::wall}, std::pair{actions.maskView, core::ViewKind::mask}};
    for (const auto& [action, kind] : views)
        connect(action, &QAction::triggered, this, [this, kind = kind] { setView(kind); });
    showOptions();
}

void ViewBar::setView(core::ViewKind view)
{
    if (view == m_view)
        return;
    m_view = view;
    showOptions();
    Q_EMIT viewChanged(view);
}

void ViewBar::apply(core::Request& request) const
{
    request.view = m_view;
    request.reduction = reductions[static_cast<std::size_t>(m_reduction->currentIndex())];
    request.allValues = m_values->currentIndex() == 1;
    request.colors = m_colors->colors();
    request.range = m_limits->choice();
    request.ownScale = m_scale->currentIndex() == 1;
    request.wallOrder = static_cast<core::WallOrder>(m_order->currentIndex());
}

void ViewBar::setFrame(const core::Frame& frame)
{
    m_limits->setRange(frame.range);
}

bool ViewBar::hasOwnLimits() const
{
    return m_limits->choice() != core::RangeChoice();
}

void ViewBar::setZoom(double scale)
{
    const double percent = 100 * scale;
    // The first digit that is not 0, of a very long row.
    const int decimals = percent >= 10 || percent <= 0 ? 0 : std::max(1, static_cast<int>(std::ceil(-std::log10(percent))));
    m_zoom->setText(QString::number(percent, 'f', decimals) + QStringLiteral(" %"));
}

void ViewBar::forgetTypedLimits()
{
    if (m_limits->choice().kind == core::RangeChoice::Kind::typed)
        m_limits->setChoice({});
}

void ViewBar::resetLimits()
{
    m_limits->setChoice({});
    Q_EMIT optionsChanged();
}

void ViewBar::showOptions()
{
    using core::ViewKind;
    const std::array actions{m_actions.heatView, m_actions.channelView, m_actions.wallView, m_actions.maskView};
    actions[static_cast<std::size_t>(m_view)]->setChecked(true);
    m_reduction->setVisible(m_view == ViewKind::heat);
    m_values->setVisible(m_view == ViewKind::heat);
    m_order->setVisible(m_view == ViewKind::wall);
    m_scale->setVisible(m_view == ViewKind::wall);
}

void ViewBar::setValuesShown(bool shown)
{
    m_colors->setVisible(shown);
    m_limits->setVisible(shown);
}

void ViewBar::saveState(QSettings& settings) const
{
    settings.setValue(QStringLiteral("view/reduction"), m_reduction->currentIndex());
    settings.setValue(QStringLiteral("view/values"), m_values->currentIndex());
    settings.setValue(QStringLiteral("view/colors"), m_colors->currentIndex());
    settings.setValue(QStringLiteral("view/wallOrder"), m_order->currentIndex());
    settings.setValue(QStringLiteral("view/wallScale"), m_scale->currentIndex());
    settings.setValue(QStringLiteral("view/opacity"), m_mask->opacity());
}

void ViewBar::restoreState(const QSettings& settings)
{
    const auto choose = [&settings](QComboBox* combo, const char* key) {
        const int index = settings.value(QString::fromLatin1(key), combo->currentIndex()).toInt();
        if (index >= 0 && index < combo->count())
            combo->setCurrentIndex(index);
    };
    choose(m_reduction, "view/reduction");
    choose(m_values, "view/values");
    choose(m_colors, "view/colors");
    choose(m_order, "view/wallOrder");
    choose(m_scale, "view/wallScale");
    m_mask->setOpacity(settings.value(QStringLiteral("view/opacity"), m_mask->opacity()).toDouble());
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/channels_panel.h"

namespace ui {

class ChannelsPanel::Private
{
public:
};

ChannelsPanel::ChannelsPanel(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>()) {}
ChannelsPanel::~ChannelsPanel() = default;

void ChannelsPanel::setTensor(const TensorSummary&) {}
void ChannelsPanel::setFrame(const core::Frame&) {}
void ChannelsPanel::clear() {}
void ChannelsPanel::setCurrent(std::int64_t, std::int64_t) {}
bool ChannelsPanel::savePlot(const QString&) const
{
    return false;
}
void ChannelsPanel::saveState(QSettings&) const {}
void ChannelsPanel::restoreState(const QSettings&) {}
void ChannelsPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
}

} // namespace ui

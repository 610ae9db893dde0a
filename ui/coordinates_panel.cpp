// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/coordinates_panel.h"

namespace ui {

class CoordinatesPanel::Private
{
public:
};

CoordinatesPanel::CoordinatesPanel(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>()) {}
CoordinatesPanel::~CoordinatesPanel() = default;

void CoordinatesPanel::setTensor(const TensorSummary&) {}
void CoordinatesPanel::setFrame(const core::Frame&) {}
void CoordinatesPanel::clear() {}
core::RowWindow CoordinatesPanel::wantedRows() const
{
    return {};
}

} // namespace ui

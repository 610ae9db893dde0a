// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/colormap.h"

#include <QComboBox>

namespace ui {

/// Chooses a colour map, each shown by its gradient; "automatic" takes the default for what is shown.
class ColorMapBox : public QComboBox
{
    Q_OBJECT
public:
    explicit ColorMapBox(QWidget* parent = nullptr);

    std::optional<core::ColorMap> colors() const;
    /// Emits nothing.
    void setColors(std::optional<core::ColorMap> colors);

Q_SIGNALS:
    void colorsChanged();
};

} // namespace ui

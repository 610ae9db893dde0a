// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/exporter.h"

namespace app {

/// How an exported picture is made.
struct PictureOptions
{
    /// Pixels per value along each side; 0: the canvas as it is on the screen.
    int scale = 0;
    bool colorBar = true;
    bool legend = true;
    /// What the colour bar explains.
    ui::CanvasMeaning meaning;
};

/// The picture that the options describe; `screen` is the canvas for scale 0.
core::Image makePicture(const ExportSource& source, const PictureOptions& options, const core::Image& screen);

/// Writes what the user chose to a file; asks first how a picture is to be made.
void exportFromWindow(ui::MainWindow& window, Exporter& exporter, const ExportSource& source, ui::ExportKind kind,
                      const QString& file);

} // namespace app

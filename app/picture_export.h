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
};

/// The picture that the options describe; `screen` is the canvas for scale 0.
core::Image makePicture(const ExportSource& source, const PictureOptions& options, const core::Image& screen);

/// Asks how the picture is to be made, then writes it.
void exportPicture(ui::MainWindow& window, Exporter& exporter, const ExportSource& source, const QString& file);
/// Writes the window's plot as SVG or PDF, by the ending.
void exportPlot(ui::MainWindow& window, Exporter& exporter, const QString& file);

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_export.h"

#include "app/image_file.h"
#include "app/picture.h"
#include "core/render/render.h"
#include "ui/picture_dialog.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

namespace app {

core::Image makePicture(const ExportSource& source, const PictureOptions& options, const core::Image& screen)
{
    const auto& frame = *source.frame;
    const auto picture = options.scale > 0 ? dataPicture(frame, options.scale) : screen;
    PictureLegend legend;
    legend.colorBar = options.colorBar && options.meaning.values;
    legend.hasMask = options.colorBar && options.meaning.mask;
    legend.range = frame.range;
    legend.colors = frame.colors;
    legend.hasNan = frame.hasNan;
    legend.hasPositiveInf = frame.hasPositiveInf;
    legend.hasNegativeInf = frame.hasNegativeInf;
    legend.ownScale = frame.request.view == core::ViewKind::wall && frame.request.ownScale;
    if (options.legend)
        legend.lines = legendLines(source);
    return legend.colorBar || legend.hasMask || options.legend ? withLegend(picture, legend) : picture;
}

namespace {

void exportPicture(ui::MainWindow& window, Exporter& exporter, const ExportSource& source, const QString& file)
{
    const auto size = source.frame->picture ? QSize(source.frame->picture->width, source.frame->picture->height) : QSize();
    auto* dialog = new ui::PictureDialog(size, &window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, &exporter, [dialog, &window, &exporter, source, file] {
        // At data resolution values are always in colours, with hot pixels marked in mask view only.
        const bool masked = source.frame->request.view == core::ViewKind::mask && source.frame->mask;
        const auto meaning = dialog->scale() > 0 ? ui::CanvasMeaning{true, masked} : window.canvasMeaning();
        const PictureOptions options{dialog->scale(), dialog->hasColorBar(), dialog->hasLegend(), meaning};
        const auto screen = options.scale > 0 ? QImage() : window.canvasPicture(false);
        exporter.writePicture([=] { return makePicture(source, options, toImage(screen)); }, file);
    });
    dialog->open();
}

void exportPlot(ui::MainWindow& window, Exporter& exporter, ui::ExportKind kind, const QString& file)
{
    const QTemporaryDir folder;
    const auto draft = folder.filePath(QStringLiteral("plot.") + QFileInfo(file).suffix().toLower());
    QFile plot(draft);
    if (folder.isValid() && window.savePlot(kind, draft) && plot.open(QIODevice::ReadOnly))
        exporter.writeBytes(plot.readAll(), file);
    else
        window.showMessage(
            ui::Severity::error,
            QObject::tr("%1 was not written: the plot cannot be saved in this form; choose .svg, .pdf or .png").arg(file));
}

} // namespace

void exportFromWindow(ui::MainWindow& window, Exporter& exporter, const ExportSource& source, ui::ExportKind kind,
                      const QString& file)
{
    switch (kind) {
    case ui::ExportKind::picture:
        return exportPicture(window, exporter, source, file);
    case ui::ExportKind::thresholdPlot:
    case ui::ExportKind::channelPlot:
        return exportPlot(window, exporter, kind, file);
    case ui::ExportKind::table:
        return exporter.writeTable(source, file);
    case ui::ExportKind::map:
        return exporter.writeMap(source, file);
    case ui::ExportKind::mask:
        return exporter.writeMask(source, file);
    case ui::ExportKind::coordinates:
        return exporter.writeCoordinates(source, file);
    }
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/file_dialogs.h"

#include "ui/main_window.h"

#include <QFileDialog>

namespace ui {
namespace {

struct ExportForm
{
    const char* title;
    const char* suffix;
    /// Endings, the first being the default.
    QStringList filters;
};

ExportForm formOf(ExportKind kind)
{
    const auto tr = [](const char* text) { return QFileDialog::tr(text); };
    const QStringList plotFilters{tr("SVG drawing (*.svg)"), tr("PDF document (*.pdf)"), tr("PNG picture (*.png)")};
    switch (kind) {
    case ExportKind::picture:
        return {"Export Picture", "", {tr("PNG picture (*.png)")}};
    case ExportKind::thresholdPlot:
        return {"Export Threshold Plot", "-histogram", plotFilters};
    case ExportKind::channelPlot:
        return {"Export Channel Bars", "-bars", plotFilters};
    case ExportKind::table:
        return {"Export Table", "-channels", {tr("CSV table (*.csv)"), tr("JSON (*.json)")}};
    case ExportKind::map:
        return {"Export Map", "-map", {tr("NumPy array (*.npy)")}};
    case ExportKind::mask:
        return {"Export Mask", "-mask", {tr("NumPy array (*.npy)")}};
    case ExportKind::coordinates:
        return {"Export Coordinates",
                "-coordinates",
                {tr("NumPy array (*.npy)"), tr("CSV table (*.csv)"), tr("NumPy archive with values (*.npz)")}};
    }
    return {};
}

QFileDialog* dialog(QWidget* parent, const QString& title)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

} // namespace

void chooseTensorFiles(QWidget* parent, const std::function<void(const QStringList&)>& take)
{
    auto* open = dialog(parent, QFileDialog::tr("Open"));
    open->setFileMode(QFileDialog::ExistingFiles);
    open->setNameFilters(
        {QFileDialog::tr("Models, tensors and pictures (*.pt *.pth *.ts *.torchscript *.pt2 *.bin *.ckpt *.npy *.npz "
                         "*.safetensors *.nii *.nii.gz *.mtx *.tif *.tiff *.png *.jpg *.jpeg *.bmp)"),
         QFileDialog::tr("All files (*)")});
    QObject::connect(open, &QFileDialog::filesSelected, parent, take);
    open->open();
}

void chooseImageFile(QWidget* parent, const std::function<void(const QString&)>& take)
{
    auto* open = dialog(parent, QFileDialog::tr("Open Overlay Image"));
    open->setFileMode(QFileDialog::ExistingFile);
    open->setNameFilters({QFileDialog::tr("Images (*.png *.jpg *.jpeg *.bmp)"), QFileDialog::tr("All files (*)")});
    QObject::connect(open, &QFileDialog::fileSelected, parent, take);
    open->open();
}

void chooseOperatorLibrary(QWidget* parent, const std::function<void(const QString&)>& take)
{
    auto* open = dialog(parent, QFileDialog::tr("Library of Operators"));
    open->setFileMode(QFileDialog::ExistingFile);
    open->setNameFilters({QFileDialog::tr("Libraries (*.so *.so.*)"), QFileDialog::tr("All files (*)")});
    QObject::connect(open, &QFileDialog::fileSelected, parent, take);
    open->open();
}

void chooseInputFiles(QWidget* parent, bool many, const std::function<void(const QStringList&)>& take)
{
    auto* open = dialog(parent, QFileDialog::tr("Input of the Model"));
    open->setFileMode(many ? QFileDialog::ExistingFiles : QFileDialog::ExistingFile);
    open->setNameFilters(
        {QFileDialog::tr("Pictures and tensors (*.png *.jpg *.jpeg *.bmp *.tif *.tiff *.webp *.npy *.npz *.pt *.safetensors)"),
         QFileDialog::tr("All files (*)")});
    QObject::connect(open, &QFileDialog::filesSelected, parent, take);
    open->open();
}

void chooseExportFile(QWidget* parent, ExportKind kind, const QString& name, const std::function<void(const QString&)>& take)
{
    const ExportForm form = formOf(kind);
    auto* save = dialog(parent, QFileDialog::tr(form.title));
    const auto suffixOf = [](const QString& filter) { return filter.section(QStringLiteral("*."), 1).chopped(1); };
    save->setAcceptMode(QFileDialog::AcceptSave);
    save->setNameFilters(form.filters);
    save->setDefaultSuffix(suffixOf(form.filters.first()));
    save->selectFile(name + QString::fromLatin1(form.suffix) + QLatin1Char('.') + suffixOf(form.filters.first()));
    QObject::connect(save, &QFileDialog::filterSelected, save,
                     [save, suffixOf](const QString& filter) { save->setDefaultSuffix(suffixOf(filter)); });
    QObject::connect(save, &QFileDialog::fileSelected, parent, take);
    save->open();
}

} // namespace ui

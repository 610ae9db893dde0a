// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/canvas.h"
#include "ui/channels_panel.h"
#include "ui/color_bar.h"
#include "ui/contents_panel.h"
#include "ui/coordinates_panel.h"
#include "ui/file_dialogs.h"
#include "ui/local_files.h"
#include "ui/main_window_parts.h"
#include "ui/message_bar.h"
#include "ui/plane_controls.h"
#include "ui/source_line.h"
#include "ui/start_page.h"
#include "ui/status_line.h"
#include "ui/threshold_panel.h"
#include "ui/view_bar.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QStackedWidget>

namespace ui {

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), d(std::make_unique<Private>(this))
{
    setWindowTitle(tr("Actiscope"));
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    d->restoreSettings();
}

MainWindow::~MainWindow() = default;

void MainWindow::addDocument(int id, std::shared_ptr<const core::Document> document)
{
    d->docks.contents()->addDocument(id, std::move(document));
    ++d->openDocuments;
    d->actions.close->setEnabled(true);
    d->start->setDocumentOpen(true);
    d->docks.setFilesOpen(true);
}

void MainWindow::replaceDocument(int id, std::shared_ptr<const core::Document> document)
{
    d->docks.contents()->replaceDocument(id, std::move(document));
}

void MainWindow::removeDocument(int id)
{
    d->docks.contents()->removeDocument(id);
    --d->openDocuments;
    d->actions.close->setEnabled(d->openDocuments > 0);
    d->start->setDocumentOpen(d->openDocuments > 0);
    d->docks.setFilesOpen(d->openDocuments > 0);
}

void MainWindow::setSummaries(int document, const std::vector<NamedSummary>& summaries)
{
    d->docks.contents()->setSummaries(document, summaries);
}

void MainWindow::showTensor(const TensorSummary& tensor)
{
    const bool same = d->tensor && d->tensor->document == tensor.document && d->tensor->entry == tensor.entry;
    if (!same) {
        d->planes->setPlane(0, 0);
        // The picture before stays until the first frame comes, and the zoom where the size is the same.
        d->canvas->setCrosshair({});
        d->viewBar->forgetTypedLimits();
    } else if (!(d->tensor->extents == tensor.extents)) {
        d->canvas->setCrosshair({});
    }
    d->messages->withdraw(nothingToShow);
    // A model's layer comes over its own picture, not over one that was opened for something else.
    if (tensor.input && d->base == Private::Base::overlay && !(d->tensor && d->tensor->document == tensor.document))
        d->base = Private::Base::given;
    d->tensor = tensor;
    d->frame.reset();
    d->source->setTensor(tensor);
    d->planes->setExtents(tensor.extents);
    d->status->setTensor(tensor);
    d->canvas->setFirstChannel(tensor.extents.firstChannel);
    d->docks.contents()->setShown(tensor.document, tensor.entry);
    d->docks.threshold()->setTensor(tensor);
    d->docks.channels()->setTensor(tensor);
    d->docks.coordinates()->setTensor(tensor);
    d->showPlane(d->planes->batch()->position(), d->planes->channel()->position());
    d->actions.setTensorShown(true);
    d->actions.close->setEnabled(true);
    d->updateNavigation();
    d->updateLook();
    d->setAwaiting(true);
    if (d->pages->currentWidget() != d->viewer) {
        d->pages->setCurrentWidget(d->viewer);
        d->canvas->setFocus();
    }
    setWindowTitle(tr("%1 \u2013 %2 \u2013 Actiscope").arg(tensor.entry, QFileInfo(tensor.file).fileName()));
}

void MainWindow::showNothing()
{
    d->tensor.reset();
    d->frame.reset();
    d->planes->stop();
    d->source->clear();
    d->status->clear();
    d->canvas->clear();
    d->docks.contents()->setShown(-1, {});
    d->docks.threshold()->clear();
    d->docks.channels()->clear();
    d->docks.coordinates()->clear();
    d->actions.setTensorShown(false);
    d->actions.close->setEnabled(d->openDocuments > 0);
    d->updateNavigation();
    d->updateLook();
    d->setAwaiting(false);
    d->pages->setCurrentWidget(d->start);
    setWindowTitle(tr("Actiscope"));
}

void MainWindow::showFrame(std::shared_ptr<const core::Frame> frame)
{
    if (!d->tensor)
        return;
    d->frame = frame;
    d->status->setFrame(*frame);
    d->viewBar->setFrame(*frame);
    d->docks.threshold()->setFrame(*frame);
    d->docks.channels()->setFrame(*frame);
    d->docks.coordinates()->setFrame(*frame);
    d->canvas->setFrame(std::move(frame));
    d->updateColorBar();
    d->setAwaiting(false);
}

void MainWindow::setOverlayImage(std::shared_ptr<const core::Image> image, const QString& file)
{
    d->overlay = std::move(image);
    d->overlayFile = file;
    if (d->overlay)
        d->base = Private::Base::overlay;
    d->updateLook();
}

void MainWindow::showMessage(Severity severity, const QString& text, const QString& action, const QString& id)
{
    d->messages->show(severity, text, action, id);
}

void MainWindow::withdrawMessage(const QString& id)
{
    d->messages->withdraw(id);
}

void MainWindow::showProgress(const QString& what, double done)
{
    d->status->showProgress(what, done);
    d->busy = true;
    d->updateStop();
}

void MainWindow::hideProgress()
{
    d->status->hideProgress();
    d->busy = false;
    d->updateStop();
}

void MainWindow::setRecentFiles(const QStringList& files)
{
    d->setRecentFiles(files);
}

void MainWindow::showInput(const InputModel& model)
{
    d->docks.input()->showModel(model);
    d->updateRun();
    if (d->inputsSeen.contains(model.document))
        return;
    d->inputsSeen.insert(model.document);
    d->docks.raiseInput();
}

void MainWindow::clearInput(int document)
{
    d->inputsSeen.remove(document);
    if (d->docks.input()->document() != document)
        return;
    d->docks.input()->showNothing();
    d->updateRun();
}

void MainWindow::setInputPreview(const InputPreview& preview)
{
    d->docks.input()->setPreview(preview);
}

void MainWindow::setModelRunning(bool running)
{
    d->docks.input()->setRunning(running);
    d->updateRun();
}

bool MainWindow::giveInputFiles(const QStringList& files)
{
    return d->docks.input()->giveFiles(files);
}

void MainWindow::setOutdated(int document, bool outdated)
{
    if (d->docks.input()->document() == document)
        d->docks.input()->setOutdated(outdated);
    if (d->tensor && d->tensor->document == document)
        d->source->setOutdated(outdated && !d->tensor->inputName.isEmpty());
}

void MainWindow::setModelLog(const QString& log)
{
    d->docks.input()->setLog(log);
}

RunOptions MainWindow::runOptions() const
{
    return d->docks.input()->runOptions();
}

void MainWindow::setRunOptions(const RunOptions& options)
{
    d->docks.input()->setRunOptions(options);
}

void MainWindow::addOperatorLibrary()
{
    chooseOperatorLibrary(this, [this](const QString& file) {
        auto options = runOptions();
        options.libraries.append(file);
        setRunOptions(options);
        Q_EMIT runOptionsChanged(runOptions());
    });
}

void MainWindow::setStopFunctions(std::function<double(double)> nearest, std::function<double(double, std::int64_t)> step)
{
    d->docks.threshold()->setStopFunctions(std::move(nearest), std::move(step));
}

void MainWindow::setMachineFunction(std::function<QString()> machine)
{
    d->machine = std::move(machine);
}

core::Request MainWindow::currentRequest() const
{
    core::Request request;
    request.where = d->docks.threshold()->where();
    request.planeHistogram = d->docks.threshold()->planeHistogram();
    request.dragging = d->docks.threshold()->isDragging() && !d->resting;
    request.rows = d->docks.coordinates()->wantedRows();
    d->viewBar->apply(request);
    d->planes->apply(request);
    // A mask also tells whether the pixel under the cursor is hot.
    request.withMask = d->canvas->look().mask || (d->isMaskCheap(request.view) && !request.dragging);
    return request;
}

void MainWindow::dragThreshold(double value)
{
    d->docks.threshold()->dragTo(value);
}

void MainWindow::endDrag()
{
    d->docks.threshold()->endDrag();
}

QImage MainWindow::canvasPicture(bool withColorBar) const
{
    const QImage picture = d->canvas->picture();
    if (!withColorBar || !d->frame || !ColorBar::explains(d->colorBar->scale()))
        return picture;
    const double ratio = d->canvas->devicePixelRatioF();
    const int barWidth = d->colorBar->sizeHint().width();
    const double height = std::max(picture.height() / ratio, 160.0);
    QImage whole((QSizeF(picture.width() / ratio + barWidth, height) * ratio).toSize(), QImage::Format_RGB32);
    whole.setDevicePixelRatio(ratio);
    whole.fill(Qt::white);
    QPainter painter(&whole);
    painter.setFont(d->colorBar->font());
    painter.drawImage(QRectF(QPointF(), QSizeF(picture.size()) / ratio), picture);
    painter.setPen(Qt::black);
    d->colorBar->draw(painter, QRectF(picture.width() / ratio + 12, 4, barWidth - 12, height - 8));
    return whole;
}

bool MainWindow::savePlot(ExportKind plot, const QString& path) const
{
    return plot == ExportKind::channelPlot ? d->docks.channels()->savePlot(path) : d->docks.threshold()->savePlot(path);
}

CanvasMeaning MainWindow::canvasMeaning() const
{
    return {d->canvas->showsValues(), d->canvas->showsMask()};
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QStringList files = localFiles(*event->mimeData());
    if (files.isEmpty())
        return;
    event->acceptProposedAction();
    Q_EMIT openRequested(files);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    d->saveSettings();
    event->accept();
}

} // namespace ui

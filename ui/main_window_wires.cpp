// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/about_dialog.h"
#include "ui/canvas.h"
#include "ui/channels_panel.h"
#include "ui/contents_panel.h"
#include "ui/coordinates_panel.h"
#include "ui/file_dialogs.h"
#include "ui/layout_editor.h"
#include "ui/main_window_parts.h"
#include "ui/mask_controls.h"
#include "ui/message_bar.h"
#include "ui/plane_controls.h"
#include "ui/shortcut_list.h"
#include "ui/source_line.h"
#include "ui/start_page.h"
#include "ui/status_line.h"
#include "ui/threshold_panel.h"
#include "ui/view_bar.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFileInfo>

#include <array>

namespace ui {
namespace {

constexpr double zoomStep = 1.25;
constexpr double opacityStep = 0.1;
constexpr std::int64_t farSteps = 10;

template <class Do>
void on(QAction* action, QWidget* owner, Do what)
{
    QObject::connect(action, &QAction::triggered, owner, what);
}

} // namespace

void MainWindow::Private::wireActions()
{
    on(actions.open, q, [this] { chooseTensorFiles(q, [this](const QStringList& files) { Q_EMIT q->openRequested(files); }); });
    on(actions.openSample, q, [this] { Q_EMIT q->sampleRequested(); });
    on(actions.openOverlayImage, q,
       [this] { chooseImageFile(q, [this](const QString& file) { Q_EMIT q->overlayImageRequested(file); }); });
    on(actions.removeOverlayImage, q, [this] { q->setOverlayImage(nullptr, {}); });
    on(actions.reload, q, [this] { Q_EMIT q->reloadRequested(tensor ? tensor->document : -1); });
    on(actions.close, q, [this] { Q_EMIT q->closeRequested(tensor ? tensor->document : -1); });
    on(actions.quit, q, [this] { q->close(); });
    on(actions.copyPicture, q, [this] { Q_EMIT q->copyPictureRequested(); });
    on(actions.find, q, [this] { docks.contents()->focusFilter(); });
    on(actions.resetDocks, q, [this] {
        docks.reset();
        docks.fitHeight(room().height());
    });
    on(actions.fullScreen, q, [this](bool full) { full ? q->showFullScreen() : q->showNormal(); });
    on(actions.themeSystem, q, [this] { chooseTheme(ThemeChoice::system); });
    on(actions.themeLight, q, [this] { chooseTheme(ThemeChoice::light); });
    on(actions.themeDark, q, [this] { chooseTheme(ThemeChoice::dark); });
    on(actions.stop, q, [this] {
        planes->stop();
        Q_EMIT q->cancelRequested();
        setAwaiting(false);
    });
    on(actions.shortcuts, q, [this] {
        auto* list = new ShortcutList(actions, q);
        list->setAttribute(Qt::WA_DeleteOnClose);
        list->open();
    });
    on(actions.about, q, [this] {
        auto* about = new AboutDialog(machine ? machine() : QString(), tensor ? tensor->engine : QString(), q);
        about->setAttribute(Qt::WA_DeleteOnClose);
        about->open();
    });
    connect(start, &StartPage::fileChosen, q, [this](const QString& file) { Q_EMIT q->openRequested({file}); });
    connect(messages, &MessageBar::actionChosen, q, &MainWindow::messageAction);
    connect(status, &StatusLine::cancelRequested, q, &MainWindow::cancelRequested);
}

void MainWindow::Private::wireExports()
{
    const auto ask = [this](ExportKind kind) {
        const QString entry = tensor ? tensor->entry : QString();
        QString name = QFileInfo(tensor ? tensor->file : QString()).completeBaseName();
        if (!entry.isEmpty() && entry != name)
            name += QLatin1Char('-') + entry;
        name.replace(u'/', u'_');
        chooseExportFile(q, kind, name, [this, kind](const QString& file) { Q_EMIT q->exportRequested(kind, file); });
    };
    const std::array kinds{std::pair{actions.exportPicture, ExportKind::picture},
                           std::pair{actions.exportThresholdPlot, ExportKind::thresholdPlot},
                           std::pair{actions.exportChannelPlot, ExportKind::channelPlot},
                           std::pair{actions.exportTable, ExportKind::table},
                           std::pair{actions.exportMap, ExportKind::map},
                           std::pair{actions.exportMask, ExportKind::mask},
                           std::pair{actions.exportCoordinates, ExportKind::coordinates}};
    for (const auto& [action, kind] : kinds)
        on(action, q, [ask, kind = kind] { ask(kind); });
    connect(docks.channels(), &ChannelsPanel::exportRequested, q, [ask] { ask(ExportKind::table); });
    connect(docks.coordinates(), &CoordinatesPanel::exportRequested, q, [ask] { ask(ExportKind::coordinates); });
}

void MainWindow::Private::wireNavigation()
{
    const auto step = [this](QAction* action, AxisStepper* axis, int steps) {
        on(action, q, [axis, steps] { axis->step(steps); });
    };
    step(actions.previousBatch, planes->batch(), -1);
    step(actions.nextBatch, planes->batch(), 1);
    step(actions.previousChannel, planes->channel(), -1);
    step(actions.nextChannel, planes->channel(), 1);
    step(actions.previousSlice, planes->depth(), -1);
    step(actions.nextSlice, planes->depth(), 1);
    on(actions.previousEntry, q, [this] { docks.contents()->chooseNeighbour(-1); });
    on(actions.nextEntry, q, [this] { docks.contents()->chooseNeighbour(1); });
    on(actions.play, q, [this] { planes->togglePlay(); });
    for (AxisStepper* axis : {planes->batch(), planes->channel(), planes->depth()})
        connect(axis, &AxisStepper::stepsChanged, q, [this] { updateNavigation(); });
    connect(planes, &PlaneControls::playingChanged, q, [this] { updateStop(); });
    connect(planes, &PlaneControls::planeChanged, q, [this] {
        showPlane(planes->batch()->position(), planes->channel()->position());
        ask();
    });
    connect(canvas, &Canvas::depthStepRequested, planes->depth(), [this](int steps) { planes->depth()->step(steps); });
    connect(canvas, &Canvas::channelClicked, q, [this](std::int64_t channel) {
        showPlane(planes->batch()->position(), channel);
        viewBar->setView(core::ViewKind::channel);
    });
    connect(canvas, &Canvas::pixelClicked, q,
            [this](QPoint pixel) { canvas->setCrosshair(canvas->crosshair() == pixel ? std::nullopt : std::optional(pixel)); });
    connect(canvas, &Canvas::hovered, q, [this](const CanvasPixel& pixel) {
        if (frame)
            status->showPixel(pixel, frame->request);
    });
    connect(canvas, &Canvas::hoverEnded, status, &StatusLine::clearPixel);
}

void MainWindow::Private::wireView()
{
    connect(viewBar, &ViewBar::viewChanged, q, [this] {
        updateLook();
        ask();
    });
    connect(viewBar, &ViewBar::optionsChanged, q, [this] {
        // A choice made, the keys are the window's again.
        if (qobject_cast<QComboBox*>(QApplication::focusWidget()))
            canvas->setFocus();
        updateLook();
        ask();
    });
    connect(viewBar->maskControls(), &MaskControls::opacityChanged, q, [this] { updateLook(); });
    connect(canvas, &Canvas::zoomChanged, viewBar, &ViewBar::setZoom);
    for (QAction* action : {actions.contour, actions.smooth, actions.crosshair, actions.colorBar})
        on(action, q, [this] { updateLook(); });
    on(actions.overImage, q, [this](bool shown) {
        overImage = shown;
        updateLook();
        if (shown && !canvas->hasOverlayImage())
            actions.openOverlayImage->trigger();
    });
    on(actions.overGiven, q, [this] { chooseBase(Base::given); });
    on(actions.overOriginal, q, [this] { chooseBase(Base::original); });
    on(actions.overOverlay, q, [this] { chooseBase(Base::overlay); });
    on(actions.mask, q, [this](bool shown) {
        (viewBar->view() == core::ViewKind::mask ? maskInMaskView : maskElsewhere) = shown;
        updateLook();
        ask();
    });
    const auto opacity = [this](double step) {
        viewBar->maskControls()->setOpacity(viewBar->maskControls()->opacity() + step);
    };
    on(actions.moreOpaque, q, [opacity] { opacity(opacityStep); });
    on(actions.lessOpaque, q, [opacity] { opacity(-opacityStep); });
    on(actions.fit, q, [this] { canvas->fit(); });
    on(actions.actualSize, q, [this] { canvas->zoomTo(1); });
    on(actions.zoomIn, q, [this] { canvas->zoomBy(zoomStep); });
    on(actions.zoomOut, q, [this] { canvas->zoomBy(1 / zoomStep); });
    on(actions.autoLimits, q, [this] { viewBar->resetLimits(); });
    connect(source->layoutEditor(), &LayoutEditor::selectionChanged, q, &MainWindow::selectionChanged);
}

void MainWindow::Private::wireDocks()
{
    connect(docks.contents(), &ContentsPanel::entryChosen, q, &MainWindow::entryChosen);
    connect(docks.contents(), &ContentsPanel::otherEntryChosen, q, [this](const QString& reason) {
        messages->withdraw(nothingToShow);
        messages->show(Severity::information, reason, {}, nothingToShow);
    });
    connect(docks.contents(), &ContentsPanel::closeRequested, q, &MainWindow::closeRequested);
    connect(docks.contents(), &ContentsPanel::reloadRequested, q, &MainWindow::reloadRequested);

    on(actions.run, q, [this] { docks.input()->run(); });
    connect(docks.input(), &InputPanel::inputChanged, q, &MainWindow::inputChanged);
    connect(docks.input(), &InputPanel::runRequested, q, &MainWindow::runRequested);
    connect(docks.input(), &InputPanel::stopRequested, q, &MainWindow::stopRequested);
    connect(docks.input(), &InputPanel::runOptionsChanged, q, &MainWindow::runOptionsChanged);

    ThresholdPanel* threshold = docks.threshold();
    on(actions.threshold, q, [threshold] { threshold->focusValue(); });
    on(actions.thresholdDown, q, [threshold] { threshold->step(-1); });
    on(actions.thresholdUp, q, [threshold] { threshold->step(1); });
    on(actions.thresholdFarDown, q, [threshold] { threshold->step(-farSteps); });
    on(actions.thresholdFarUp, q, [threshold] { threshold->step(farSteps); });
    connect(threshold, &ThresholdPanel::whereChanged, q, [this] {
        resting = false;
        if (docks.threshold()->isDragging())
            restTimer.start();
        ask();
    });
    connect(&restTimer, &QTimer::timeout, q, [this] {
        resting = true;
        ask();
    });
    connect(threshold, &ThresholdPanel::dragEnded, q, [this] {
        restTimer.stop();
        ask();
    });
    connect(threshold, &ThresholdPanel::planeHistogramChanged, q, [this] { ask(); });

    connect(docks.channels(), &ChannelsPanel::channelChosen, q, [this](std::int64_t batch, std::int64_t channel) {
        showPlane(batch, channel);
        if (viewBar->view() == core::ViewKind::heat)
            viewBar->setView(core::ViewKind::channel);
        else
            ask();
    });
    connect(docks.coordinates(), &CoordinatesPanel::rowsWanted, q, [this] { ask(); });
    connect(docks.coordinates(), &CoordinatesPanel::rowChosen, q,
            [this](const std::vector<std::int64_t>& indices) { goToRow(indices); });
}

} // namespace ui

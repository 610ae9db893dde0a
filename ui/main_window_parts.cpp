// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window_parts.h"

#include "ui/canvas.h"
#include "ui/channels_panel.h"
#include "ui/color_bar.h"
#include "ui/contents_panel.h"
#include "ui/input_panel.h"
#include "ui/mask_controls.h"
#include "ui/message_bar.h"
#include "ui/plane_controls.h"
#include "ui/source_line.h"
#include "ui/start_page.h"
#include "ui/status_line.h"
#include "ui/threshold_panel.h"
#include "ui/view_bar.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include <array>
#include <tuple>

namespace ui {
namespace {

/// "made exact within 100 ms of rest" leaves the engine some of it.
constexpr int restMs = 60;
constexpr int settingsVersion = 1;

const auto geometryKey = QStringLiteral("window/geometry");
const auto docksKey = QStringLiteral("window/docks");
const auto themeKey = QStringLiteral("window/theme");

} // namespace

MainWindow::Private::Private(MainWindow* window)
    : q(window), actions(window), source(new SourceLine(window)), docks(window), messages(new MessageBar(window)),
      start(new StartPage(actions.open, actions.openSample, window)), viewer(new QWidget(window)),
      pages(new QStackedWidget(window)), viewBar(new ViewBar(actions, viewer)), canvas(new Canvas(viewer)),
      colorBar(new ColorBar(viewer)), planes(new PlaneControls(viewer)), status(new StatusLine(window))
{
    docks.addRight();
    q->setCentralWidget(makeCentre());
    q->setMenuWidget(source);
    q->statusBar()->addWidget(status, 1);
    q->statusBar()->setSizeGripEnabled(false);
    const Menus menus(source->menus(), actions, docks.toggles());
    recent = menus.recent;
    restTimer.setSingleShot(true);
    restTimer.setInterval(restMs);
    wireActions();
    wireExports();
    wireNavigation();
    wireView();
    wireDocks();
    installFocusRule(q);
    updateLook();
}

QWidget* MainWindow::Private::makeCentre()
{
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(canvas, 1);
    middle->addWidget(colorBar);
    auto* column = new QVBoxLayout(viewer);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(viewBar);
    column->addLayout(middle, 1);
    column->addWidget(planes);
    pages->addWidget(start);
    pages->addWidget(viewer);
    auto* centre = new QWidget(q);
    auto* rows = new QVBoxLayout(centre);
    rows->setContentsMargins({});
    rows->setSpacing(0);
    rows->addWidget(messages);
    rows->addWidget(pages, 1);
    return centre;
}

void MainWindow::Private::ask()
{
    if (!tensor)
        return;
    setAwaiting(true);
    Q_EMIT q->requestChanged(q->currentRequest());
}

void MainWindow::Private::showPlane(std::int64_t batch, std::int64_t channel)
{
    planes->setPlane(batch, channel);
    canvas->setCurrentChannel(channel);
    docks.channels()->setCurrent(batch, channel);
}

void MainWindow::Private::goToRow(const std::vector<std::int64_t>& indices)
{
    if (!tensor || indices.size() != tensor->shape.size())
        return;
    const auto& layout = tensor->selection.layout;
    const auto indexOf = [&](core::AxisRole role) {
        const int axis = layout.axis(role);
        return axis < 0 ? 0 : indices[static_cast<std::size_t>(axis)];
    };
    const auto positionOf = [&](core::AxisRole role, std::int64_t first) {
        return layout.axis(role) < 0 ? 0 : indexOf(role) - first;
    };
    showPlane(positionOf(core::AxisRole::batch, tensor->extents.firstBatch),
              positionOf(core::AxisRole::channel, tensor->extents.firstChannel));
    if (tensor->extents.hasDepth)
        planes->depth()->setPosition(positionOf(core::AxisRole::depth, tensor->extents.firstDepth));
    canvas->setCrosshair(
        QPoint(static_cast<int>(indexOf(core::AxisRole::column)), static_cast<int>(indexOf(core::AxisRole::row))));
    canvas->revealCrosshair();
    ask();
}

void MainWindow::Private::updateLook()
{
    const core::ViewKind view = viewBar->view();
    const bool maskView = view == core::ViewKind::mask;
    // A heat map is of hot elements already.
    const bool hasMask = tensor && view != core::ViewKind::heat;
    updateBase();
    const bool image = canvas->hasOverlayImage();
    // A wall lies over nothing.
    const bool over = tensor && image && overImage && view != core::ViewKind::wall;
    actions.mask->setEnabled(hasMask);
    actions.mask->setChecked(maskView ? maskInMaskView : maskElsewhere && hasMask);
    const bool masked = hasMask && actions.mask->isChecked();
    actions.contour->setEnabled(masked);
    const bool blends = masked || (over && !maskView);
    for (QAction* action : {actions.moreOpaque, actions.lessOpaque})
        action->setEnabled(blends);
    viewBar->maskControls()->setOpacityEnabled(blends);
    CanvasLook look;
    look.mask = actions.mask->isChecked();
    look.opacity = viewBar->maskControls()->opacity();
    look.contour = actions.contour->isChecked();
    look.smooth = actions.smooth->isChecked();
    look.overImage = overImage;
    look.crosshair = actions.crosshair->isChecked();
    canvas->setLook(look);
    actions.overImage->setEnabled(tensor && view != core::ViewKind::wall);
    actions.overImage->setChecked(image && overImage);
    actions.overOverlay->setEnabled(actions.overImage->isEnabled());
    actions.smooth->setEnabled(over);
    actions.removeOverlayImage->setEnabled(overlay != nullptr);
    const bool values = !(over && maskView);
    viewBar->setValuesShown(values);
    actions.autoLimits->setEnabled(tensor && values && viewBar->hasOwnLimits());
    updateColorBar();
}

void MainWindow::Private::updateColorBar()
{
    if (frame) {
        ColorBar::Scale scale = ColorBar::scaleOf(*frame);
        scale.hasValues = canvas->showsValues();
        scale.hasMask = canvas->showsMask();
        if (scale.hasMask) {
            scale.isContour = canvas->look().contour;
            scale.maskCount = frame->maskCount;
        }
        colorBar->setScale(scale);
    }
    colorBar->setVisible(actions.colorBar->isChecked() && ColorBar::explains(colorBar->scale()));
}

void MainWindow::Private::updateNavigation()
{
    const std::array steps{
        std::tuple{actions.previousBatch, planes->batch(), -1},     std::tuple{actions.nextBatch, planes->batch(), 1},
        std::tuple{actions.previousChannel, planes->channel(), -1}, std::tuple{actions.nextChannel, planes->channel(), 1},
        std::tuple{actions.previousSlice, planes->depth(), -1},     std::tuple{actions.nextSlice, planes->depth(), 1}};
    for (const auto& [action, axis, step] : steps)
        action->setEnabled(tensor && axis->canStep(step));
    actions.play->setEnabled(tensor && planes->canPlay());
}

void MainWindow::Private::updateStop()
{
    actions.stop->setEnabled(busy || awaiting || planes->isPlaying() || docks.input()->isRunning());
}

void MainWindow::Private::setAwaiting(bool isAwaiting)
{
    awaiting = isAwaiting;
    updateStop();
}

bool MainWindow::Private::isMaskCheap(core::ViewKind view) const
{
    constexpr std::int64_t mostElements = std::int64_t{1} << 24;
    const auto& extents = tensor->extents;
    return view == core::ViewKind::channel ||
           (view == core::ViewKind::wall && extents.channels * extents.planeElements() <= mostElements);
}

void MainWindow::Private::updateRun()
{
    actions.run->setEnabled(docks.input()->document() >= 0 && !docks.input()->isRunning());
    updateStop();
}

void MainWindow::Private::setRecentFiles(const QStringList& files)
{
    start->setRecentFiles(files);
    recent->clear();
    recent->setEnabled(!files.isEmpty());
    int number = 0;
    for (const QString& file : files) {
        ++number;
        QString name = QFileInfo(file).fileName();
        QAction* action = recent->addAction(QStringLiteral("%1  %2").arg(number).arg(name.replace(u'&', QStringLiteral("&&"))));
        action->setToolTip(file);
        if (number <= 9)
            action->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number)));
        QObject::connect(action, &QAction::triggered, q, [this, file] { Q_EMIT q->openRequested({file}); });
    }
}

void MainWindow::Private::saveSettings() const
{
    QSettings settings;
    settings.setValue(geometryKey, q->saveGeometry());
    settings.setValue(docksKey, q->saveState(settingsVersion));
    settings.setValue(themeKey, static_cast<int>(theme.choice()));
    settings.setValue(QStringLiteral("view/overOriginal"), base == Base::original);
    settings.setValue(QStringLiteral("view/contour"), actions.contour->isChecked());
    settings.setValue(QStringLiteral("view/smooth"), actions.smooth->isChecked());
    settings.setValue(QStringLiteral("view/crosshair"), actions.crosshair->isChecked());
    settings.setValue(QStringLiteral("view/colorBar"), actions.colorBar->isChecked());
    // Not the libraries: code is loaded because someone said so, not because someone once did.
    const RunOptions run = docks.input()->runOptions();
    settings.setValue(QStringLiteral("model/memory"), run.memory);
    settings.setValue(QStringLiteral("model/timeLimit"), run.timeLimit);
    viewBar->saveState(settings);
    docks.contents()->saveState(settings);
    docks.threshold()->saveState(settings);
    docks.channels()->saveState(settings);
}

QSize MainWindow::Private::room() const
{
    // Title bar and frame take their part of a small screen.
    return q->screen()->availableSize() - QSize(8, 40);
}

void MainWindow::Private::restoreSettings()
{
    const QSettings settings;
    q->resize(QSize(1280, 800).boundedTo(room()).expandedTo(QSize(640, 480)));
    q->restoreGeometry(settings.value(geometryKey).toByteArray());
    q->restoreState(settings.value(docksKey).toByteArray(), settingsVersion);
    docks.fitHeight(room().height());
    const int choice = settings.value(themeKey, 0).toInt();
    chooseTheme(static_cast<ThemeChoice>(choice >= 0 && choice <= 2 ? choice : 0));
    const auto check = [&settings](QAction* action, const QString& key) {
        action->setChecked(settings.value(key, action->isChecked()).toBool());
    };
    check(actions.contour, QStringLiteral("view/contour"));
    check(actions.smooth, QStringLiteral("view/smooth"));
    check(actions.crosshair, QStringLiteral("view/crosshair"));
    check(actions.colorBar, QStringLiteral("view/colorBar"));
    RunOptions run;
    run.memory = settings.value(QStringLiteral("model/memory")).toString();
    run.timeLimit = settings.value(QStringLiteral("model/timeLimit"), 0).toInt();
    docks.input()->setRunOptions(run);
    base = settings.value(QStringLiteral("view/overOriginal"), false).toBool() ? Base::original : Base::given;
    viewBar->restoreState(settings);
    docks.contents()->restoreState(settings);
    docks.threshold()->restoreState(settings);
    docks.channels()->restoreState(settings);
    updateLook();
}

void MainWindow::Private::chooseTheme(ThemeChoice choice)
{
    theme.choose(choice);
    const std::array entries{actions.themeSystem, actions.themeLight, actions.themeDark};
    entries[static_cast<std::size_t>(choice)]->setChecked(true);
}

} // namespace ui

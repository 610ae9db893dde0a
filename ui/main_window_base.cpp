// SPDX-License-Identifier: GPL-3.0-or-later
// What pictures and masks lie over.
#include "ui/canvas.h"
#include "ui/main_window_parts.h"

#include <QAction>
#include <QFileInfo>

#include <array>

namespace ui {

std::optional<MainWindow::Private::Base> MainWindow::Private::shownBase() const
{
    const auto* input = tensor && tensor->input ? &*tensor->input : nullptr;
    if (base == Base::original && input && input->original)
        return base;
    if (input && input->given && (base != Base::overlay || !overlay))
        return Base::given;
    return overlay ? std::optional(Base::overlay) : std::nullopt;
}

void MainWindow::Private::chooseBase(Base chosen)
{
    base = chosen;
    overImage = true;
    updateLook();
    if (chosen == Base::overlay && !overlay)
        actions.openOverlayImage->trigger();
}

void MainWindow::Private::updateBase()
{
    const auto shown = shownBase();
    const auto* input = tensor && tensor->input ? &*tensor->input : nullptr;
    actions.overGiven->setEnabled(input && input->given);
    actions.overOriginal->setEnabled(input && input->original);
    if (!shown) {
        canvas->setOverlayImage(nullptr);
        actions.overImage->setToolTip(QMainWindow::tr("Show over an overlay image (opens one)"));
        return;
    }
    const std::array entries{actions.overGiven, actions.overOriginal, actions.overOverlay};
    entries[static_cast<std::size_t>(*shown)]->setChecked(true);
    if (*shown == Base::overlay) {
        canvas->setOverlayImage(overlay);
        actions.overImage->setToolTip(QMainWindow::tr("Show over the overlay image %1").arg(QFileInfo(overlayFile).fileName()));
    } else if (*shown == Base::given) {
        canvas->setOverlayImage(input->given);
        actions.overImage->setToolTip(QMainWindow::tr("Show over the picture that the network got"));
    } else {
        const auto& place = input->geometry;
        canvas->setOverlayImage(input->original, QRectF(place.left, place.top, static_cast<double>(place.width) * place.stepX,
                                                        static_cast<double>(place.height) * place.stepY));
        actions.overImage->setToolTip(QMainWindow::tr("Show over the original picture, where the network got it from"));
    }
}

} // namespace ui

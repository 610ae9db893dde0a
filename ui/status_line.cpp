// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status_line.h"

#include "ui/canvas.h"
#include "ui/read_out.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

namespace ui {
namespace {

ReadOut* readOut(const QString& name, int room, QWidget* parent)
{
    auto* label = new ReadOut(parent);
    label->setAccessibleName(name);
    label->setToolTip(name);
    label->setRoom(room);
    return label;
}

/// The pixel of the original below the middle of a plane's pixel.
QPoint inputPixel(const core::InputGeometry& place, const core::Extents& plane, std::int64_t column, std::int64_t row)
{
    const auto along = [](std::int64_t at, std::int64_t pixels, std::int64_t got, double first, double step) {
        const double middle = (static_cast<double>(at) + 0.5) * static_cast<double>(got) / static_cast<double>(pixels);
        return qRound(first + middle * step - 0.5);
    };
    return {along(column, plane.width, place.width, place.left, place.stepX),
            along(row, plane.height, place.height, place.top, place.stepY)};
}

} // namespace

StatusLine::StatusLine(QWidget* parent)
    : QWidget(parent), m_pixel(readOut(tr("Pixel under the cursor"), 40, this)),
      m_imagePixel(readOut(tr("Pixel of the input or overlay image"), 18, this)),
      m_engine(readOut(tr("Engine, time of the last step, exact or approximate"), 26, this)),
      m_work(readOut(tr("What is being done"), 24, this)), m_progress(new QProgressBar(this)),
      m_cancel(new QPushButton(tr("Cancel"), this))
{
    m_pixel->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_imagePixel->setQuiet(true);
    m_engine->setQuiet(true);
    m_work->setAlignment(Qt::AlignRight);
    m_work->setElideMode(Qt::ElideMiddle);
    m_progress->setFixedSize(120, 14);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_cancel->setToolTip(tr("Stop what is being done (Esc)"));
    m_cancel->setAccessibleName(tr("Cancel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 2);
    row->setSpacing(12);
    row->addWidget(m_pixel, 1);
    row->addWidget(m_imagePixel);
    row->addWidget(m_engine);
    row->addWidget(m_work);
    row->addWidget(m_progress);
    row->addWidget(m_cancel);
    setMinimumHeight(m_cancel->sizeHint().height() + 4);
    connect(m_cancel, &QPushButton::clicked, this, &StatusLine::cancelRequested);
    hideProgress();
}

void StatusLine::setTensor(const TensorSummary& tensor)
{
    m_extents = tensor.extents;
    m_input = tensor.input ? std::optional(tensor.input->geometry) : std::nullopt;
    m_imagePixel->setToolTip(m_input ? tr("Pixel of the model's input below the middle of this pixel: column, row")
                                     : tr("Pixel of the overlay image"));
}

QString StatusLine::imageText(const CanvasPixel& pixel) const
{
    if (m_input && m_extents.width > 0 && m_extents.height > 0) {
        const QPoint at = inputPixel(*m_input, m_extents, pixel.x, pixel.y);
        return tr("input (%1, %2)").arg(at.x()).arg(at.y());
    }
    return pixel.imagePixel ? tr("image (%1, %2)").arg(pixel.imagePixel->x()).arg(pixel.imagePixel->y()) : QString();
}

void StatusLine::setFrame(const core::Frame& frame)
{
    m_engine->setText(tr("%1, %2 ms, %3")
                          .arg(QString::fromStdString(frame.engine), QString::number(frame.elapsedMs, 'f', 1),
                               frame.exact && frame.mapIsExact ? tr("exact") : tr("approximate")));
}

void StatusLine::clear()
{
    m_engine->setText({});
    m_input.reset();
    clearPixel();
}

void StatusLine::showPixel(const CanvasPixel& pixel, const core::Request& request)
{
    QString text = tr("b%1").arg(m_extents.firstBatch + request.batch);
    if (pixel.channel)
        text += tr(" c%1").arg(m_extents.firstChannel + *pixel.channel);
    else if (request.view != core::ViewKind::heat)
        text += tr(" c%1").arg(m_extents.firstChannel + request.channel);
    if (m_extents.hasDepth)
        text += tr(" z%1").arg(m_extents.firstDepth + request.depth);
    text += tr(" y%1 x%2").arg(pixel.y).arg(pixel.x);
    if (!pixel.value.isEmpty())
        text += QStringLiteral(" = ") + pixel.value;
    if (pixel.hot.value_or(false))
        text += tr("  hot");
    if (pixel.step > 1)
        text += tr("  (first of %1 \u00d7 %1 pixels)").arg(pixel.step);
    m_pixel->setText(text);
    m_imagePixel->setText(imageText(pixel));
}

void StatusLine::clearPixel()
{
    m_pixel->setText({});
    m_imagePixel->setText({});
}

void StatusLine::showProgress(const QString& what, double done)
{
    m_work->setText(what);
    m_progress->setRange(0, done < 0 ? 0 : 1000);
    if (done >= 0)
        m_progress->setValue(static_cast<int>(1000 * done));
    for (QWidget* part : {static_cast<QWidget*>(m_work), static_cast<QWidget*>(m_progress), static_cast<QWidget*>(m_cancel)})
        part->show();
}

void StatusLine::hideProgress()
{
    for (QWidget* part : {static_cast<QWidget*>(m_work), static_cast<QWidget*>(m_progress), static_cast<QWidget*>(m_cancel)})
        part->hide();
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas.h"

#include "ui/fade_cold.h"
#include "ui/theme.h"

#include <QEvent>
#include <QPainter>

#include <utility>

namespace ui {
namespace {

/// From this many window pixels a mask pixel the outline is drawn as lines, below as coloured pixels.
constexpr double lineOutlineScale = 3;
/// A single row or column is shown as a band this much wider than high (or the other way).
constexpr int bandRatio = 12;
/// So is a picture that is less than this part as high as wide, or the other way: nothing of it would be seen at fit.
constexpr int thinnest = 100;
constexpr int stripRatio = 24;

/// The lower right corner of a wall without tiles.
QRect holeOf(const core::WallGrid& grid, QSize content)
{
    const int tiles = static_cast<int>(grid.channels.size());
    if (grid.columns == 0 || tiles % grid.columns == 0)
        return {};
    const QRect last = tileRect(grid, tiles - 1);
    return {last.topRight() + QPoint(1, 0), QPoint(content.width() - 1, content.height() - 1)};
}

/// Whether two frames differ in nothing that is painted: a picture is made anew with the map, limits and colours behind it.
bool showsTheSame(const core::Frame* a, const core::Frame* b)
{
    return a && b && a->picture && a->picture == b->picture && a->mask == b->mask && a->request.view == b->request.view;
}

QSize contentSize(const core::Image& base)
{
    const auto side = [](int thin, int length) {
        const int ratio = thin == 1 ? bandRatio : stripRatio;
        const bool isBand = thin == 1 || thin < length / thinnest;
        return isBand ? std::max(1, (length + ratio - 1) / ratio) : thin;
    };
    return {side(base.width, base.height), side(base.height, base.width)};
}

} // namespace

Canvas::Canvas(QWidget* parent) : QWidget(parent)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Canvas"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void Canvas::setFirstChannel(std::int64_t first)
{
    m_firstChannel = first;
    update();
}

void Canvas::setFrame(std::shared_ptr<const core::Frame> frame)
{
    const bool same = showsTheSame(m_frame.get(), frame.get());
    m_frame = std::move(frame);
    if (!same)
        contentChanged();
    if (m_cursor)
        hover(*m_cursor);
}

void Canvas::setOverlayImage(std::shared_ptr<const core::Image> image, QRectF area)
{
    if (image == m_image && area == m_imageArea)
        return;
    m_image = std::move(image);
    m_imageArea = area;
    contentChanged();
}

void Canvas::clear()
{
    m_frame.reset();
    m_crosshair.reset();
    for (auto& view : m_views)
        view = {};
    contentChanged();
    Q_EMIT hoverEnded();
}

void Canvas::setLook(const CanvasLook& look)
{
    if (look == m_look)
        return;
    m_look = look;
    contentChanged();
}

void Canvas::setCrosshair(std::optional<QPoint> pixel)
{
    m_crosshair = pixel;
    update();
}

void Canvas::setCurrentChannel(std::int64_t channel)
{
    m_currentChannel = channel;
    update();
}

void Canvas::fit()
{
    view().fit();
    afterZoom();
}

void Canvas::zoomTo(double scale)
{
    view().zoomTo(scale, zoomCentre());
    afterZoom();
}

void Canvas::zoomBy(double factor)
{
    zoomTo(zoom() * factor);
}

QImage Canvas::picture() const
{
    compose();
    QImage image = m_composed;
    image.detach();
    QPainter painter(&image);
    paintMarks(painter, false);
    painter.end();
    const QRect shown = view().deviceRect().toAlignedRect().intersected(image.rect());
    return shown.isEmpty() ? image : image.copy(shown);
}

void Canvas::paintEvent(QPaintEvent*)
{
    compose();
    QPainter painter(this);
    const double ratio = devicePixelRatioF();
    painter.scale(1 / ratio, 1 / ratio);
    painter.drawImage(0, 0, m_composed);
    paintMarks(painter, true);
    if (m_frame && !m_frame->picture) {
        painter.resetTransform();
        painter.setPen(themeColors(palette()).quietText);
        painter.drawText(rect(), Qt::AlignCenter,
                         m_frame->elements == 0 ? tr("This tensor has no elements.")
                                                : tr("This plane is too large for a picture."));
    }
}

void Canvas::resizeEvent(QResizeEvent*)
{
    for (auto& view : m_views)
        view.setCanvas(deviceSize(), devicePixelRatioF());
    afterZoom();
}

void Canvas::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        m_stale = true;
        update();
    }
}

const core::Image* Canvas::basePicture() const
{
    if (isOverImage())
        return m_image.get();
    return m_frame ? m_frame->picture.get() : nullptr;
}

bool Canvas::isOverImage() const
{
    return m_image && m_look.overImage && m_frame && m_frame->picture && !isWall();
}

bool Canvas::showsValues() const
{
    return m_frame && m_frame->picture && !(isOverImage() && m_frame->request.view == core::ViewKind::mask);
}

bool Canvas::showsMask() const
{
    return m_look.mask && m_frame && m_frame->mask && m_frame->picture;
}

const core::Image* Canvas::overlayPicture() const
{
    if (!m_faded)
        m_faded = fadeCold(*m_frame);
    return &*m_faded;
}

QSize Canvas::deviceSize() const
{
    return (QSizeF(size()) * devicePixelRatioF()).toSize();
}

LayerGeometry Canvas::geometry(QSize layer) const
{
    return {view().transform(), QRectF({}, QSizeF(view().content())), layer};
}

QRectF Canvas::pictureArea() const
{
    const QSizeF content = view().content();
    if (!isOverImage() || m_imageArea.isEmpty())
        return {{}, content};
    const double x = content.width() / m_image->width;
    const double y = content.height() / m_image->height;
    return {m_imageArea.x() * x, m_imageArea.y() * y, m_imageArea.width() * x, m_imageArea.height() * y};
}

LayerGeometry Canvas::pictureGeometry() const
{
    return {view().transform(), pictureArea(), {m_frame->picture->width, m_frame->picture->height}};
}

void Canvas::contentChanged()
{
    const core::Image* base = basePicture();
    view().setCanvas(deviceSize(), devicePixelRatioF());
    const QSize content = base && base->width > 0 && base->height > 0 ? contentSize(*base) : QSize();
    view().setContent(content, isWall() ? holeOf(*m_frame->wall, content) : QRect());
    m_stale = true;
    m_outline.clear();
    m_faded.reset();
    tellZoom();
    update();
}

void Canvas::compose() const
{
    if (!m_stale && m_composed.size() == deviceSize())
        return;
    m_stale = false;
    const ThemeColors colors = themeColors(palette());
    CanvasScene scene;
    scene.content = view().content();
    scene.base = basePicture();
    scene.area = pictureArea();
    scene.ground = colors.canvas;
    // Gaps between tiles are transparent and not a picture's.
    scene.checkerLight = isWall() ? colors.canvas : colors.checkerLight;
    scene.checkerDark = isWall() ? colors.canvas : colors.checkerDark;
    scene.checkerSize = qRound(8 * devicePixelRatioF());
    scene.opacity = m_look.opacity;
    scene.smooth = m_look.smooth;
    if (isOverImage() && m_frame->request.view != core::ViewKind::mask)
        scene.over = overlayPicture();
    if (showsMask()) {
        scene.maskSize = QSize(m_frame->picture->width, m_frame->picture->height);
        scene.maskColor = maskColor();
        if (!m_look.contour) {
            scene.mask = *m_frame->mask;
        } else if (pictureGeometry().pixelSize().width() < lineOutlineScale * devicePixelRatioF()) {
            if (m_outline.empty())
                m_outline = maskOutline(*m_frame->mask, scene.maskSize);
            scene.mask = m_outline;
        }
    }
    m_composed = composeCanvas(scene, view().transform(), deviceSize(), std::move(m_composed));
}

void Canvas::paintMarks(QPainter& painter, bool withHover) const
{
    if (!m_frame || !m_frame->picture || view().content().isEmpty())
        return;
    const LayerGeometry layer = pictureGeometry();
    const QRectF content = geometry({1, 1}).pixelRect(0, 0);
    if (isOverImage()) {
        const QRectF area = layer.deviceRect(QRect({}, layer.layer));
        // What was cut out beyond the picture lies nowhere.
        if (!content.adjusted(-0.5, -0.5, 0.5, 0.5).contains(area))
            painter.setClipRect(content);
        drawArea(painter, area, content);
    }
    const QSize size = deviceSize();
    if (m_look.mask && m_look.contour && m_frame->mask && layer.pixelSize().width() >= lineOutlineScale * devicePixelRatioF())
        drawOutline(painter, layer, *m_frame->mask, size, maskColor());
    if (isWall()) {
        const int hovered = withHover ? m_hoveredTile : -1;
        drawWall(painter, layer, *m_frame->wall, {m_firstChannel, withHover ? m_currentChannel : -1, hovered}, size);
    } else if (m_frame->map) {
        drawValues(painter, layer, *m_frame->map, m_composed);
    }
    const auto cross = m_look.crosshair && withHover ? crosshairRect() : std::nullopt;
    if (cross)
        drawCrosshair(painter, *cross,
                      isWall() ? layer.deviceRect(tileRect(*m_frame->wall, currentTile())) : QRectF({}, QSizeF(size)));
}

void Canvas::afterZoom()
{
    m_stale = true;
    update();
    tellZoom();
}

void Canvas::tellZoom()
{
    if (m_toldZoom == zoom())
        return;
    m_toldZoom = zoom();
    Q_EMIT zoomChanged(m_toldZoom);
}

} // namespace ui

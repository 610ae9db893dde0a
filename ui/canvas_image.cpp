// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_image.h"

#include "core/render/blend_kernels.h"
#include "core/render/rows.h"
#include "ui/image_layer.h"
#include "ui/mask_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ui {
namespace {

/// Device pixels whose centres lie in a rectangle of the content.
QRect coveredPixels(const ViewTransform& view, const QRectF& area)
{
    const QPointF first = view.toDevice(area.topLeft());
    const QPointF end = view.toDevice(area.bottomRight());
    const auto pixel = [](double edge) { return static_cast<int>(std::ceil(edge - 0.5)); };
    return {QPoint(pixel(first.x()), pixel(first.y())), QPoint(pixel(end.x()) - 1, pixel(end.y()) - 1)};
}

std::uint32_t pixelOf(const QColor& color)
{
    return core::rgba(color.red(), color.green(), color.blue());
}

QRgb toScreen(std::uint32_t pixel)
{
    return 0xff000000U | (pixel & 255) << 16 | (pixel & 0xff00) | (pixel >> 16 & 255);
}

/// What all rows of a part of the canvas share.
struct Scene
{
    Scene(const CanvasScene& canvasScene, const ViewTransform& view, QRect canvasPart) : scene(canvasScene), part(canvasPart)
    {
        const QRectF whole({}, QSizeF(scene.content));
        const QRectF area = scene.area.isEmpty() ? whole : scene.area;
        base = {*scene.base, axes(view, whole, {scene.base->width, scene.base->height}, false)};
        if (scene.over)
            over = {*scene.over, axes(view, area, {scene.over->width, scene.over->height}, scene.smooth)};
        if (!scene.mask.empty())
            mask = {scene.mask, scene.maskSize.width(), axes(view, area, scene.maskSize, scene.smooth)};
        covered = coveredPixels(view, area).translated(-part.topLeft()).intersected(QRect({}, part.size()));
        alpha = static_cast<unsigned>(std::lround(255 * std::clamp(scene.opacity, 0.0, 1.0)));
    }

    Axes axes(const ViewTransform& view, const QRectF& area, QSize layer, bool smooth) const
    {
        const double scaleX = view.scale * area.width() / layer.width();
        const double scaleY = view.scale * area.height() / layer.height();
        const QPointF origin = view.toDevice(area.topLeft());
        return {makeAxis({origin.x(), scaleX, layer.width(), smooth}, part.left(), part.left() + part.width()),
                makeAxis({origin.y(), scaleY, layer.height(), smooth}, part.top(), part.top() + part.height())};
    }

    bool isCovered(int y) const { return y >= covered.top() && y <= covered.bottom(); }

    bool sameAsAbove(int y) const
    {
        return base.axes().y.sameSamples(y, y - 1) && isCovered(y) == isCovered(y - 1) &&
               (over.isEmpty() || over.axes().y.sameSamples(y, y - 1)) &&
               (mask.isEmpty() || mask.axes().y.sameSamples(y, y - 1));
    }

    const CanvasScene& scene;
    QRect part;
    /// Device pixels of the part on which `over` and `mask` lie, counted from the part's corner.
    QRect covered;
    ImageLayer base;
    ImageLayer over;
    MaskLayer mask;
    unsigned alpha = 255;
};

/// Composes rows on one thread.
class RowComposer
{
public:
    explicit RowComposer(const Scene& scene)
        : m_scene(scene), m_row(scene.part.width()), m_over(scene.part.width()), m_hot(scene.part.width())
    {
    }

    /// Rows [from, to) of the part; `line` is the first one's, `stride` pixels from the next one's.
    void compose(int from, int to, QRgb* line, std::ptrdiff_t stride)
    {
        for (int y = from; y < to; ++y, line += stride) {
            if (y > from && !m_transparent && m_scene.sameAsAbove(y))
                std::copy_n(line - stride, m_row.size(), line);
            else
                composeRow(y, line);
        }
    }

private:
    void composeRow(int y, QRgb* line)
    {
        const int width = m_scene.part.width();
        m_scene.base.read(y, 0, width, m_row.data(), m_baseScratch);
        if (m_scene.isCovered(y)) {
            layOver(y);
            layMask(y);
        }
        std::uint32_t opaque = 0xff000000U;
        for (const std::uint32_t pixel : m_row)
            opaque &= pixel;
        m_transparent = opaque != 0xff000000U;
        if (m_transparent)
            layOnChecker(y);
        for (int x = 0; x < width; ++x)
            line[x] = toScreen(m_row[x]);
    }

    void layOver(int y)
    {
        if (m_scene.over.isEmpty())
            return;
        const int from = m_scene.covered.left();
        const int to = m_scene.covered.right() + 1;
        m_scene.over.read(y, from, to, m_over.data(), m_overScratch);
        core::blendPixels(m_row.data() + from, m_over.data(), m_scene.alpha, to - from);
    }

    void layMask(int y)
    {
        if (m_scene.mask.isEmpty())
            return;
        const int from = m_scene.covered.left();
        const int to = m_scene.covered.right() + 1;
        m_scene.mask.read(y, from, to, m_hot.data(), m_maskScratch);
        core::blendColor(m_row.data() + from, pixelOf(m_scene.scene.maskColor), m_hot.data(), m_scene.alpha, to - from);
    }

    void layOnChecker(int y)
    {
        const CanvasScene& scene = m_scene.scene;
        const std::array ground{pixelOf(scene.checkerLight), pixelOf(scene.checkerDark)};
        const int row = (m_scene.part.top() + y) / scene.checkerSize;
        for (int x = 0; x < m_scene.part.width(); ++x) {
            const int square = row + (m_scene.part.left() + x) / scene.checkerSize;
            m_row[x] = core::blend(ground[square % 2], m_row[x], m_row[x] >> 24);
        }
    }

    const Scene& m_scene;
    std::vector<std::uint32_t> m_row;
    std::vector<std::uint32_t> m_over;
    std::vector<std::uint8_t> m_hot;
    ImageScratch m_baseScratch;
    ImageScratch m_overScratch;
    std::vector<std::uint8_t> m_maskScratch;
    bool m_transparent = false;
};

void composeInto(QImage& image, const Scene& scene)
{
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    QRgb* corner = reinterpret_cast<QRgb*>(image.bits()) + scene.part.top() * stride + scene.part.left();
    core::forRows(scene.part.height(), scene.part.width(),
                  [&](int first, int end) { RowComposer(scene).compose(first, end, corner + first * stride, stride); });
}

} // namespace

QImage composeCanvas(const CanvasScene& scene, const ViewTransform& view, QSize size, QImage room)
{
    const bool fits = room.size() == size && room.format() == QImage::Format_RGB32;
    QImage image = fits ? std::move(room) : QImage(size, QImage::Format_RGB32);
    image.fill(scene.ground);
    if (!scene.base || scene.content.isEmpty())
        return image;
    const QRect part = coveredPixels(view, QRectF({}, QSizeF(scene.content))).intersected(QRect({}, size));
    if (!part.isEmpty())
        composeInto(image, {scene, view, part});
    return image;
}

std::vector<std::uint8_t> maskOutline(std::span<const std::uint8_t> mask, QSize size)
{
    const int width = size.width();
    const int height = size.height();
    std::vector<std::uint8_t> outline(mask.size());
    const std::vector<std::uint8_t> cold(static_cast<std::size_t>(std::max(width, 0)));
    const auto row = [&](int y) {
        return y < 0 || y >= height ? cold.data() : mask.data() + static_cast<std::size_t>(y) * width;
    };
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* above = row(y - 1);
        const std::uint8_t* here = row(y);
        const std::uint8_t* below = row(y + 1);
        std::uint8_t* out = outline.data() + static_cast<std::size_t>(y) * width;
        for (int x = 1; x < width - 1; ++x) {
            const bool inner = (above[x] != 0) & (below[x] != 0) & (here[x - 1] != 0) & (here[x + 1] != 0);
            out[x] = (here[x] != 0) & !inner;
        }
        if (width > 0) {
            out[0] = here[0] != 0;
            out[width - 1] = here[width - 1] != 0;
        }
    }
    return outline;
}

} // namespace ui

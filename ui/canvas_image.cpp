// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_image.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ui {
namespace {

constexpr int mostSamples = 4;

/// For each device pixel of a row or column: which pixels of a layer it takes, and how much of each.
struct Axis
{
    int samples = 1;
    /// `samples` layer indices per device pixel.
    std::vector<int> index;
    /// Bilinear: part of the second of two samples, 0..256. Empty for nearest.
    std::vector<int> weight;

    bool sameRow(int a, int b) const
    {
        return weight.empty() &&
               std::equal(index.begin() + a * samples, index.begin() + (a + 1) * samples, index.begin() + b * samples);
    }
};

/// `scale`: device pixels per layer pixel; device pixels [from, to).
Axis makeAxis(double origin, double scale, int from, int to, int extent, bool smooth)
{
    Axis axis;
    const auto clamped = [extent](double position) {
        return std::clamp(static_cast<int>(std::floor(position)), 0, extent - 1);
    };
    if (smooth && scale > 1) {
        axis.samples = 2;
        for (int d = from; d < to; ++d) {
            const double position = (d + 0.5 - origin) / scale - 0.5;
            axis.index.insert(axis.index.end(), {clamped(position), clamped(position + 1)});
            axis.weight.push_back(static_cast<int>(256 * (position - std::floor(position))));
        }
        return axis;
    }
    axis.samples = std::clamp(static_cast<int>(std::ceil(1 / scale - 1e-9)), 1, mostSamples);
    for (int d = from; d < to; ++d)
        for (int s = 0; s < axis.samples; ++s)
            axis.index.push_back(clamped((d + (s + 0.5) / axis.samples - origin) / scale));
    return axis;
}

/// Components weighted with alpha, so that transparent pixels lend no colour.
struct Pixel
{
    unsigned r = 0, g = 0, b = 0, a = 0, weight = 0;

    void add(std::uint32_t rgba, unsigned w)
    {
        const unsigned alpha = rgba >> 24;
        r += w * alpha * (rgba & 255);
        g += w * alpha * (rgba >> 8 & 255);
        b += w * alpha * (rgba >> 16 & 255);
        a += w * alpha;
        weight += w;
    }
    std::uint32_t average() const
    {
        if (a == 0)
            return 0;
        return core::rgba((r + a / 2) / a, (g + a / 2) / a, (b + a / 2) / a, (a + weight / 2) / weight);
    }
};

std::uint32_t blend(std::uint32_t under, std::uint32_t over, unsigned alpha)
{
    const auto mix = [=](int shift) {
        const unsigned u = under >> shift & 255;
        const unsigned o = over >> shift & 255;
        return (u * (255 - alpha) + o * alpha + 127) / 255;
    };
    const unsigned a = std::max(under >> 24, alpha);
    return core::rgba(mix(0), mix(8), mix(16), a);
}

/// Device pixels whose centres lie in a rectangle of the content.
QRect coveredPixels(const ViewTransform& view, const QRectF& area)
{
    const QPointF first = view.toDevice(area.topLeft());
    const QPointF end = view.toDevice(area.bottomRight());
    const auto pixel = [](double edge) { return static_cast<int>(std::ceil(edge - 0.5)); };
    return {QPoint(pixel(first.x()), pixel(first.y())), QPoint(pixel(end.x()) - 1, pixel(end.y()) - 1)};
}

class Composer
{
public:
    Composer(const CanvasScene& scene, const ViewTransform& view, QRect part)
        : m_scene(scene), m_part(part), m_row(part.width())
    {
        const QRectF whole({}, QSizeF(scene.content));
        const QRectF area = scene.area.isEmpty() ? whole : scene.area;
        m_base = axes(view, whole, {scene.base->width, scene.base->height}, false);
        if (scene.over)
            m_over = axes(view, area, {scene.over->width, scene.over->height}, scene.smooth);
        if (!scene.mask.empty())
            m_mask = axes(view, area, scene.maskSize, scene.smooth);
        m_covered = coveredPixels(view, area).translated(-part.topLeft()).intersected(QRect({}, part.size()));
        m_alpha = static_cast<unsigned>(std::lround(255 * std::clamp(scene.opacity, 0.0, 1.0)));
        m_maskColor = core::rgba(scene.maskColor.red(), scene.maskColor.green(), scene.maskColor.blue());
    }

    void into(QImage& image)
    {
        const std::size_t bytes = sizeof(QRgb) * m_part.width();
        for (int y = 0; y < m_part.height(); ++y) {
            QRgb* line = reinterpret_cast<QRgb*>(image.scanLine(m_part.top() + y)) + m_part.left();
            if (y > 0 && !m_transparent && sameAsAbove(y))
                std::memcpy(line, line - image.bytesPerLine() / sizeof(QRgb), bytes);
            else
                composeRow(y, line);
        }
    }

private:
    struct Axes
    {
        Axis x;
        Axis y;
    };

    Axes axes(const ViewTransform& view, const QRectF& area, QSize layer, bool smooth) const
    {
        const double scaleX = view.scale * area.width() / layer.width();
        const double scaleY = view.scale * area.height() / layer.height();
        const QPointF origin = view.toDevice(area.topLeft());
        return {makeAxis(origin.x(), scaleX, m_part.left(), m_part.left() + m_part.width(), layer.width(), smooth),
                makeAxis(origin.y(), scaleY, m_part.top(), m_part.top() + m_part.height(), layer.height(), smooth)};
    }

    bool isCovered(int y) const { return y >= m_covered.top() && y <= m_covered.bottom(); }

    bool sameAsAbove(int y) const
    {
        return m_base.y.sameRow(y, y - 1) && isCovered(y) == isCovered(y - 1) &&
               (!m_scene.over || m_over.y.sameRow(y, y - 1)) && (m_scene.mask.empty() || m_mask.y.sameRow(y, y - 1));
    }

    /// Calls take(row index, column index, weight) for every sample of device pixel (x, y).
    template <class Take>
    static void samples(const Axes& axes, int x, int y, Take take)
    {
        const auto weightOf = [](const Axis& axis, int at, int sample) {
            return axis.weight.empty() ? 1U : static_cast<unsigned>(sample ? axis.weight[at] : 256 - axis.weight[at]);
        };
        for (int j = 0; j < axes.y.samples; ++j)
            for (int i = 0; i < axes.x.samples; ++i)
                take(axes.y.index[y * axes.y.samples + j], axes.x.index[x * axes.x.samples + i],
                     (weightOf(axes.y, y, j) * weightOf(axes.x, x, i) + 15) / 16);
    }

    static std::uint32_t sample(const core::Image& image, const Axes& axes, int x, int y)
    {
        if (axes.x.samples == 1 && axes.y.samples == 1)
            return image.row(axes.y.index[y])[axes.x.index[x]];
        Pixel pixel;
        samples(axes, x, y, [&](int row, int column, unsigned weight) { pixel.add(image.row(row)[column], weight); });
        return pixel.average();
    }

    /// Hot part of device pixel (x, y), 0..255.
    unsigned hotPart(int x, int y) const
    {
        unsigned hot = 0;
        unsigned all = 0;
        samples(m_mask, x, y, [&](int row, int column, unsigned weight) {
            hot += weight * (m_scene.mask[static_cast<std::size_t>(row) * m_scene.maskSize.width() + column] != 0);
            all += weight;
        });
        return (255 * hot + all / 2) / all;
    }

    void composeRow(int y, QRgb* line)
    {
        const int width = m_part.width();
        for (int x = 0; x < width; ++x)
            m_row[x] = sample(*m_scene.base, m_base, x, y);
        const int end = isCovered(y) ? m_covered.right() + 1 : 0;
        if (m_scene.over)
            for (int x = m_covered.left(); x < end; ++x) {
                const std::uint32_t over = sample(*m_scene.over, m_over, x, y);
                m_row[x] = blend(m_row[x], over, (over >> 24) * m_alpha / 255);
            }
        if (!m_scene.mask.empty())
            for (int x = m_covered.left(); x < end; ++x)
                if (const unsigned hot = hotPart(x, y))
                    m_row[x] = blend(m_row[x], m_maskColor, hot * m_alpha / 255);
        m_transparent = false;
        for (int x = 0; x < width; ++x)
            line[x] = overChecker(m_row[x], x, y);
    }

    QRgb overChecker(std::uint32_t pixel, int x, int y)
    {
        if (pixel >> 24 != 255) {
            m_transparent = true;
            const bool light = ((m_part.left() + x) / m_scene.checkerSize + (m_part.top() + y) / m_scene.checkerSize) % 2 == 0;
            const QColor& ground = light ? m_scene.checkerLight : m_scene.checkerDark;
            pixel = blend(core::rgba(ground.red(), ground.green(), ground.blue()), pixel, pixel >> 24);
        }
        return 0xff000000U | (pixel & 255) << 16 | (pixel & 0xff00) | (pixel >> 16 & 255);
    }

    const CanvasScene& m_scene;
    QRect m_part;
    /// Device pixels of the part on which `over` and `mask` lie, counted from the part's corner.
    QRect m_covered;
    std::vector<std::uint32_t> m_row;
    Axes m_base;
    Axes m_over;
    Axes m_mask;
    unsigned m_alpha = 255;
    std::uint32_t m_maskColor = 0;
    bool m_transparent = false;
};

} // namespace

QImage composeCanvas(const CanvasScene& scene, const ViewTransform& view, QSize size)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(scene.ground);
    if (!scene.base || scene.content.isEmpty())
        return image;
    const QRect part = coveredPixels(view, QRectF({}, QSizeF(scene.content))).intersected(QRect({}, size));
    if (!part.isEmpty())
        Composer(scene, view, part).into(image);
    return image;
}

std::vector<std::uint8_t> maskOutline(std::span<const std::uint8_t> mask, QSize size)
{
    const int width = size.width();
    const int height = size.height();
    std::vector<std::uint8_t> outline(mask.size());
    const auto hot = [&](int y, int x) {
        return y >= 0 && x >= 0 && y < height && x < width && mask[static_cast<std::size_t>(y) * width + x];
    };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            outline[static_cast<std::size_t>(y) * width + x] =
                hot(y, x) && !(hot(y - 1, x) && hot(y + 1, x) && hot(y, x - 1) && hot(y, x + 1));
    return outline;
}

} // namespace ui

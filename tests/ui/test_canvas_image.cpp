// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_image.h"
#include "ui/fade_cold.h"

#include <QTest>

#include <array>
#include <cmath>
#include <random>

namespace {

/// One pixel of a layer that a device pixel takes along an axis, and how much of it.
struct Sample
{
    int at;
    unsigned weight;
};

/// Samples of device pixel `d` along an axis of a layer of `extent` pixels, each `scale` device pixels wide, the first at
/// `origin`.
std::vector<Sample> samplesOf(int d, double origin, double scale, int extent, bool smooth)
{
    const auto at = [extent](double position) { return std::clamp(static_cast<int>(std::floor(position)), 0, extent - 1); };
    if (smooth && scale > 1) {
        const double position = (d + 0.5 - origin) / scale - 0.5;
        const auto second = static_cast<unsigned>(256 * (position - std::floor(position)));
        return {{at(position), 256 - second}, {at(position + 1), second}};
    }
    const int count = std::clamp(static_cast<int>(std::ceil(1 / scale - 1e-9)), 1, 4);
    std::vector<Sample> samples;
    for (int s = 0; s < count; ++s)
        samples.push_back({at((d + (s + 0.5) / count - origin) / scale), 1});
    return samples;
}

/// A layer of `size` pixels stretched over `area` of the content, seen on a canvas of `shown` device pixels.
class Placed
{
public:
    Placed(const ui::ViewTransform& view, const QRectF& area, QSize size, bool smooth, QSize shown) : m_width(size.width())
    {
        const QPointF origin = view.toDevice(area.topLeft());
        for (int x = 0; x < shown.width(); ++x)
            m_columns.push_back(samplesOf(x, origin.x(), view.scale * area.width() / size.width(), size.width(), smooth));
        for (int y = 0; y < shown.height(); ++y)
            m_rows.push_back(samplesOf(y, origin.y(), view.scale * area.height() / size.height(), size.height(), smooth));
    }

    /// Calls take(column, row, weight) for every pixel that device pixel `d` takes.
    template <class Take>
    void samples(QPoint d, Take take) const
    {
        for (const auto& y : m_rows[static_cast<std::size_t>(d.y())])
            for (const auto& x : m_columns[static_cast<std::size_t>(d.x())])
                take(x.at, y.at, (y.weight * x.weight + 15) / 16);
    }

    /// Averages weighted with alpha, in whole numbers.
    std::uint32_t pixel(QPoint d, const core::Image& image) const
    {
        std::uint64_t sums[3] = {};
        std::uint64_t a = 0;
        std::uint64_t all = 0;
        int count = 0;
        std::uint32_t last = 0;
        samples(d, [&](int x, int y, unsigned weight) {
            last = image.row(y)[x];
            ++count;
            for (int part = 0; part < 3; ++part)
                sums[part] += weight * std::uint64_t{last >> 24} * (last >> 8 * part & 255);
            a += weight * std::uint64_t{last >> 24};
            all += weight;
        });
        if (count == 1)
            return last;
        if (a == 0)
            return 0;
        const auto part = [&](int i) { return static_cast<unsigned>((sums[i] + a / 2) / a); };
        return core::rgba(part(0), part(1), part(2), static_cast<unsigned>((a + all / 2) / all));
    }

    unsigned hotPart(QPoint d, std::span<const std::uint8_t> mask) const
    {
        unsigned hot = 0;
        unsigned all = 0;
        samples(d, [&](int x, int y, unsigned weight) {
            hot += weight * (mask[static_cast<std::size_t>(y) * m_width + x] != 0);
            all += weight;
        });
        return (255 * hot + all / 2) / all;
    }

private:
    int m_width;
    std::vector<std::vector<Sample>> m_columns;
    std::vector<std::vector<Sample>> m_rows;
};

std::uint32_t mixed(std::uint32_t under, std::uint32_t over, unsigned alpha)
{
    std::uint32_t pixel = std::max(under >> 24, alpha) << 24;
    for (int shift = 0; shift < 24; shift += 8)
        pixel |= ((under >> shift & 255) * (255 - alpha) + (over >> shift & 255) * alpha + 127) / 255 << shift;
    return pixel;
}

std::uint32_t pixelOf(const QColor& color)
{
    return core::rgba(color.red(), color.green(), color.blue());
}

bool isInside(const ui::ViewTransform& view, const QRectF& area, QPoint d)
{
    const QPointF from = view.toDevice(area.topLeft());
    const QPointF to = view.toDevice(area.bottomRight());
    const auto inside = [](int at, double first, double end) {
        return at >= static_cast<int>(std::ceil(first - 0.5)) && at < static_cast<int>(std::ceil(end - 0.5));
    };
    return inside(d.x(), from.x(), to.x()) && inside(d.y(), from.y(), to.y());
}

/// The canvas by the book: no pixel knows of another.
QImage expected(const ui::CanvasScene& scene, const ui::ViewTransform& view, QSize shown)
{
    QImage image(shown, QImage::Format_RGB32);
    const QRectF whole({}, QSizeF(scene.content));
    const QRectF area = scene.area.isEmpty() ? whole : scene.area;
    const Placed base(view, whole, {scene.base->width, scene.base->height}, false, shown);
    const Placed over(view, area, scene.over ? QSize(scene.over->width, scene.over->height) : QSize(1, 1), scene.smooth, shown);
    const Placed mask(view, area, scene.mask.empty() ? QSize(1, 1) : scene.maskSize, scene.smooth, shown);
    const auto alpha = static_cast<unsigned>(std::lround(255 * scene.opacity));
    const auto pixelAt = [&](QPoint d) {
        std::uint32_t pixel = base.pixel(d, *scene.base);
        if (isInside(view, area, d)) {
            const std::uint32_t laid = scene.over ? over.pixel(d, *scene.over) : 0;
            pixel = mixed(pixel, laid, (laid >> 24) * alpha / 255);
            if (!scene.mask.empty())
                pixel = mixed(pixel, pixelOf(scene.maskColor), mask.hotPart(d, scene.mask) * alpha / 255);
        }
        const bool light = (d.x() / scene.checkerSize + d.y() / scene.checkerSize) % 2 == 0;
        return mixed(pixelOf(light ? scene.checkerLight : scene.checkerDark), pixel, pixel >> 24);
    };
    for (int y = 0; y < shown.height(); ++y)
        for (int x = 0; x < shown.width(); ++x) {
            const std::uint32_t pixel = isInside(view, whole, {x, y}) ? pixelAt({x, y}) : pixelOf(scene.ground);
            image.setPixel(x, y, qRgb(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255));
        }
    return image;
}

enum class Alpha { opaque, holes, any };

class Random
{
public:
    explicit Random(unsigned seed) : m_engine(seed) {}

    int upTo(int most) { return std::uniform_int_distribution<int>(0, most)(m_engine); }
    double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(m_engine); }

    core::Image image(QSize size, Alpha alpha)
    {
        core::Image image(size.width(), size.height());
        for (auto& pixel : image.pixels) {
            pixel = static_cast<std::uint32_t>(m_engine());
            if (alpha == Alpha::opaque || (alpha == Alpha::holes && upTo(9) != 0))
                pixel |= 0xff000000U;
            else if (alpha == Alpha::holes)
                pixel = upTo(1) * (pixel & 0x00ffffffU);
        }
        return image;
    }
    std::vector<std::uint8_t> mask(QSize size, int oneIn)
    {
        std::vector<std::uint8_t> mask(static_cast<std::size_t>(size.width()) * size.height());
        for (auto& hot : mask)
            hot = upTo(oneIn) == 0;
        return mask;
    }

private:
    std::mt19937 m_engine;
};

QSize scaled(QSize size, double factorX, double factorY)
{
    return {std::max(1, qRound(size.width() * factorX)), std::max(1, qRound(size.height() * factorY))};
}

} // namespace

class TestCanvasImage : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void composesEveryPixelByTheBook_data();
    void composesEveryPixelByTheBook();
    void outlinesAsCountedByHand();
    void fadesByTheBook();
};

void TestCanvasImage::composesEveryPixelByTheBook_data()
{
    QTest::addColumn<double>("scale");
    QTest::addColumn<double>("layerX");
    QTest::addColumn<double>("layerY");
    // Layer pixels per content pixel; the layers are enlarged where they have fewer than the canvas shows.
    for (const double scale : {0.13, 0.3, 0.37, 0.5, 0.61, 0.97, 1.0, 1.4, 2.0, 5.3})
        for (const auto& [x, y] : {std::pair{1.0, 1.0}, {0.2, 0.2}, {0.23, 1.7}, {1.9, 0.3}})
            QTest::addRow("scale %g, layer %g x %g", scale, x, y) << scale << x << y;
}

void TestCanvasImage::composesEveryPixelByTheBook()
{
    QFETCH(double, scale);
    QFETCH(double, layerX);
    QFETCH(double, layerY);
    // Every choice of layers and smoothness, some of them on another part of the base.
    constexpr int scenes = 12;
    for (int seed = 0; seed < scenes; ++seed) {
        Random random(static_cast<unsigned>(seed));
        // More than one turn of rows.
        const QSize shown(230 + random.upTo(40), 75 + random.upTo(20));
        const QSize content = scaled(shown, random.between(0.7, 1.3) / scale, random.between(0.7, 1.3) / scale);
        const QSize layer = scaled(content, layerX, layerY);
        const auto kind = [&] { return static_cast<Alpha>(random.upTo(2)); };
        const core::Image base = random.image(content, kind());
        const core::Image over = random.image(layer, kind());
        const auto mask = random.mask(layer, random.upTo(1) ? 3 : 60);
        ui::CanvasScene scene;
        scene.content = content;
        scene.base = &base;
        scene.over = seed % 2 ? &over : nullptr;
        if (seed / 2 % 2) {
            scene.mask = mask;
            scene.maskSize = layer;
        }
        scene.smooth = seed / 4 % 2;
        if (random.upTo(2) != 0)
            scene.area = QRectF(random.between(-0.2, 0.3) * content.width(), random.between(-0.2, 0.3) * content.height(),
                                random.between(0.4, 0.9) * content.width(), random.between(0.4, 1.1) * content.height());
        scene.maskColor = QColor(255, 64, 32);
        scene.opacity = random.upTo(3) == 0 ? random.upTo(1) : random.between(0, 1);
        scene.ground = QColor(20, 30, 40);
        scene.checkerLight = QColor(200, 200, 200);
        scene.checkerDark = QColor(150, 155, 160);
        ui::ViewTransform view{scale, {random.between(-40, 20), random.between(-20, 10)}};
        if (random.upTo(2) == 0)
            view.origin = view.origin.toPoint();
        const QImage image = ui::composeCanvas(scene, view, shown);
        const QImage wanted = expected(scene, view, shown);
        for (int y = 0; y < shown.height(); ++y)
            for (int x = 0; x < shown.width(); ++x)
                if (image.pixel(x, y) != wanted.pixel(x, y))
                    QFAIL(qPrintable(QStringLiteral("seed %1, pixel %2, %3: %4 instead of %5")
                                         .arg(seed)
                                         .arg(x)
                                         .arg(y)
                                         .arg(image.pixel(x, y), 8, 16)
                                         .arg(wanted.pixel(x, y), 8, 16)));
    }
}

void TestCanvasImage::outlinesAsCountedByHand()
{
    const auto outlined = [](QSize size, const std::vector<std::uint8_t>& mask) { return ui::maskOutline(mask, size); };
    using Mask = std::vector<std::uint8_t>;
    QCOMPARE(outlined({5, 4}, {1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1}),
             (Mask{1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1}));
    QCOMPARE(outlined({3, 3}, Mask(9, 1)), (Mask{1, 1, 1, 1, 0, 1, 1, 1, 1}));
    QCOMPARE(outlined({1, 1}, {1}), Mask{1});
    QCOMPARE(outlined({0, 0}, {}), Mask{});
    // A hole on a large ground, and the edge of the ground.
    const QSize size(300, 200);
    Mask mask(60000, 1);
    mask[100 * 300 + 77] = 0;
    const Mask outline = outlined(size, mask);
    for (int y = 0; y < 200; ++y)
        for (int x = 0; x < 300; ++x) {
            const bool isEdge = x == 0 || y == 0 || x == 299 || y == 199;
            const bool isBeside = std::abs(x - 77) + std::abs(y - 100) == 1;
            QCOMPARE(outline[static_cast<std::size_t>(y) * 300 + x], isEdge || isBeside);
        }
}

void TestCanvasImage::fadesByTheBook()
{
    constexpr int width = 310;
    constexpr int height = 130;
    constexpr std::array odd{NAN, HUGE_VALF, -HUGE_VALF, -1.0F, 3.0F, 1.0F};
    Random random(7);
    std::vector<float> values;
    for (int i = 0; i < width * height; ++i)
        values.push_back(random.upTo(20) ? static_cast<float>(random.between(-1.1, 3.1)) : odd[random.upTo(5)]);
    core::Frame frame;
    const core::Image picture = random.image({width, height}, Alpha::opaque);
    frame.picture = std::make_shared<core::Image>(picture);
    frame.map = core::Tensor::fromValues(core::DType::f32, {height, width}, values);
    frame.range = {-1, 3};
    for (const auto colors : {core::ColorMap::viridis, core::ColorMap::coolwarm}) {
        frame.colors = colors;
        const core::Image faded = ui::fadeCold(frame);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double place = std::clamp((values[i] + 1.0) / 4, 0.0, 1.0);
            const double part = colors == core::ColorMap::coolwarm ? std::abs(2 * place - 1) : place;
            const auto alpha = std::isfinite(values[i]) ? static_cast<std::uint32_t>(std::lround(255 * std::sqrt(part))) : 255U;
            QCOMPARE(faded.pixels[i], (picture.pixels[i] & 0xffffff) | alpha << 24);
        }
    }
}

QTEST_MAIN(TestCanvasImage)
#include "test_canvas_image.moc"

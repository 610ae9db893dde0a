// SPDX-License-Identifier: GPL-3.0-or-later
#include "frames.h"
#include "ui/canvas.h"
#include "ui/canvas_marks.h"
#include "ui/fade_cold.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using ui::Canvas;

namespace {

constexpr std::uint32_t red = core::rgba(200, 10, 20);
constexpr std::uint32_t green = core::rgba(30, 180, 40);
constexpr std::uint32_t blue = core::rgba(50, 60, 220);
constexpr std::uint32_t grey = core::rgba(128, 128, 128);

/// A 2 x 2 picture: red green / blue grey, values 1 2 / 3 4, the two right pixels hot.
std::shared_ptr<core::Frame> small(core::ViewKind view = core::ViewKind::channel)
{
    auto frame = std::make_shared<core::Frame>();
    frame->request.view = view;
    auto picture = std::make_shared<core::Image>(2, 2);
    picture->pixels = {red, green, blue, grey};
    frame->picture = picture;
    frame->map = core::Tensor::fromValues(core::DType::f32, {2, 2}, std::vector<float>{1, 2, 3, 4.5F});
    frame->mask = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{0, 1, 0, 1});
    frame->range = {1, 4.5};
    return frame;
}

QRgb rgb(std::uint32_t color)
{
    return qRgb(static_cast<int>(color & 255), static_cast<int>(color >> 8 & 255), static_cast<int>(color >> 16 & 255));
}

/// The first device pixel of the window's pixel `at`.
QRgb pixelOf(const QImage& image, QPoint at)
{
    return image.pixel(at * qRound(image.devicePixelRatio()));
}

QRgb painted(QWidget& canvas, QPoint at)
{
    return pixelOf(canvas.grab().toImage(), at);
}

/// Middle of pixel (x, y) of a fitted `width` x `height` picture on a canvas of 224 x 224: the fit leaves 12 pixels around.
QPoint middle(int x, int y, int width, int height)
{
    return {12 + (2 * x + 1) * 200 / (2 * width), 12 + (2 * y + 1) * 200 / (2 * height)};
}

void wheel(Canvas& canvas, QPointF at, int steps, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWheelEvent event(at, canvas.mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&canvas, &event);
}

} // namespace

class TestCanvas : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void paintsEachPixelInItsColor();
    void findsThePixelUnderTheCursor();
    void zoomsAtTheCursor();
    void keepsThePointUnderTheCursorAtTheEdges();
    void keepsThePictureInSight_data();
    void keepsThePictureInSight();
    void keepsATileInSight();
    void revealsTheCrosshair();
    void revealsTheCrosshairInAWall();
    void tellsTheValueInAWall();
    void zoomsToOneToOne();
    void pans();
    void fitsAgainWhenResized();
    void paintsTheMaskOverThePicture();
    void paintsANewMaskOverTheSamePicture();
    void paintsTheMaskOverAnImage();
    void laysAPlaneOnThePartOfAPicture();
    void readsPixelsOfAPlaneOnPartOfAPicture();
    void outlinesTheMask();
    void showsTransparencyAsACheckerboard();
    void averagesWhatFallsTogether();
    void printsLegibleValuesOnEveryPicture();
    void interpolatesBetweenPixelCentres();
    void showsARowAsABand();
    void showsAFewLongRowsAsABand();
    void goesToTheTileClicked();
    void marksThePixelClicked();
    void doesNotClickAfterADrag();
    void stepsSlicesWithCtrlWheel();
    void tellsTheValueAgainWhenTheFrameChanges();
    void fadesCold();
    void tellsTheZoomOfEachKindOfPicture();
    void survivesNothing();

private:
    /// Window pixels per picture pixel: the same on every screen when fitted.
    double zoom() const { return m_canvas->zoom() / m_canvas->devicePixelRatioF(); }

    std::unique_ptr<Canvas> m_canvas;
};

void TestCanvas::init()
{
    m_canvas = std::make_unique<Canvas>();
    m_canvas->resize(224, 224);
    m_canvas->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_canvas.get()));
}

void TestCanvas::paintsEachPixelInItsColor()
{
    m_canvas->setFrame(small());
    QCOMPARE(zoom(), 100.0);
    const QImage image = m_canvas->grab().toImage();
    // Just inside the corners of each square; values are printed in the middle.
    for (const auto& [x, y, color] : {std::tuple{0, 0, red}, {1, 0, green}, {0, 1, blue}, {1, 1, grey}}) {
        const QPoint corner(12 + 100 * x, 12 + 100 * y);
        QCOMPARE(pixelOf(image, corner), rgb(color));
        QCOMPARE(pixelOf(image, corner + QPoint(99, 99)), rgb(color));
    }
    QVERIFY(pixelOf(image, {11, 50}) != rgb(red));
    QVERIFY(pixelOf(image, {212, 50}) != rgb(green));
}

void TestCanvas::printsLegibleValuesOnEveryPicture()
{
    // One value over a picture of black and white stripes: each stroke is seen on both.
    const auto map = core::Tensor::fromValues(core::DType::f32, {1, 1}, std::vector<float>{8});
    QImage picture(200, 200, QImage::Format_RGB32);
    for (int y = 0; y < 200; ++y)
        for (int x = 0; x < 200; ++x)
            picture.setPixel(x, y, x / 3 % 2 ? qRgb(255, 255, 255) : qRgb(0, 0, 0));
    QImage seen = picture;
    {
        QPainter painter(&seen);
        ui::drawValues(painter, {{}, QRectF(0, 0, 200, 200), {1, 1}}, map, picture);
    }
    // Ink on stripes of its own colour stands out by the rim beside it.
    int onBlack = 0;
    int onWhite = 0;
    for (int y = 0; y < 200; ++y)
        for (int x = 0; x < 200; ++x) {
            onBlack += qGray(picture.pixel(x, y)) == 0 && qGray(seen.pixel(x, y)) > 127;
            onWhite += qGray(picture.pixel(x, y)) == 255 && qGray(seen.pixel(x, y)) < 128;
        }
    QVERIFY2(onBlack > 5 && onWhite > 5, qPrintable(QStringLiteral("%1 %2").arg(onBlack).arg(onWhite)));
}

void TestCanvas::findsThePixelUnderTheCursor()
{
    m_canvas->setFrame(small());
    const auto pixel = m_canvas->pixelAt(QPointF(12 + 100, 12 + 199));
    QVERIFY(pixel);
    QCOMPARE(pixel->x, 1);
    QCOMPARE(pixel->y, 1);
    QCOMPARE(pixel->value, QStringLiteral("4.5"));
    QCOMPARE(pixel->hot, std::optional(true));
    QVERIFY(!pixel->channel && !pixel->imagePixel);
    QCOMPARE(m_canvas->pixelAt(QPointF(12 + 99.9, 12))->x, 0);
    QVERIFY(!m_canvas->pixelAt(QPointF(11, 50)));
    QVERIFY(!m_canvas->pixelAt(QPointF(50, 212)));
}

void TestCanvas::zoomsAtTheCursor()
{
    const auto tensor = frames::tensor({1, 1, 50, 50});
    core::Request request;
    request.view = core::ViewKind::channel;
    m_canvas->setFrame(frames::frame(tensor, request));
    const QPointF at(70, 133);
    const auto before = m_canvas->pixelAt(at);
    for (int i = 0; i < 12; ++i) {
        wheel(*m_canvas, at, 1);
        const auto now = m_canvas->pixelAt(at);
        QVERIFY(now);
        QCOMPARE(now->x, before->x);
        QCOMPARE(now->y, before->y);
    }
    QVERIFY(zoom() > 4 * 12);
    wheel(*m_canvas, at, -12);
    QCOMPARE(zoom(), 4.0);
}

void TestCanvas::keepsThePointUnderTheCursorAtTheEdges()
{
    ui::CanvasView view;
    view.setCanvas({224, 224});
    view.setContent({50, 50});
    const QPointF at(13, 211);
    const QPointF before = view.transform().toContent(at);
    view.zoomTo(31.7, at);
    const QPointF after = view.transform().toContent(at);
    QVERIFY(qAbs(after.x() - before.x()) < 1e-9 && qAbs(after.y() - before.y()) < 1e-9);
    view.zoomTo(1e9, at);
    QCOMPARE(view.transform().scale, 256.0);
}

void TestCanvas::keepsThePictureInSight_data()
{
    QTest::addColumn<double>("scale");
    for (const double scale : {0.5, 1.0, 3.0, 31.7, 256.0})
        QTest::addRow("%g", scale) << scale;
}

/// However far it is dragged, along each axis all of the picture or half the canvas of it stays in sight.
void TestCanvas::keepsThePictureInSight()
{
    QFETCH(double, scale);
    ui::CanvasView view;
    view.setCanvas({224, 150});
    view.setContent({50, 40});
    view.zoomTo(scale, {112, 75});
    for (const QPointF far : {QPointF(1e6, 1e6), QPointF(-1e6, 1e6), QPointF(1e6, -1e6), QPointF(-1e6, -1e6)}) {
        view.pan(far);
        const QRectF seen = view.deviceRect().intersected(QRectF(0, 0, 224, 150));
        QVERIFY(seen.width() >= std::min(112.0, 50 * scale) - 1e-6);
        QVERIFY(seen.height() >= std::min(75.0, 40 * scale) - 1e-6);
    }
    // Fitted again, it is where it was at first.
    view.fit();
    QVERIFY((view.deviceRect().center() - QPointF(112, 75)).manhattanLength() <= 1);
}

/// The corner of a wall whose last row ends early has nothing to see.
void TestCanvas::keepsATileInSight()
{
    ui::CanvasView view;
    view.setCanvas({200, 200});
    view.setContent({32, 32}, QRect(QPoint(10, 22), QPoint(31, 31)));
    view.zoomTo(100, {0, 0});
    view.pan({-1e6, -1e6});
    const QPointF corner = view.transform().toDevice({10, 22});
    QVERIFY(corner.x() > 0 || corner.y() > 0);
}

void TestCanvas::revealsTheCrosshair()
{
    const auto tensor = frames::tensor({1, 1, 50, 50});
    core::Request request;
    request.view = core::ViewKind::channel;
    m_canvas->setFrame(frames::frame(tensor, request));
    m_canvas->setCrosshair(QPoint(3, 44));
    m_canvas->revealCrosshair();
    // In sight already: nothing moves.
    QCOMPARE(m_canvas->pixelAt({12 + 2, 12 + 2})->x, 0);
    m_canvas->zoomTo(40 * m_canvas->devicePixelRatioF());
    QVERIFY(m_canvas->pixelAt({112, 112})->y != 44);
    m_canvas->revealCrosshair();
    QCOMPARE(m_canvas->pixelAt({112, 112})->x, 3);
    QCOMPARE(m_canvas->pixelAt({112, 112})->y, 44);
    m_canvas->setCrosshair(QPoint(4, 43));
    m_canvas->revealCrosshair();
    QCOMPARE(m_canvas->pixelAt({112, 112})->y, 44);
    // Also in the very corner.
    m_canvas->setCrosshair(QPoint(49, 49));
    m_canvas->revealCrosshair();
    QCOMPARE(m_canvas->pixelAt({110, 110})->x, 49);
}

void TestCanvas::revealsTheCrosshairInAWall()
{
    const auto tensor = frames::tensor({1, 9, 10, 10});
    core::Request request;
    request.view = core::ViewKind::wall;
    m_canvas->setFrame(frames::frame(tensor, request));
    m_canvas->setCurrentChannel(7);
    m_canvas->setCrosshair(QPoint(2, 9));
    m_canvas->zoomTo(60 * m_canvas->devicePixelRatioF());
    m_canvas->revealCrosshair();
    const auto pixel = m_canvas->pixelAt({112, 112});
    QVERIFY(pixel);
    QCOMPARE(pixel->channel, std::optional<std::int64_t>(7));
    QCOMPARE(pixel->x, 2);
    QCOMPARE(pixel->y, 9);
}

void TestCanvas::tellsTheValueInAWall()
{
    const auto tensor = frames::tensor({1, 4, 2, 2});
    core::Request request;
    request.view = core::ViewKind::wall;
    auto frame = frames::frame(tensor, request);
    // Tiles of 2 x 2 in two columns; each shows every third pixel of a plane of 6 x 6.
    frame->wall->channels = {3, 0, 2, 1};
    frame->wall->step = 3;
    auto tiles = std::make_shared<std::vector<core::Tensor>>();
    for (float first : {30.F, 0.F, 20.F, 10.F})
        tiles->push_back(
            core::Tensor::fromValues(core::DType::f32, {2, 2}, std::vector<float>{first, first + 1, first + 2, first + 3.5F}));
    frame->tiles = tiles;
    m_canvas->setFrame(frame);
    // The first tile's lower right pixel: content (1, 1) of 5, 40 window pixels each.
    const auto pixel = m_canvas->pixelAt({12 + 1.5 * 40, 12 + 1.5 * 40});
    QVERIFY(pixel);
    QCOMPARE(pixel->channel, std::optional<std::int64_t>(3));
    QCOMPARE(pixel->value, QStringLiteral("33.5"));
    QCOMPARE(pixel->x, 3);
    QCOMPARE(pixel->y, 3);
    QCOMPARE(pixel->step, 3);
    QCOMPARE(m_canvas->pixelAt({12 + 3.5 * 40, 12 + 3.5 * 40})->value, QStringLiteral("10"));
}

void TestCanvas::zoomsToOneToOne()
{
    m_canvas->setFrame(small());
    QSignalSpy zoomed(m_canvas.get(), &Canvas::zoomChanged);
    m_canvas->zoomTo(1);
    QCOMPARE(zoomed.last().first().toDouble(), 1.0);
    const QImage image = m_canvas->grab().toImage();
    int reds = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            reds += image.pixel(x, y) == rgb(red);
    QCOMPARE(reds, 1);
    m_canvas->fit();
    QCOMPARE(zoom(), 100.0);
}

void TestCanvas::pans()
{
    m_canvas->setFrame(small());
    QTest::mousePress(m_canvas.get(), Qt::LeftButton, {}, {50, 50});
    QTest::mouseMove(m_canvas.get(), {90, 80});
    QMouseEvent move(QEvent::MouseMove, QPointF(90, 80), m_canvas->mapToGlobal(QPointF(90, 80)), Qt::NoButton, Qt::LeftButton,
                     {});
    QApplication::sendEvent(m_canvas.get(), &move);
    QTest::mouseRelease(m_canvas.get(), Qt::LeftButton, {}, {90, 80});
    QCOMPARE(painted(*m_canvas, {12 + 40, 12 + 30}), rgb(red));
    QVERIFY(painted(*m_canvas, {12 + 39, 12 + 30}) != rgb(red));
}

void TestCanvas::fitsAgainWhenResized()
{
    m_canvas->setFrame(small());
    m_canvas->resize(424, 424);
    QTRY_COMPARE(zoom(), 200.0);
    m_canvas->zoomTo(7 * m_canvas->devicePixelRatioF());
    m_canvas->resize(224, 224);
    QTRY_COMPARE(m_canvas->width(), 224);
    QCOMPARE(zoom(), 7.0);
}

void TestCanvas::paintsTheMaskOverThePicture()
{
    m_canvas->setFrame(small());
    ui::CanvasLook look;
    look.mask = true;
    look.opacity = 0.5;
    m_canvas->setLook(look);
    const QPoint inGreen(12 + 100 + 3, 12 + 3);
    // Half of hot (255, 64, 32) and half of green (30, 180, 40), by hand; 128 of 255 is the nearest to a half.
    const QColor mixed(painted(*m_canvas, inGreen));
    QVERIFY(qAbs(mixed.red() - 143) <= 1 && qAbs(mixed.green() - 122) <= 1 && qAbs(mixed.blue() - 36) <= 1);
    QCOMPARE(painted(*m_canvas, {15, 15}), rgb(red));
    look.opacity = 1;
    m_canvas->setLook(look);
    QCOMPARE(painted(*m_canvas, inGreen), rgb(core::hotColor));
    look.mask = false;
    m_canvas->setLook(look);
    QCOMPARE(painted(*m_canvas, inGreen), rgb(green));
}

void TestCanvas::paintsANewMaskOverTheSamePicture()
{
    ui::CanvasLook look;
    look.mask = true;
    look.opacity = 1;
    m_canvas->setLook(look);
    const auto frame = small();
    m_canvas->setFrame(frame);
    const QPoint coldFirst = middle(0, 0, 2, 2) - QPoint(40, 40);
    QCOMPARE(painted(*m_canvas, coldFirst), rgb(red));
    // As frames of a drag follow each other: the picture stays.
    const auto next = std::make_shared<core::Frame>(*frame);
    m_canvas->setFrame(next);
    QCOMPARE(painted(*m_canvas, coldFirst), rgb(red));
    const auto hotter = std::make_shared<core::Frame>(*frame);
    hotter->mask = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 1, 1, 1});
    m_canvas->setFrame(hotter);
    QCOMPARE(painted(*m_canvas, coldFirst), ui::maskColor().rgb());
    m_canvas->setFrame(next);
    QCOMPARE(painted(*m_canvas, coldFirst), rgb(red));
}

void TestCanvas::paintsTheMaskOverAnImage()
{
    m_canvas->setFrame(small(core::ViewKind::mask));
    m_canvas->setOverlayImage(std::make_shared<core::Image>(8, 8, blue));
    ui::CanvasLook look;
    look.mask = true;
    look.opacity = 1;
    m_canvas->setLook(look);
    QCOMPARE(zoom(), 25.0);
    // The mask's right half covers image columns 4 to 7.
    QCOMPARE(painted(*m_canvas, middle(3, 1, 8, 8)), rgb(blue));
    QCOMPARE(painted(*m_canvas, QPoint(12 + 100, 12 + 10)), rgb(core::hotColor));
    QCOMPARE(painted(*m_canvas, QPoint(12 + 99, 12 + 10)), rgb(blue));
    const auto pixel = m_canvas->pixelAt(middle(5, 6, 8, 8));
    QCOMPARE(pixel->imagePixel, std::optional(QPoint(5, 6)));
    QCOMPARE(pixel->x, 1);
    QCOMPARE(pixel->y, 1);
    look.overImage = false;
    m_canvas->setLook(look);
    QCOMPARE(zoom(), 100.0);
}

void TestCanvas::laysAPlaneOnThePartOfAPicture()
{
    // A network got 28 x 28 from columns 5 to 40 and rows 3.5 to 38.5 of 60 x 40; its plane has 14 x 14 cells of 2.5 pixels.
    const core::Image base(60, 40, blue);
    core::Image over(14, 14);
    std::vector<std::uint8_t> mask(14 * 14);
    for (int y = 0; y < 14; ++y)
        for (int x = 0; x < 14; ++x) {
            over.row(y)[x] = core::rgba(static_cast<unsigned>(10 * x), static_cast<unsigned>(10 * y), 77);
            mask[static_cast<std::size_t>(14 * y + x)] = (x + y) % 3 == 0;
        }
    ui::CanvasScene scene;
    scene.content = {60, 40};
    scene.base = &base;
    scene.over = &over;
    scene.mask = mask;
    scene.maskSize = {14, 14};
    scene.maskColor = QColor(255, 64, 32);
    scene.area = {5, 3.5, 35, 35};
    for (const int scale : {1, 3}) {
        const QImage image = ui::composeCanvas(scene, {static_cast<double>(scale), {7, 2}}, {200, 150});
        for (int y = 0; y < 40 * scale; ++y)
            for (int x = 0; x < 60 * scale; ++x) {
                // The middle of the canvas' pixel, in cells.
                const double column = ((x + 0.5) / scale - 5) / 2.5;
                const double row = ((y + 0.5) / scale - 3.5) / 2.5;
                const bool inside = column >= 0 && column < 14 && row >= 0 && row < 14;
                const int cx = static_cast<int>(column);
                const int cy = static_cast<int>(row);
                const QRgb expected = !inside ? rgb(blue) : (cx + cy) % 3 == 0 ? qRgb(255, 64, 32) : qRgb(10 * cx, 10 * cy, 77);
                QVERIFY2(image.pixel(7 + x, 2 + y) == expected,
                         qPrintable(QStringLiteral("scale %1 x %2 y %3").arg(scale).arg(x).arg(y)));
            }
    }
}

void TestCanvas::readsPixelsOfAPlaneOnPartOfAPicture()
{
    auto frame = small();
    m_canvas->setFrame(frame);
    // The plane's 2 x 2 lie on columns 2 to 5 of 8 and on rows -1 to 2.
    m_canvas->setOverlayImage(std::make_shared<core::Image>(8, 8, blue), QRectF(2, -1, 4, 4));
    ui::CanvasLook look;
    look.opacity = 1;
    m_canvas->setLook(look);
    QCOMPARE(zoom(), 25.0);
    QVERIFY(!m_canvas->pixelAt(middle(1, 1, 8, 8)));
    QVERIFY(!m_canvas->pixelAt(middle(3, 3, 8, 8)));
    QVERIFY(!m_canvas->pixelAt(QPointF(12 + 75, 12 - 5)));
    for (const auto& [at, cell] : {std::pair{QPoint(2, 0), QPoint(0, 0)},
                                   {QPoint(3, 1), QPoint(0, 1)},
                                   {QPoint(4, 0), QPoint(1, 0)},
                                   {QPoint(5, 2), QPoint(1, 1)}}) {
        const auto pixel = m_canvas->pixelAt(middle(at.x(), at.y(), 8, 8));
        QVERIFY(pixel);
        QCOMPARE(QPoint(static_cast<int>(pixel->x), static_cast<int>(pixel->y)), cell);
        QCOMPARE(pixel->imagePixel, std::optional(at));
    }
}

void TestCanvas::outlinesTheMask()
{
    const std::vector<std::uint8_t> mask(25, 1);
    const auto outline = ui::maskOutline(mask, {5, 5});
    QCOMPARE(std::count(outline.begin(), outline.end(), 1), 16);
    QCOMPARE(outline[12], 0);

    m_canvas->setFrame(small());
    ui::CanvasLook look;
    look.mask = true;
    look.contour = true;
    m_canvas->setLook(look);
    // A line along the edge between the left and the right pixels, nothing inside.
    QCOMPARE(painted(*m_canvas, {12 + 100, 12 + 30}), rgb(core::hotColor));
    QCOMPARE(painted(*m_canvas, {12 + 110, 12 + 30}), rgb(green));
}

void TestCanvas::showsTransparencyAsACheckerboard()
{
    auto frame = small();
    auto picture = std::make_shared<core::Image>(2, 2, core::rgba(255, 0, 0, 0));
    frame->picture = picture;
    frame->map.reset();
    m_canvas->setFrame(frame);
    const QRgb one = painted(*m_canvas, {16, 16});
    const QRgb other = painted(*m_canvas, {24, 16});
    QVERIFY(one != other);
    QCOMPARE(painted(*m_canvas, {24, 24}), one);
    QVERIFY(qRed(one) == qGreen(one));
}

void TestCanvas::averagesWhatFallsTogether()
{
    core::Image stripes(8, 8);
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            stripes.row(y)[x] = x % 2 ? core::rgba(255, 255, 255) : core::rgba(0, 0, 0);
    ui::CanvasScene scene;
    scene.content = {8, 8};
    scene.base = &stripes;
    const QImage image = ui::composeCanvas(scene, {0.5, {0, 0}}, {4, 4});
    for (int x = 0; x < 4; ++x)
        QVERIFY(qAbs(qRed(image.pixel(x, 2)) - 128) <= 1);
}

void TestCanvas::interpolatesBetweenPixelCentres()
{
    // Two pixels, black and white, over 8 x 4: centres at 2 and 6; between them linear in quarters, constant outside.
    const core::Image base(8, 4, core::rgba(0, 0, 0));
    core::Image over(2, 1);
    over.pixels = {core::rgba(0, 0, 0), core::rgba(255, 255, 255)};
    ui::CanvasScene scene;
    scene.content = {8, 4};
    scene.base = &base;
    scene.over = &over;
    scene.smooth = true;
    const QImage image = ui::composeCanvas(scene, {1, {0, 0}}, {8, 4});
    const std::array<double, 8> expected{0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1};
    for (int x = 0; x < 8; ++x)
        QVERIFY2(qAbs(qRed(image.pixel(x, 1)) - 255 * expected[static_cast<std::size_t>(x)]) <= 2,
                 qPrintable(QStringLiteral("x %1: %2").arg(x).arg(qRed(image.pixel(x, 1)))));
    scene.smooth = false;
    QCOMPARE(qRed(ui::composeCanvas(scene, {1, {0, 0}}, {8, 4}).pixel(3, 1)), 0);
    QCOMPARE(qRed(ui::composeCanvas(scene, {1, {0, 0}}, {8, 4}).pixel(4, 1)), 255);
}

void TestCanvas::showsARowAsABand()
{
    auto frame = small();
    frame->picture = std::make_shared<core::Image>(120, 1, blue);
    frame->map.reset();
    frame->mask.reset();
    m_canvas->setFrame(frame);
    // 10 content rows for 120 columns.
    const double scale = zoom();
    QCOMPARE(painted(*m_canvas, {112, static_cast<int>(112 + 4.5 * scale)}), rgb(blue));
    QVERIFY(painted(*m_canvas, {112, static_cast<int>(112 + 6 * scale)}) != rgb(blue));
    QCOMPARE(m_canvas->pixelAt(QPointF(112, 112 + 4 * scale))->y, 0);
}

void TestCanvas::showsAFewLongRowsAsABand()
{
    auto frame = small();
    auto picture = std::make_shared<core::Image>(4800, 3, blue);
    std::fill_n(picture->row(1), 4800, red);
    frame->picture = picture;
    frame->map.reset();
    frame->mask.reset();
    m_canvas->setFrame(frame);
    // 200 content rows: a third of them for each row.
    const double third = 200.0 / 3 * zoom();
    QVERIFY(third > 2);
    const auto at = [&](double rows) { return QPoint(112, static_cast<int>(112 + rows * third)); };
    QCOMPARE(painted(*m_canvas, at(0)), rgb(red));
    QCOMPARE(painted(*m_canvas, at(-1)), rgb(blue));
    QVERIFY(painted(*m_canvas, at(-2.5)) != rgb(blue));
    QCOMPARE(m_canvas->pixelAt(QPointF(at(1)))->y, 2);
    // Thin, but seen as it is.
    frame->picture = std::make_shared<core::Image>(4800, 60, blue);
    m_canvas->setFrame(frame);
    QVERIFY(painted(*m_canvas, {112, static_cast<int>(112 + 40 * zoom())}) != rgb(blue));
}

void TestCanvas::goesToTheTileClicked()
{
    const auto tensor = frames::tensor({1, 9, 10, 10});
    core::Request request;
    request.view = core::ViewKind::wall;
    auto frame = frames::frame(tensor, request);
    // As if sorted: the tile in the middle is channel 7.
    frame->wall->channels = {8, 1, 2, 3, 7, 5, 6, 4, 0};
    m_canvas->setFrame(frame);
    QSignalSpy clicked(m_canvas.get(), &Canvas::channelClicked);
    QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, {112, 112});
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.first().first().toLongLong(), 7);
    const auto pixel = m_canvas->pixelAt(QPointF(112, 112));
    QCOMPARE(pixel->channel, std::optional<std::int64_t>(7));
    QCOMPARE(pixel->x, 5);
    // The gap between tiles belongs to none: 32 pixels at scale 6, the gap at content column 10.
    const int gap = 112 - 96 + 10 * 6 + 3;
    QVERIFY(!m_canvas->pixelAt(QPointF(gap, 112)));
    QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, {gap, 112});
    QCOMPARE(clicked.size(), 1);
}

void TestCanvas::marksThePixelClicked()
{
    m_canvas->setFrame(small());
    QSignalSpy clicked(m_canvas.get(), &Canvas::pixelClicked);
    QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, {150, 60});
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.first().first().toPoint(), QPoint(1, 0));
    const QRgb before = painted(*m_canvas, {30, 62});
    m_canvas->setCrosshair(QPoint(1, 0));
    QCOMPARE(before, rgb(red));
    QCOMPARE(painted(*m_canvas, {30, 62}), qRgb(255, 255, 255));
}

void TestCanvas::doesNotClickAfterADrag()
{
    m_canvas->setFrame(small());
    QSignalSpy clicked(m_canvas.get(), &Canvas::pixelClicked);
    QTest::mousePress(m_canvas.get(), Qt::LeftButton, {}, {50, 50});
    QMouseEvent move(QEvent::MouseMove, QPointF(90, 80), m_canvas->mapToGlobal(QPointF(90, 80)), Qt::NoButton, Qt::LeftButton,
                     {});
    QApplication::sendEvent(m_canvas.get(), &move);
    QTest::mouseRelease(m_canvas.get(), Qt::LeftButton, {}, {90, 80});
    QCOMPARE(clicked.size(), 0);
}

void TestCanvas::stepsSlicesWithCtrlWheel()
{
    m_canvas->setFrame(small());
    QSignalSpy stepped(m_canvas.get(), &Canvas::depthStepRequested);
    wheel(*m_canvas, {100, 100}, 1, Qt::ControlModifier);
    wheel(*m_canvas, {100, 100}, -1, Qt::ControlModifier);
    QCOMPARE(stepped.size(), 2);
    QCOMPARE(stepped[0].first().toInt(), -1);
    QCOMPARE(stepped[1].first().toInt(), 1);
    QCOMPARE(zoom(), 100.0);
}

void TestCanvas::tellsTheValueAgainWhenTheFrameChanges()
{
    m_canvas->setFrame(small());
    QSignalSpy hovered(m_canvas.get(), &Canvas::hovered);
    QTest::mouseMove(m_canvas.get(), {50, 50});
    QTRY_COMPARE(hovered.size(), 1);
    auto next = small();
    next->map = core::Tensor::fromValues(core::DType::f32, {2, 2}, std::vector<float>{9, 2, 3, 4});
    m_canvas->setFrame(next);
    QCOMPARE(hovered.size(), 2);
    QCOMPARE(hovered.last().first().value<ui::CanvasPixel>().value, QStringLiteral("9"));
}

void TestCanvas::fadesCold()
{
    const auto frame = small();
    const core::Image faded = ui::fadeCold(*frame);
    QCOMPARE(faded.pixels[0] >> 24, 0U);
    // 255 sqrt((2 - 1) / 3.5) = 136.3.
    QCOMPARE(faded.pixels[1] >> 24, 136U);
    QCOMPARE(faded.pixels[3], grey);
    QCOMPARE(faded.pixels[1] & 0xffffff, green & 0xffffff);
}

void TestCanvas::tellsTheZoomOfEachKindOfPicture()
{
    const auto tensor = frames::tensor({1, 9, 10, 10});
    core::Request request;
    request.view = core::ViewKind::wall;
    const double ratio = m_canvas->devicePixelRatioF();
    QSignalSpy told(m_canvas.get(), &Canvas::zoomChanged);
    m_canvas->setFrame(small());
    QCOMPARE(told.last().first().toDouble() / ratio, 100.0);
    m_canvas->setFrame(frames::frame(tensor, request));
    // 200 pixels for 3 tiles of 10 and 2 gaps.
    QCOMPARE(told.last().first().toDouble() / ratio, 6.0);
    m_canvas->setFrame(small());
    QCOMPARE(told.last().first().toDouble() / ratio, 100.0);
}

void TestCanvas::survivesNothing()
{
    QVERIFY(!m_canvas->pixelAt({50, 50}));
    m_canvas->zoomBy(2);
    wheel(*m_canvas, {10, 10}, 1);
    m_canvas->setFrame(std::make_shared<core::Frame>());
    QVERIFY(!m_canvas->picture().isNull());
    m_canvas->clear();
    QVERIFY(!m_canvas->grab().isNull());
}

QTEST_MAIN(TestCanvas)
#include "test_canvas.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/render/render.h"

#include <QTest>

using namespace core;

namespace {

Tensor maskOf(std::int64_t height, std::int64_t width, const std::vector<std::uint8_t>& hot)
{
    return Tensor::fromValues(DType::boolean, {height, width}, hot);
}

/// Which pixels are not black, as 0 and 1.
std::vector<int> changed(const Image& image)
{
    std::vector<int> result;
    for (const auto pixel : image.pixels)
        result.push_back(pixel != rgba(0, 0, 0));
    return result;
}

constexpr std::uint32_t black = rgba(0, 0, 0);
constexpr std::uint32_t white = rgba(255, 255, 255);

} // namespace

class TestOverlay : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void masksBecomeBlackAndWhite()
    {
        QCOMPARE(maskImage(maskOf(2, 2, {0, 1, 1, 0})).pixels, (std::vector<std::uint32_t>{black, white, white, black}));
    }

    void hotPixelsAreBlended()
    {
        const Image base(2, 1, rgba(100, 100, 100));
        const auto image = overlay(base, maskOf(1, 2, {0, 1}), rgba(255, 64, 32), 0.5, false);
        QCOMPARE(image.pixels, (std::vector<std::uint32_t>{rgba(100, 100, 100), rgba(178, 82, 66)}));
        QCOMPARE(overlay(base, maskOf(1, 2, {0, 1}), hotColor, 0, false).pixels, base.pixels);
        QCOMPARE(overlay(base, maskOf(1, 2, {1, 1}), hotColor, 1, false).pixels, (std::vector{hotColor, hotColor}));
    }

    void transparentBaseTakesTheColor()
    {
        const Image base(1, 1, rgba(9, 9, 9, 0));
        QCOMPARE(overlay(base, maskOf(1, 1, {1}), hotColor, 1, false).pixels[0], hotColor);
        QCOMPARE(overlay(base, maskOf(1, 1, {1}), hotColor, 0, false).pixels[0], 0U);
    }

    /// 2 mask columns over 5 pixels: centres at .5, 1.5, 2.5 | 3.5, 4.5 of 2.5 each; the middle falls on the border, to the
    /// right.
    void masksOfOtherSizesAreAligned()
    {
        QCOMPARE(changed(overlay(Image(5, 1, black), maskOf(1, 2, {1, 0}), white, 1, false)), (std::vector{1, 1, 0, 0, 0}));
        QCOMPARE(changed(overlay(Image(2, 1, black), maskOf(1, 6, {0, 1, 0, 0, 1, 0}), white, 1, false)), (std::vector{1, 1}));
        QCOMPARE(changed(overlay(Image(4, 2, black), maskOf(1, 2, {0, 1}), white, 1, false)),
                 (std::vector{0, 0, 1, 1, 0, 0, 1, 1}));
    }

    void contourIsTheOutlineOnly()
    {
        const auto mask = maskOf(5, 5, {1, 1, 1, 1, 0, //
                                        1, 1, 1, 1, 0, //
                                        1, 1, 1, 1, 0, //
                                        0, 0, 0, 0, 0, //
                                        0, 0, 0, 0, 1});
        QCOMPARE(changed(overlay(Image(5, 5, black), mask, white, 1, true)), (std::vector{1, 1, 1, 1, 0, //
                                                                                          1, 0, 0, 1, 0, //
                                                                                          1, 1, 1, 1, 0, //
                                                                                          0, 0, 0, 0, 0, //
                                                                                          0, 0, 0, 0, 1}));
    }

    void pixelsAreRepeated()
    {
        Image image(2, 1);
        image.pixels = {1, 2};
        const auto large = enlarge(image, 3);
        QCOMPARE(large.width, 6);
        QCOMPARE(large.height, 3);
        QCOMPARE(large.pixels, (std::vector<std::uint32_t>{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
        QVERIFY_EXCEPTION_THROWN(enlarge(image, 0), Error);
        QVERIFY_EXCEPTION_THROWN(enlarge(Image(1000, 1000), 1000), Error);
    }
};

QTEST_GUILESS_MAIN(TestOverlay)
#include "test_overlay.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/render/render.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <png.h>

using namespace core;

namespace {

/// Reads a file back with libpng; `format` receives what the file itself holds.
Image read(const std::filesystem::path& path, png_uint_32& format)
{
    png_image png;
    std::memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
        return {};
    format = png.format;
    png.format = PNG_FORMAT_RGBA;
    Image image(static_cast<int>(png.width), static_cast<int>(png.height));
    png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr);
    return image;
}

} // namespace

class TestPng : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void pixelsReadBackTheSame()
    {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "a.png";
        Image image(37, 11);
        for (unsigned i = 0; i < image.pixels.size(); ++i)
            image.pixels[i] = rgba(i % 251, i % 7 * 30, i % 256, i % 3 == 0 ? 128 : 255);
        writePng(path, image);
        png_uint_32 format = 0;
        QCOMPARE(read(path, format).pixels, image.pixels);
        QCOMPARE(format & PNG_FORMAT_FLAG_COLOR, png_uint_32{PNG_FORMAT_FLAG_COLOR});
    }

    void greyHasOneChannel()
    {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "mask.png";
        Image image(2, 1);
        image.pixels = {rgba(0, 0, 0), rgba(255, 255, 255)};
        writePng(path, image, true);
        png_uint_32 format = 1;
        QCOMPARE(read(path, format).pixels, image.pixels);
        QCOMPARE(format, png_uint_32{PNG_FORMAT_GRAY});
    }

    void failuresNameTheFileAndLeaveNothing()
    {
        const QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        for (const auto& [path, image] :
             {std::pair(root / "none.png", Image()), std::pair(root / "no" / "folder.png", Image(1, 1)),
              std::pair(root / "wide.png", Image(1'000'001, 1))}) {
            QString message;
            try {
                writePng(path, image);
            } catch (const Error& error) {
                message = QString::fromUtf8(error.what());
            }
            QVERIFY2(message.contains(QString::fromStdString(path.string())), qPrintable(message));
        }
        QVERIFY(std::filesystem::is_empty(root));
    }
};

QTEST_GUILESS_MAIN(TestPng)
#include "test_png.moc"

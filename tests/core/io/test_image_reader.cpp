// SPDX-License-Identifier: GPL-3.0-or-later
#include "expected_files.h"

using namespace tests;

namespace {

Bytes fileBytes(const char* name)
{
    return readBytes((filesFolder / name).string());
}

/// `bytes` with a big-endian number written over.
Bytes with(Bytes bytes, std::size_t at, std::uint32_t number)
{
    for (std::size_t i = 0; i < 4; ++i)
        bytes.at(at + i) = std::byte(number >> (24 - 8 * i));
    return bytes;
}

Bytes without(Bytes bytes, std::size_t count)
{
    bytes.resize(bytes.size() - count);
    return bytes;
}

std::size_t find(const Bytes& bytes, std::string_view text)
{
    const auto wanted = bytesOfText(text);
    return std::size_t(std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end()) - bytes.begin());
}

/// CRC-32 as PNG defines it, bit by bit.
std::uint32_t crcOf(std::span<const std::byte> bytes)
{
    std::uint32_t crc = ~0U;
    for (const auto byte : bytes) {
        crc ^= std::to_integer<std::uint32_t>(byte);
        for (int i = 0; i < 8; ++i)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
    }
    return ~crc;
}

/// A PNG with another size in its header, and the right checksum for it.
Bytes resizedPng(const char* name, std::uint32_t width, std::uint32_t height)
{
    auto bytes = with(with(fileBytes(name), 16, width), 20, height);
    return with(bytes, 29, crcOf(std::span(bytes).subspan(12, 17)));
}

} // namespace

class TestImageReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsPictures_data() { addExpectedRows({"png_", "palette_", "jpeg_", "bmp_"}); }
    void readsPictures()
    {
        QFETCH(QString, file);
        checkFile(core::io::readImage, file.toStdString());
    }

    void leavesOthersAlone()
    {
        QCOMPARE(messageOf(core::io::readImage, bytesOfText("BMW is a maker of cars, no bitmap")), std::string("not mine"));
        QCOMPARE(messageOf(core::io::readImage, {}), std::string("not mine"));
    }

    void refusesEveryTruncation_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file :
             {"png_rgb8.png", "png_grey16_interlaced.png", "palette_255.png", "png_pillow.png", "jpeg_rgb.jpg",
              "jpeg_progressive.jpg", "jpeg_cmyk.jpg", "jpeg_turned6.jpg", "bmp_24.bmp", "bmp_8.bmp", "bmp_565.bmp"})
            QTest::newRow(file) << file;
    }
    void refusesEveryTruncation()
    {
        QFETCH(QString, file);
        checkTruncations(core::io::readImage, file.toStdString());
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())) << reason;
        };
        row("png without end", without(fileBytes("png_pillow.png"), 12), "cut off");
        row("png of no pixels", resizedPng("png_rgb8.png", 0, 5), "");
        row("png larger than its bytes", resizedPng("png_rgb8.png", 60'000, 60'000), "cannot hold the 60000 x 60000 pixels");
        row("png a row short", resizedPng("png_rgb8.png", 7, 6), "libpng");
        row("png with damaged header", with(fileBytes("png_rgb8.png"), 16, 8), "checksum of the header");
        auto png = fileBytes("png_rgb8.png");
        row("png with damaged data", with(png, find(png, "IDAT") + 4, 0), "libpng");
        row("jpeg without end", without(fileBytes("jpeg_rgb.jpg"), 60), "libjpeg");
        auto jpeg = fileBytes("jpeg_rgb.jpg");
        const auto size = find(jpeg, std::string_view("\xff\xc0\0\x11\x08", 5)) + 5;
        row("jpeg larger than its bytes", with(jpeg, size, 0xfde8fde8), "cannot hold the 65000 x 65000 pixels");
        row("jpeg of no pixels", with(jpeg, size, 0), "libjpeg");
        row("bmp short", without(fileBytes("bmp_24.bmp"), 1), "cut off");
        row("bmp of no pixels", with(fileBytes("bmp_24.bmp"), 18, 0), "0 x 5 pixels");
        row("bmp of many pixels", with(fileBytes("bmp_24.bmp"), 18, 0xffffff7f), "cut off");
        row("bmp of 2 bits", with(fileBytes("bmp_24.bmp"), 28, 0x02000000), "2 bits a pixel");
        row("bmp run-length", fileBytes("bad_rle.bmp"), "run-length");
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        const auto data = std::as_bytes(std::span(bytes.data(), std::size_t(bytes.size())));
        const auto message = QString::fromStdString(messageOf(core::io::readImage, data));
        QVERIFY2(message.contains("some.file") && message.contains(reason), qPrintable(message));
    }

    void refusesPicturesPastTheBudget_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("bytes");
        QTest::newRow("png") << "png_pillow.png" << 40 * 50 * 3;
        QTest::newRow("jpeg") << "jpeg_rgb.jpg" << 24 * 40 * 3;
        QTest::newRow("bmp") << "bmp_24.bmp" << 5 * 7 * 3;
    }
    void refusesPicturesPastTheBudget()
    {
        QFETCH(QString, file);
        QFETCH(int, bytes);
        const auto data = fileBytes(qPrintable(file));
        QCOMPARE(messageOf(core::io::readImage, data, {.budgetBytes = bytes}), std::string());
        const auto message = messageOf(core::io::readImage, data, {.budgetBytes = bytes - 1});
        QVERIFY2(message.find("some.file") != std::string::npos && message.find("may take") != std::string::npos,
                 message.c_str());
    }

    /// A checksum that is off is told apart: the picture still opens.
    void warnsOfChecksums()
    {
        auto bytes = fileBytes("png_rgb8.png");
        const auto at = find(bytes, "IEND") - 8;
        bytes[at] ^= std::byte{1};
        const auto document = core::io::readImage(core::MappedFile::fromBytes("some.png", bytes), {}, {});
        const auto tensor = std::get<core::Tensor>(document->entries.at(0).load({}));
        QCOMPARE(bytesOf(tensor), bytesOfHex(expectedFiles()["png_rgb8.png"]["entries"][0]["values"]));
        const auto warning = document->entries[0].verify({});
        QVERIFY(warning && warning->find("some.png") != std::string::npos && warning->find("IDAT") != std::string::npos);
    }

    void stops_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"png_pillow.png", "jpeg_rgb.jpg", "jpeg_progressive.jpg", "bmp_24.bmp"})
            QTest::newRow(file) << file;
    }
    void stops()
    {
        QFETCH(QString, file);
        const auto document = core::io::readImage(core::MappedFile::open(filesFolder / file.toStdString()), {}, {});
        std::stop_source source;
        source.request_stop();
        QVERIFY_EXCEPTION_THROWN(document->entries.at(0).load({source.get_token(), {}}), core::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestImageReader)
#include "test_image_reader.moc"

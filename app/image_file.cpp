// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/image_file.h"

#include "app/translate.h"
#include "core/error.h"

#include <QImage>
#include <QImageReader>

#include <algorithm>
#include <cstring>

namespace app {

core::Image readImage(const QString& file)
{
    QImageReader reader(file);
    reader.setAutoTransform(true);
    // The content decides, not the ending.
    reader.setDecideFormatFromContent(true);
    const auto image = reader.read();
    if (image.isNull())
        throw core::Error((file + QStringLiteral(": cannot be read as a picture: ") + reader.errorString() +
                           QStringLiteral("; choose a PNG, JPEG or BMP file"))
                              .toStdString());
    return toImage(image);
}

core::Image toImage(const QImage& image)
{
    const auto pixels = image.convertToFormat(QImage::Format_RGBA8888);
    core::Image result(pixels.width(), pixels.height());
    for (int y = 0; y < pixels.height(); ++y)
        std::copy_n(reinterpret_cast<const std::uint32_t*>(pixels.constScanLine(y)), pixels.width(), result.row(y));
    return result;
}

core::Tensor decodePicture(const std::filesystem::path& file)
{
    const auto image = readImage(fromPath(file));
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
    for (int y = 0; y < image.height; ++y)
        std::memcpy(pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * 4, image.row(y),
                    static_cast<std::size_t>(image.width) * 4);
    return core::Tensor::fromValues(core::DType::u8, {image.height, image.width, 4}, pixels);
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"
#include "core/tensor.h"

#include <QString>

#include <filesystem>

class QImage;

namespace app {

/// Reads a picture for display (PNG, JPEG, BMP and whatever else Qt reads), turned as its EXIF data says. Throws core::Error
/// that names the file. Any thread.
core::Image readImage(const QString& file);

/// The same pixels; an empty picture for a null one.
core::Image toImage(const QImage& image);

/// A picture's colours as uint8 [H, W, 4]. Throws core::Error that names the file. Any thread.
core::Tensor decodePicture(const std::filesystem::path& file);

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"

#include <QString>

namespace app {

/// Reads a picture for display (PNG, JPEG, BMP and whatever else Qt reads), turned as its EXIF data says. Throws core::Error
/// that names the file. Any thread.
core::Image readImage(const QString& file);

} // namespace app

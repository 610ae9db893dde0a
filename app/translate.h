// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <exception>
#include <filesystem>

namespace app {

/// What to tell people of an exception: the text of a core::Error as it is, "not enough memory" for bad_alloc.
QString messageOf(const std::exception& error);

/// File names cross between Qt and the standard library as bytes.
std::filesystem::path toPath(const QString& file);
QString fromPath(const std::filesystem::path& path);

} // namespace app

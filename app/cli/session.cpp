// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "core/io/write.h"

#include <fmt/format.h>

#include <cstdio>

namespace app::cli {

void Session::warn(std::string_view text)
{
    m_progress.clear();
    fmt::print(stderr, "warning: {}\n", text);
}

void Session::fail(std::string_view text)
{
    m_progress.clear();
    fmt::print(stderr, "error: {}\n", text);
}

void writeResult(const std::string& file, std::string_view text)
{
    core::io::AtomicFile out(file.empty() ? "/dev/stdout" : file);
    out.write(text);
    out.commit();
}

} // namespace app::cli

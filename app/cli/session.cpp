// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "core/io/write.h"

#include <fmt/format.h>

#include <cstdio>

namespace app::cli {

namespace {

/// A stderr that takes nothing (closed, full) changes nothing else; fmt::print would throw.
void tell(const std::string& line)
{
    std::fputs(line.c_str(), stderr);
}

} // namespace

void Session::warn(std::string_view text)
{
    m_progress.clear();
    tell(fmt::format("warning: {}\n", text));
}

void Session::note(std::string_view text)
{
    if (text.empty())
        return;
    m_progress.clear();
    tell(fmt::format("{}{}", text, text.ends_with('\n') ? "" : "\n"));
}

void Session::fail(std::string_view text)
{
    m_progress.clear();
    tell(fmt::format("error: {}\n", text));
}

void writeResult(const std::string& file, std::string_view text)
{
    try {
        core::io::AtomicFile out(file.empty() ? "/dev/stdout" : file);
        out.write(text);
        out.commit();
    } catch (const core::io::ReaderGone&) {
        // The command goes on: its exit code may have more to tell.
    }
}

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

namespace app::cli {

using namespace std::chrono_literals;

ProgressLine::ProgressLine() : m_terminal(::isatty(STDERR_FILENO) == 1), m_next(std::chrono::steady_clock::now() + 300ms) {}

ProgressLine::~ProgressLine()
{
    clear();
}

core::Job ProgressLine::job(std::stop_token stop, std::string what)
{
    core::Job job{std::move(stop), {}};
    if (m_terminal)
        job.progress = [this, what = std::move(what)](double done) { show(what, done); };
    return job;
}

void ProgressLine::show(const std::string& what, double done)
{
    const auto now = std::chrono::steady_clock::now();
    if (now < m_next)
        return;
    m_next = now + 100ms;
    m_shown = true;
    // Longer names would wrap on a terminal of 80 columns, and a wrapped line cannot be wiped.
    constexpr std::size_t longest = 68;
    // fmt::print would throw where the terminal has gone.
    std::fputs(fmt::format("\r\x1b[K{:.{}} {:3.0f} %", what, longest, 100 * std::clamp(done, 0.0, 1.0)).c_str(), stderr);
    std::fflush(stderr);
}

void ProgressLine::clear()
{
    if (std::exchange(m_shown, false))
        std::fputs("\r\x1b[K", stderr);
}

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <chrono>
#include <string>

namespace app::cli {

/// One line on the terminal that tells what is done and how far it is; nothing at all where stderr is no terminal. Appears
/// after 0.3 s, is redrawn at most ten times a second, and is wiped by clear() or at the end.
class ProgressLine
{
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// A job that obeys `stop` and reports here under a name ("reading x.pt"). Must not outlive this.
    core::Job job(std::stop_token stop, std::string what);
    void clear();

private:
    void show(const std::string& what, double done);

    bool m_terminal;
    bool m_shown = false;
    std::chrono::steady_clock::time_point m_next;
};

} // namespace app::cli

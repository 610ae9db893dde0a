// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"

#include <string>
#include <string_view>

namespace app::cli {

/// What every command has at hand: how to be stopped, and where to tell what.
class Session
{
public:
    core::Job job(std::string what) { return m_progress.job(m_interrupt.token(), std::move(what)); }
    const Interrupt& interrupt() const { return m_interrupt; }
    /// One line on stderr: "warning: ...".
    void warn(std::string_view text);
    /// Text on stderr as it is; nothing for none.
    void note(std::string_view text);
    /// One line on stderr: "error: ...".
    void fail(std::string_view text);

private:
    Interrupt m_interrupt;
    ProgressLine m_progress;
};

/// Writes a result to a file (atomically; a pipe or device directly), or to stdout where `file` is empty. What the reader of a
/// pipe no longer takes is dropped. Throws core::Error when it cannot be written whole.
void writeResult(const std::string& file, std::string_view text);

} // namespace app::cli

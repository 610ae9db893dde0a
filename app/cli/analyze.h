// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"

#include <string>

namespace app::cli {

class Session;

/// Options of `analyze`, as typed.
struct AnalyzeOptions
{
    SelectOptions select;
    WhereOptions where;
    bool all = false;
    bool json = false;
    bool csv = false;
    std::string output;
};

enum class ReportForm { text, json, csv };
/// What the options ask for; without --json and --csv the ending of -o decides. Throws core::UsageError for both.
ReportForm formOf(const AnalyzeOptions& options);

/// `analyze --all`: one summary row for every tensor. A tensor that fails becomes a row with its error and makes the command
/// fail once all are done. Throws core::Error, core::UsageError.
void analyzeAll(Session& session, const AnalyzeOptions& options);

} // namespace app::cli

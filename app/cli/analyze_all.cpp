// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze.h"
#include "app/cli/model_source.h"
#include "app/cli/source.h"
#include "app/engines.h"
#include "app/whole_summary.h"
#include "core/error.h"
#include "core/report/channel_table.h"
#include "core/report/json_writer.h"

#include <fmt/format.h>

#include <new>

namespace app::cli {

namespace {

using core::report::Cell;
using core::report::cell;
using Row = std::vector<Cell>;

const std::vector<std::string> columns = {"name",     "dtype", "shape",  "elements", "threshold",     "count",
                                          "fraction", "min",   "max",    "mean",     "std",           "sum",
                                          "zeros",    "nan",   "posinf", "neginf",   "dead_channels", "error"};

Row identity(const core::Entry& entry)
{
    return {entry.name, std::string(core::dtypeName(entry.dtype)), cell(entry.shape)};
}

Row summary(Session& session, const core::Entry& entry, const core::Where& where, const core::Engine& engine)
{
    const auto loaded = loadEntry(session, entry, defaultSelection(entry), engine);
    const auto job = session.job(fmt::format("analyzing {}", entry.name));
    core::Query query;
    query.where = where;
    query.counts = loaded->dense() != nullptr;
    const auto result = loaded->run(query, job);
    const auto whole = summarize(*loaded, job);
    const auto& statistics = whole.statistics;
    const auto cells = core::report::statisticCells(statistics);
    const auto threshold = result.thresholds.size() == 1 && !where.perChannel
                               ? core::report::thresholdCell(result.thresholds[0], where, entry.dtype)
                               : Cell{};
    auto row = identity(entry);
    row.insert(row.end(),
               {statistics.elements, threshold, result.count, core::report::fractionCell(result.count, statistics.elements),
                cells.min, cells.max, cells.mean, cells.std, cells.sum, statistics.zeros, statistics.nan,
                statistics.positiveInf, statistics.negativeInf, whole.deadChannels, Cell{}});
    return row;
}

/// What is known of a tensor that could not be analyzed.
Row failure(const core::Entry& entry, const std::string& reason)
{
    auto row = identity(entry);
    row.resize(columns.size());
    row.back() = reason;
    return row;
}

/// Warns of every tensor that could not be analyzed and counts them.
std::size_t tellFailures(Session& session, const core::report::Table& table)
{
    std::size_t failures = 0;
    for (const auto& row : table.rows) {
        const auto* reason = std::get_if<std::string>(&row.back());
        if (!reason)
            continue;
        session.warn(*reason);
        ++failures;
    }
    return failures;
}

/// For people: without the column of errors where there are none.
std::string tableText(core::report::Table table, bool withErrors)
{
    if (!withErrors) {
        table.columns.pop_back();
        for (auto& row : table.rows)
            row.pop_back();
    }
    return plainText(table);
}

std::string jsonText(const core::report::Table& table, const core::Document& document, const std::string& file,
                     const core::Where& where)
{
    core::report::JsonWriter json;
    json.beginObject();
    json.member("file", file);
    json.member("format", document.format);
    json.member("where", where.text);
    json.member("comparison", core::comparisonName(where.comparison));
    json.key("tensors");
    json.value(table);
    json.endObject();
    return json.take();
}

void checkAll(const AnalyzeOptions& options)
{
    if (options.select.tensor || options.select.layer || options.select.shapesTensor())
        throw core::UsageError(
            "--all takes every tensor whole: leave out --tensor, --layer, --layout, --at, --batch and --channel");
}

} // namespace

void analyzeAll(Session& session, const AnalyzeOptions& options)
{
    checkAll(options);
    const auto where = makeWhere(options.where);
    const auto form = formOf(options);
    const auto engine = makeEngine(options.select.device, [&session](const std::string& text) { session.warn(text); });
    const auto& file = options.select.file;
    const auto document = options.select.model.isGiven() ? captureAll(session, options.select) : openDocument(session, file);
    core::report::Table table{columns, {}};
    for (const auto& entry : document.entries) {
        if (!entry.isTensor())
            continue;
        try {
            table.rows.push_back(summary(session, entry, where, *engine));
        } catch (const core::Error& error) {
            table.rows.push_back(failure(entry, error.what()));
        } catch (const std::bad_alloc&) {
            table.rows.push_back(failure(entry, fmt::format("{}: not enough memory", entry.name)));
        }
    }
    const auto tensors = table.rows.size();
    const auto failures = tellFailures(session, table);
    if (form == ReportForm::json)
        writeResult(options.output, jsonText(table, document, file, where));
    else
        writeResult(options.output, form == ReportForm::csv ? csvText(table) : tableText(std::move(table), failures > 0));
    if (failures > 0)
        throw core::Error(fmt::format("{}: {} of {} tensors could not be analyzed", file, failures, tensors));
}

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze.h"

#include "app/cli/commands.h"
#include "app/cli/source.h"
#include "core/error.h"
#include "core/report/channel_table.h"
#include "core/report/json_writer.h"
#include "core/report/number_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace app::cli {

namespace {

using core::report::Cell;
using core::report::JsonWriter;

/// One analysis, ready to be written.
struct Answer
{
    const Source& source;
    const core::Where& where;
    core::Result result;
    core::Statistics statistics;
    core::report::Table channels;
    double elapsedMs = 0;

    const core::LoadedTensor& tensor() const { return *source.loaded; }
    Cell threshold() const
    {
        return result.thresholds.empty() ? Cell{} : core::report::thresholdCell(result.thresholds[0], where, tensor().dtype());
    }
};

Answer ask(Session& session, const Source& source, const core::Where& where)
{
    const auto start = std::chrono::steady_clock::now();
    const auto job = session.job(fmt::format("analyzing {}", source.entry->name));
    const auto& tensor = *source.loaded;
    core::Query query;
    query.where = where;
    query.hotSums = !core::isComplex(tensor.dtype());
    Answer answer{source, where, tensor.run(query, job), tensor.statistics(job), {}, 0};
    answer.channels = core::report::channelTable({tensor, where, answer.result}, job);
    answer.elapsedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return answer;
}

void writeValues(JsonWriter& json, const core::Statistics& statistics)
{
    const auto cells = core::report::statisticCells(statistics);
    json.beginObject();
    json.member("min", cells.min);
    json.member("max", cells.max);
    json.member("mean", cells.mean);
    json.member("std", cells.std);
    json.member("sum", cells.sum);
    json.member("zeros", Cell(statistics.zeros));
    json.member("nan", Cell(statistics.nan));
    json.member("posinf", Cell(statistics.positiveInf));
    json.member("neginf", Cell(statistics.negativeInf));
    json.endObject();
}

std::string jsonText(const Answer& answer, const std::string& file)
{
    const auto& tensor = answer.tensor();
    const auto elements = answer.statistics.elements;
    JsonWriter json;
    json.beginObject();
    json.member("file", file);
    json.member("tensor", answer.source.entry->name);
    json.member("dtype", core::dtypeName(tensor.dtype()));
    json.member("shape", core::report::cell(tensor.shape()));
    json.member("layout", layoutText(tensor.selection().layout));
    json.member("where", answer.where.text);
    json.member("comparison", core::comparisonName(answer.where.comparison));
    if (!answer.where.perChannel)
        json.member("threshold", answer.threshold());
    json.member("engine", tensor.engine());
    json.member("exact", answer.result.exact);
    json.member("elapsed_ms", Cell(answer.elapsedMs));
    json.member("elements", Cell(elements));
    json.member("count", Cell(answer.result.count));
    json.member("fraction", core::report::fractionCell(answer.result.count, elements));
    json.key("values");
    writeValues(json, answer.statistics);
    json.key("channels");
    json.value(answer.channels);
    json.endObject();
    return json.take();
}

std::string plainText(const Answer& answer, const std::string& file)
{
    const auto& tensor = answer.tensor();
    const auto& statistics = answer.statistics;
    const auto cells = core::report::statisticCells(statistics);
    const core::report::Table values{
        {"threshold", "min", "max", "mean", "std", "sum", "zeros", "nan", "+inf", "-inf"},
        {{answer.where.perChannel ? Cell(std::string("per channel")) : answer.threshold(), cells.min, cells.max, cells.mean,
          cells.std, cells.sum, statistics.zeros, statistics.nan, statistics.positiveInf, statistics.negativeInf}}};
    const double percent = statistics.elements > 0
                               ? 100.0 * static_cast<double>(answer.result.count) / static_cast<double>(statistics.elements)
                               : 0.0;
    return fmt::format("{}: {}, {} {}, layout {}\n", file, answer.source.entry->name, core::dtypeName(tensor.dtype()),
                       core::shapeText(tensor.shape()), layoutText(tensor.selection().layout)) +
           fmt::format("{}: {} hot of {} ({} %); {}, {} ms, {} comparison\n\n", answer.where.text, answer.result.count,
                       statistics.elements, core::report::roundedText(percent), tensor.engine(),
                       core::report::roundedText(answer.elapsedMs), core::comparisonName(answer.where.comparison)) +
           core::report::plainText(values) + '\n' + core::report::plainText(answer.channels);
}

} // namespace

ReportForm formOf(const AnalyzeOptions& options)
{
    if (options.json && options.csv)
        throw core::UsageError("--json and --csv contradict each other: give one of them");
    const auto name = ending(options.output);
    if (options.json || (!options.csv && name == ".json"))
        return ReportForm::json;
    return options.csv || name == ".csv" ? ReportForm::csv : ReportForm::text;
}

namespace {

void analyze(Session& session, const AnalyzeOptions& options)
{
    const auto where = makeWhere(options.where);
    warnWithoutRule(session, where);
    const auto form = formOf(options);
    if (options.all)
        return analyzeAll(session, options);
    const auto source = openSource(session, options.select);
    const auto answer = ask(session, source, where);
    const auto& file = options.select.file;
    if (form == ReportForm::json)
        writeResult(options.output, jsonText(answer, file));
    else if (form == ReportForm::csv)
        writeResult(options.output, core::report::csvText(answer.channels));
    else
        writeResult(options.output, plainText(answer, file));
}

} // namespace

Action prepareAnalyze(CLI::App& app)
{
    const auto options = std::make_shared<AnalyzeOptions>();
    addSelect(app, options->select);
    addWhere(app, options->where);
    app.add_flag("--all", options->all,
                 "One summary row for every tensor of the file, whole: not with --tensor, --layout, --at, --batch, --channel");
    app.add_flag("--json", options->json, "Write JSON");
    app.add_flag("--csv", options->csv, "Write the table as CSV");
    app.add_option("-o,--output", options->output,
                   "File to write instead of the terminal; without --json and --csv the ending .json or .csv chooses the form")
        ->type_name("FILE");
    app.footer("Examples:\n"
               "  actiscope analyze activations.pt --tensor layer1 --threshold 0.8\n"
               "  actiscope analyze scan.npy --where \"percentile 99\" --per-channel --csv -o channels.csv\n"
               "  actiscope analyze checkpoint.pt --all --where nan");
    return [options](Session& session) { analyze(session, *options); };
}

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/source.h"
#include "core/error.h"
#include "core/report/coordinate_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace app::cli {

namespace {

struct CoordsOptions
{
    SelectOptions select;
    WhereOptions where;
    std::string output;
    bool values = false;
    std::string limit;
};

std::optional<std::int64_t> limitOf(const std::string& text)
{
    if (text.empty())
        return std::nullopt;
    const auto limit = parseInteger(text, "--limit");
    if (limit < 0)
        throw core::UsageError(fmt::format("--limit: {} rows cannot be written; give 0 or more", limit));
    return limit;
}

void writeCoords(Session& session, const CoordsOptions& options)
{
    const core::report::CoordinateFile file{options.output, options.values, limitOf(options.limit)};
    core::report::checkCoordinateFile(file);
    const auto where = makeWhere(options.where);
    warnWithoutRule(session, where);
    const auto source = openSource(session, options.select);
    const auto job = session.job(fmt::format("writing {}", options.output));
    const auto written = core::report::writeCoordinates(file, *source.loaded, where, job);
    if (written.rows < written.count)
        session.warn(fmt::format("{} holds the first {} of {} rows (--limit)", options.output, written.rows, written.count));
}

} // namespace

Action prepareCoords(CLI::App& app)
{
    const auto options = std::make_shared<CoordsOptions>();
    addSelect(app, options->select);
    addWhere(app, options->where);
    app.add_option("-o,--output", options->output, "File to write: .npy (int64 [rows, axes]), .npz (coords and values) or .csv")
        ->type_name("FILE")
        ->required();
    app.add_flag("--values", options->values, "The values as well (.npz and .csv; an .npy has no place for them)");
    app.add_option("--limit", options->limit, "Write the first N rows only")->type_name("N");
    app.footer("Examples:\n"
               "  actiscope coords activations.pt --tensor layer1 --threshold 0.8 -o hot.npy\n"
               "  actiscope coords labels.npy --where \"between 2 5\" --values -o labels.csv --limit 1000");
    return [options](Session& session) { writeCoords(session, *options); };
}

} // namespace app::cli

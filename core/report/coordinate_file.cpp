// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/coordinate_file.h"

#include "core/error.h"
#include "core/io/chunks.h"
#include "core/io/write.h"
#include "core/report/coordinate_rows.h"

#include <fmt/format.h>

namespace core::report {

namespace {

enum class Form { npy, npz, csv };

Form formOf(const CoordinateFile& file)
{
    const auto ending = file.path.extension();
    if (ending == ".npz")
        return Form::npz;
    if (ending == ".csv")
        return Form::csv;
    if (ending != ".npy")
        throw UsageError(fmt::format("cannot tell the form of {}: let its name end in .npy, .npz or .csv", file.path.string()));
    if (file.values)
        throw UsageError(fmt::format("{} has no place for values: let the name end in .npz or .csv", file.path.string()));
    return Form::npy;
}

/// The least that the file will take.
double leastBytes(const CoordinateFile& file, Form form, const LoadedTensor& tensor, std::int64_t rows)
{
    const auto rank = static_cast<double>(tensor.shape().size());
    constexpr double leastField = 2; // a digit and a comma or line end
    const double row = form == Form::csv ? leastField * (rank + file.values)
                                         : 8 * rank + (file.values ? itemSize(io::npyDType(tensor.dtype())) : 0);
    return row * static_cast<double>(rows);
}

void checkSpace(const CoordinateFile& file, double bytes, std::int64_t rows)
{
    std::error_code error;
    const auto status = std::filesystem::status(file.path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return; // a pipe or device
    const auto folder = file.path.has_parent_path() ? file.path.parent_path() : std::filesystem::path(".");
    const auto space = std::filesystem::space(folder, error);
    if (!error && bytes > static_cast<double>(space.available))
        throw Error(
            fmt::format("cannot write {}: {} rows take at least {:.0f} MB and {:.0f} MB are free; choose another disk, a "
                        "stricter condition or a --limit",
                        file.path.string(), rows, bytes / 1e6, static_cast<double>(space.available) / 1e6));
}

void checkLimit(const CoordinateFile& file, const LoadedTensor& tensor, std::int64_t count)
{
    if (!tensor.dense() && file.limit && count > *file.limit)
        throw Error(fmt::format("cannot write {}: the sparse tensor has {} hot elements, the limit is {}; choose a stricter "
                                "condition, --stored-only or a larger --limit",
                                file.path.string(), count, *file.limit));
}

void writeNpyRows(const CoordinateFile& file, const CoordinateRows& rows)
{
    io::AtomicFile out(file.path);
    out.write(io::npyHeader(DType::i64, rows.indexShape()));
    rows.indices([&](std::span<const std::byte> bytes) { out.write(bytes); });
    out.commit();
}

void writeNpzRows(const CoordinateFile& file, const CoordinateRows& rows)
{
    std::vector<io::NpzMember> members;
    members.push_back({"coords", DType::i64, rows.indexShape(), [&](const io::ByteSink& sink) { rows.indices(sink); }});
    if (file.values)
        members.push_back({"values", rows.valueDType(), {rows.count()}, [&](const io::ByteSink& sink) { rows.values(sink); }});
    io::writeNpzMembers(file.path, members);
}

void writeCsvRows(const CoordinateFile& file, const CoordinateRows& rows)
{
    io::AtomicFile out(file.path);
    rows.csv(file.values, [&](std::string_view text) { out.write(text); });
    out.commit();
}

} // namespace

void checkCoordinateFile(const CoordinateFile& file)
{
    formOf(file);
}

CoordinatesWritten writeCoordinates(const CoordinateFile& file, const LoadedTensor& tensor, const Where& where, const Job& job)
{
    const auto form = formOf(file);
    Query query;
    query.where = where;
    query.counts = tensor.dense() != nullptr;
    const auto count = tensor.run(query, job).count;
    checkLimit(file, tensor, count);
    const auto taken = std::min(count, file.limit.value_or(count));
    checkSpace(file, leastBytes(file, form, tensor, taken), taken);
    const CoordinateRows rows(tensor, where, taken, job);
    if (form == Form::npy)
        writeNpyRows(file, rows);
    else if (form == Form::npz)
        writeNpzRows(file, rows);
    else
        writeCsvRows(file, rows);
    return {taken, count};
}

} // namespace core::report

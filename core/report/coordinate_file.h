// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace core::report {

/// A file of coordinates to be written.
struct CoordinateFile
{
    /// Its ending says the form: .npy (int64 [rows, rank]), .npz (`coords`, and `values` if asked) or .csv (header
    /// `i0,i1,...[,value]`).
    std::filesystem::path path;
    /// The value of each row as well: not for .npy.
    bool values = false;
    /// Only the first rows; nothing for all. Where a sparse tensor has more hot elements the file is refused.
    std::optional<std::int64_t> limit;
};

/// How many rows a file got, of how many there are.
struct CoordinatesWritten
{
    std::int64_t rows = 0;
    std::int64_t count = 0;
};

/// Throws UsageError when the ending is unknown, or is .npy and values are asked.
void checkCoordinateFile(const CoordinateFile& file);

/// Streams the coordinates of all hot elements to a file, in torch.nonzero's order; atomic. Refuses before writing (Error) when
/// they would not fit the free space of the disk, or a sparse tensor has more than `limit`.
/// Throws UsageError as checkCoordinateFile, Error, Cancelled.
CoordinatesWritten writeCoordinates(const CoordinateFile& file, const LoadedTensor& tensor, const Where& where,
                                    const Job& job = {});

} // namespace core::report

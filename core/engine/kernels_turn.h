// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace core {

/// Rows of elements that become columns. All steps are in bytes.
struct TurnedRows
{
    /// The first row; readable up to the next multiple of 16 bytes of each row.
    const std::byte* rows = nullptr;
    std::int64_t pitch = 0;
    std::int64_t count = 0;
    /// Elements of a row.
    std::int64_t columns = 0;
    std::byte* to = nullptr;
    /// Where each column goes, from `to`; its elements follow each other there.
    const std::int64_t* offsets = nullptr;
};

/// Vector kernels for elements of one size.
struct TurnKernels
{
    /// Any rows.
    void (*turn)(const TurnedRows&);
    /// Rows of a power of two of elements, at most 16 bytes, that follow each other: `columns` are the first ones of each.
    void (*deal)(const TurnedRows&);
    /// Takes every second or third element (`step`), `n` in all, from the first one to the last, past which nothing is read.
    void (*thin)(const std::byte* from, std::byte* to, std::int64_t n, std::int64_t step);
};

/// Those for elements of 1, 2, 4 or 8 bytes.
const TurnKernels& turnKernels(int itemSize);

} // namespace core

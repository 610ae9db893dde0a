// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/strided_copy.h"

namespace core {

/// A box whose elements lie closest along some axes where they are read, and along another one where they are written.
struct TurnedBox
{
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    /// Each axis continues the one before it in `from`, forwards.
    std::span<const CopyAxis> run;
    /// Neighbours in `to`, forwards.
    CopyAxis packed;
    /// What is read after this box; null if unknown.
    const std::byte* next = nullptr;
};

/// Copies it, elements of 1, 2, 4 or 8 bytes: some rows at a time, by way of a buffer in the nearest cache, while the next ones
/// come to the second-level cache.
void copyTurned(const TurnedBox& box, int itemSize);

} // namespace core

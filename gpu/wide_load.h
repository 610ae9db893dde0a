// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

namespace gpu {

/// Neighbouring values as stored.
template <class S, int wide>
struct alignas(sizeof(S) * wide) Piece
{
    S values[wide];
};

/// Values that a wide load brings.
template <class S>
inline constexpr int wideOf = wideBytes / static_cast<int>(sizeof(S));

/// From an address aligned to all of them, in one load: the compiler would make one of each value of a copy, or of each byte.
/// No kernel that loads so writes what it reads: loads need not wait for stores before them.
template <class S, int wide>
ACTISCOPE_BOTH Piece<S, wide> loadPiece(const S* from)
{
    Piece<S, wide> piece;
    if constexpr (wide == 1) {
        piece.values[0] = *from;
        return piece;
    }
#ifdef __CUDA_ARCH__
    if constexpr (sizeof piece == wideBytes) {
        const uint4 bits = __ldg(reinterpret_cast<const uint4*>(from));
        memcpy(&piece, &bits, sizeof piece);
        return piece;
    }
#else
    // A device fails there, too.
    if (reinterpret_cast<std::uintptr_t>(from) % sizeof piece != 0)
        __builtin_trap();
#endif
    memcpy(&piece, from, sizeof piece);
    return piece;
}

} // namespace gpu

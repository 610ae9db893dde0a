// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/strided_copy.h"

namespace core {

/// An element of 16 bytes, of which only copies are made.
struct Bytes16
{
    std::uint64_t halves[2];
};

/// Copies elements of type T (std::uint8_t, 16, 32, 64 or Bytes16) along one axis.
template <class T>
void copyRow(const std::byte* from, std::byte* to, const CopyAxis& axis);
/// The same one by one: for few, or such as lie far apart.
template <class T>
void copyElements(const std::byte* from, std::byte* to, const CopyAxis& axis);

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace core::report {

/// The shortest decimal text that reads back as the same float64, with a point in every locale. Written as Python's repr writes
/// it ("0.1", "3.0", "1e-07", "1e+16"); "NaN", "Infinity" and "-Infinity" for what is no number.
std::string numberText(double value);
/// All digits.
std::string numberText(__int128 value);
std::string numberText(const Scalar& value);

/// A number for people: six significant digits at most ("0.333333", "1.5e+10").
std::string roundedText(double value);

/// True when the integer fits int64 or uint64.
bool fits64(__int128 value);

} // namespace core::report

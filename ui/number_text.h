// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/tensor.h"

#include <QString>

#include <span>

namespace ui {

/// Numbers as people read them in the window: a point in every locale, as many digits as the dtype has and no more.

/// "2,041": thousands separators.
QString countText(std::int64_t count);
QString countText(std::uint64_t count);
/// Share of a whole to three significant digits: "4.07 %", "<0.001 %", "100 %" only when all; empty when `elements` is 0.
QString percentText(std::int64_t count, std::int64_t elements);
/// "37.6 kB", "1.07 GB" (powers of 1000).
QString bytesText(std::int64_t bytes);
/// "64×3×7×7"; "scalar" for a 0-d tensor.
QString shapeText(std::span<const std::int64_t> shape);

/// An element: the shortest decimal that reads back as the same value of the dtype ("0.8" for float32's 0.800000011920929);
/// integers in full without separators; "NaN", "inf", "-inf". Reads back with core::Number::parse.
QString valueText(double value, core::DType dtype);
QString valueText(const core::Scalar& value, core::DType dtype);
/// A computed figure (mean, standard deviation) with the significant digits that the dtype carries (float16 4, float32 7 ...).
QString figureText(double value, core::DType dtype);
/// For narrow columns: valueText() where that is short, else five significant digits ("-0.12346", "1.2346e-7").
QString shortText(double value, core::DType dtype);
QString shortText(const core::Scalar& value, core::DType dtype);
/// Significant decimal digits that a dtype carries.
int significantDigits(core::DType dtype);
double toDouble(const core::Scalar& value);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// How a threshold meets a dtype. `torch`: what PyTorch computes for `x > t` with a Python number t.
/// `exact`: compared as real numbers.
enum class Comparison { torch, exact };
std::string_view comparisonName(Comparison comparison);

/// A number as a person wrote it: an integer (no point, exponent or inf) or a real. Integers of any length parse; those outside
/// [-2^63, 2^64) are a UsageError.
struct Number
{
    bool isInteger = false;
    /// The value when isInteger.
    __int128 integer = 0;
    /// The value nearest in float64, always set. A decimal text is read exactly as Python's float() reads it.
    double real = 0;
    /// The decimal text as typed ("0.1"), for exact comparison of reals that no float64 holds; empty when made from `real`.
    std::string text;

    bool operator==(const Number&) const = default;

    static Number fromInteger(std::int64_t value);
    static Number fromReal(double value);
    /// "0.8", ".5", "-1", "1e-3", "inf", "-inf". Throws UsageError.
    static Number parse(std::string_view text);
};

/// The test an element must pass to be hot. NaN meets only `nan` and `!=`; -0 equals 0.
enum class ConditionKind { gt, ge, lt, le, eq, ne, between, outside, absGt, absGe, nan, inf, finite };
struct Condition
{
    ConditionKind kind = ConditionKind::ne;
    /// Bound (the lower one for between and outside); unused for nan, inf, finite.
    Number a;
    /// Upper bound for between (a <= v <= b) and outside (v < a or v > b).
    Number b;

    bool operator==(const Condition&) const = default;
};

/// Rules find T from the finite values, then test `> T`.
enum class RuleKind { percentile, sigma, max, otsu };
struct Rule
{
    RuleKind kind = RuleKind::percentile;
    /// Percentile 0..100, K of mean + K sigma, or F of F x maximum; unused for otsu.
    double parameter = 0;

    bool operator==(const Rule&) const = default;
};

/// What the user asks: a condition or a rule, in which comparison, with one threshold or one per channel index.
struct Where
{
    /// Set when a rule finds the threshold; `condition` is then unused.
    std::optional<Rule> rule;
    Condition condition;
    /// One rule threshold per channel index over the selected batch items. No effect without a rule.
    bool perChannel = false;
    Comparison comparison = Comparison::torch;
    /// Sparse tensors: only stored elements can be hot.
    bool storedOnly = false;
    /// As typed, spaces squeezed ("> 0.8", "percentile 99").
    std::string text = "!= 0";

    bool operator==(const Where&) const = default;

    /// Parses `> T`, `>= T`, `< T`, `<= T`, `== T`, `!= T`, `between A B`, `outside A B`, `abs > T`, `abs >= T`, `nan`, `inf`,
    /// `finite`, `percentile P`, `sigma K`, `max F`, `otsu`. Spaces around operators are free. Throws UsageError that shows the
    /// forms.
    static Where parse(std::string_view text);
};

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ui {

/// One condition as the window offers it.
struct ConditionItem
{
    core::ConditionKind kind;
    const char* text;
    /// Its spelling on the command line, values appended.
    const char* word;
    int values;
    bool forComplex;
    const char* tip;
};

inline constexpr std::array conditionItems{
    ConditionItem{core::ConditionKind::gt, ">", ">", 1, false, "Greater than the value"},
    ConditionItem{core::ConditionKind::ge, "\u2265", ">=", 1, false, "At least the value"},
    ConditionItem{core::ConditionKind::lt, "<", "<", 1, false, "Less than the value"},
    ConditionItem{core::ConditionKind::le, "\u2264", "<=", 1, false, "At most the value"},
    ConditionItem{core::ConditionKind::eq, "=", "==", 1, true, "Equal to the value"},
    ConditionItem{core::ConditionKind::ne, "\u2260", "!=", 1, true, "Not equal to the value (NaN counts)"},
    ConditionItem{core::ConditionKind::between, "between", "between", 2, false,
                  "From the first to the second value, both included"},
    ConditionItem{core::ConditionKind::outside, "outside", "outside", 2, false, "Below the first or above the second value"},
    ConditionItem{core::ConditionKind::absGt, "|v| >", "abs >", 1, true, "Magnitude greater than the value"},
    ConditionItem{core::ConditionKind::absGe, "|v| \u2265", "abs >=", 1, true, "Magnitude at least the value"},
    ConditionItem{core::ConditionKind::nan, "NaN", "nan", 0, true, "Not a number"},
    ConditionItem{core::ConditionKind::inf, "infinite", "inf", 0, true, "Plus or minus infinity"},
    ConditionItem{core::ConditionKind::finite, "finite", "finite", 0, true, "Neither NaN nor infinite"},
};

/// One rule as the window offers it.
struct RuleItem
{
    core::RuleKind kind;
    const char* text;
    const char* word;
    /// Parameter at first, empty for none, and how far an arrow moves it.
    const char* parameter;
    double step;
    double least;
    double most;
    const char* tip;
};

inline constexpr std::array ruleItems{
    RuleItem{core::RuleKind::percentile, "percentile", "percentile", "99", 1, 0, 100,
             "Greater than this percentile of the finite values"},
    RuleItem{core::RuleKind::sigma, "mean + k \u03c3", "sigma", "3", 0.5, -std::numeric_limits<double>::infinity(),
             std::numeric_limits<double>::infinity(), "Greater than the mean plus k standard deviations"},
    RuleItem{core::RuleKind::max, "part of max", "max", "0.5", 0.05, -std::numeric_limits<double>::infinity(),
             std::numeric_limits<double>::infinity(), "Greater than this fraction of the maximum"},
    RuleItem{core::RuleKind::otsu, "Otsu", "otsu", "", 0, 0, 0, "Otsu's threshold between two groups of values"},
};

/// The item of a condition.
inline const ConditionItem& itemOf(core::ConditionKind kind)
{
    return *std::find_if(conditionItems.begin(), conditionItems.end(), [kind](auto& item) { return item.kind == kind; });
}

} // namespace ui

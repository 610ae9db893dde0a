// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/dense_scan.h"
#include "core/engine/first_scan.h"
#include "core/engine/tensor_index.h"

namespace core {

/// A test ready for codes: what they know of each of its conditions.
struct CodePlan
{
    const ValueCodes* codes = nullptr;
    std::vector<CodeAnswer> answers;

    const CodeAnswer& of(const HotTest& test, std::int64_t channel) const
    {
        return answers[test.isPerChannel() ? test.conditionOf(channel) : 0];
    }
};

/// What a plan is for: the share of elements that may be left open, before reading the values costs less. marks: masks and
/// rows.
enum class CodeUse { counts, marks, maps, draft };
/// Nothing where codes are missing, cannot say a condition, or leave too much open. A draft leaves nothing open.
std::optional<CodePlan> planCodes(const ValueCodes* codes, const HotTest& test, CodeUse use);

/// Counts per chunk of the index: its counts of the hot codes, and the open elements looked at.
std::vector<std::int64_t> countByCodes(const PlaneGrid& grid, const TensorIndex& index, const HotTest& test,
                                       const CodePlan& plan, const Workers& workers, const Job& job);

/// Whether reduceByCodes answers all queries of a job: counts from codes, largest values from the max map; sums and means from
/// codes where these are values, or in a draft.
bool canReduceByCodes(const MapJob& maps, const std::optional<CodePlan>& plan, const MaxMap& maxMap, const HotTest& test,
                      DType dtype, bool draft);

/// The maps; of a draft those of counts, sums and means may only be near the true ones.
struct CodeMaps
{
    std::vector<Tensor> maps;
    bool areExact = true;
};
CodeMaps reduceByCodes(const PlaneGrid& grid, const HotTest& test, const MapJob& maps, const std::optional<CodePlan>& plan,
                       const MaxMap& maxMap, const Workers& workers, const Job& job);

/// Mask of every step-th row and column of a plane, as markPlane gives it.
Tensor markByCodes(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const CodePlan& plan, std::int64_t step,
                   const Workers& workers, const Job& job);

/// Hot elements [first, first + n) of a plane as mask words; returns their number. n: a multiple of 64, or up to the plane's
/// end.
std::int64_t markRunByCodes(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const CodePlan& plan,
                            std::int64_t first, std::int64_t n, Scratch& scratch, std::uint64_t* words);

} // namespace core

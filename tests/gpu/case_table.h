// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "tests/support/random_tensor.h"

#include <string>
#include <vector>

/// The cases in which a GPU engine must say what the CPU engine says, to the last bit.
namespace support {

/// A tensor, the part of it that is analysed, and what is asked of it.
struct GpuCase
{
    std::string name;
    core::Tensor tensor;
    core::Selection selection;
    /// Stands beside the tensor in a fusion or an update.
    core::Tensor other;
    std::vector<core::Query> queries;
    std::vector<int> histogramBins;
};

/// A condition or rule that has a meaning for a dtype.
core::Where randomWhere(core::DType dtype, Random& random);
/// A number from 0 to n - 1.
std::int64_t below(std::int64_t n, Random& random);

/// Case `number` of a dtype: shape, layout, strides, fixed indices, conditions, rules and outputs vary with it.
GpuCase makeGpuCase(core::DType dtype, std::uint64_t number);
/// Cases of a dtype that vary everything.
inline constexpr std::uint64_t gpuCases = 160;

/// What differs between two engines' answers to a case; empty when nothing does. Any NaN equals any other: its sign and
/// payload are not the same on every machine.
std::string compareEngines(const GpuCase& c, const core::Engine& cpu, const core::Engine& gpu);
/// The same of one answer to a query.
std::string compareResults(const core::Query& query, const core::Result& expected, const core::Result& actual);

} // namespace support

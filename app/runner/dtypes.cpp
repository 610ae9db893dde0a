// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/dtypes.h"

#include <algorithm>
#include <array>
#include <c10/core/ScalarType.h>

namespace runner {
namespace {

struct Named
{
    c10::ScalarType type;
    std::string_view name;
};

/// The names of core/dtype.h.
constexpr std::array names{
    Named{at::kBool, "bool"},
    Named{at::kByte, "uint8"},
    Named{at::kChar, "int8"},
    Named{at::kUInt16, "uint16"},
    Named{at::kShort, "int16"},
    Named{at::kUInt32, "uint32"},
    Named{at::kInt, "int32"},
    Named{at::kUInt64, "uint64"},
    Named{at::kLong, "int64"},
    Named{at::kFloat8_e4m3fn, "float8_e4m3fn"},
    Named{at::kFloat8_e5m2, "float8_e5m2"},
    Named{at::kFloat8_e4m3fnuz, "float8_e4m3fnuz"},
    Named{at::kFloat8_e5m2fnuz, "float8_e5m2fnuz"},
    Named{at::kHalf, "float16"},
    Named{at::kBFloat16, "bfloat16"},
    Named{at::kFloat, "float32"},
    Named{at::kDouble, "float64"},
    Named{at::kComplexFloat, "complex64"},
    Named{at::kComplexDouble, "complex128"},
};

} // namespace

std::string dtypeName(c10::ScalarType type)
{
    const auto found = std::ranges::find(names, type, &Named::type);
    return found == names.end() ? c10::toString(type) : std::string(found->name);
}

bool isPlain(c10::ScalarType type)
{
    return std::ranges::find(names, type, &Named::type) != names.end();
}

std::optional<c10::ScalarType> dtypeFromName(std::string_view name)
{
    const auto found = std::ranges::find(names, name, &Named::name);
    if (found == names.end())
        return std::nullopt;
    return found->type;
}

} // namespace runner

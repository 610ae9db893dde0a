// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core::io {

/// What a safetensors header says of one tensor.
struct SafeTensor
{
    std::string name;
    /// The format's word: "F32", "BF16", "F8_E4M3".
    std::string dtype;
    Shape shape;
    /// Bytes [begin, end) of the data, counted from the end of the header.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct SafeHeader
{
    /// In the file's order.
    std::vector<SafeTensor> tensors;
    std::vector<std::pair<std::string, std::string>> metadata;
};

/// A dtype of the format.
struct SafeDType
{
    std::string_view name;
    /// Nothing for dtypes that are packed below a byte or have no counterpart here.
    std::optional<DType> dtype;
};
/// Every dtype of the format (safetensors 0.8, `Dtype` of tensor.rs).
std::span<const SafeDType> safeDTypes();

/// Parses the JSON of a safetensors header. Throws Error that begins with `subject`: no JSON, a duplicate key, a field missing
/// or of the wrong kind, more than 64 axes. Sizes are not checked yet.
SafeHeader parseSafeHeader(std::string_view json, const std::string& subject);

} // namespace core::io

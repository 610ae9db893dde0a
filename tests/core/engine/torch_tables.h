// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// What PyTorch answered, from tests/data/engine (see make_operation_tables.py).
namespace tables {

/// The lines of a table, comments left out.
inline std::vector<std::string> lines(const std::string& name)
{
    std::ifstream file(std::string(TEST_DATA "/engine/") + name);
    std::vector<std::string> out;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line.front() != '#')
            out.push_back(line);
    return out;
}

inline std::vector<std::byte> bytesOf(const std::string& hex)
{
    std::vector<std::byte> out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(std::byte(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return out;
}

inline core::Tensor tensorOf(core::DType dtype, core::Shape shape, const std::string& hex)
{
    return core::Tensor::contiguous(dtype, std::move(shape), core::Storage::fromVector(bytesOf(hex)));
}

/// Whether a float of `size` bytes is NaN.
inline bool isNan(const std::byte* at, std::size_t size, core::DType dtype)
{
    if (size == 4 || size == 8) {
        float single = 0;
        double twice = 0;
        std::memcpy(size == 4 ? static_cast<void*>(&single) : &twice, at, size);
        return std::isnan(single) || std::isnan(twice);
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, 2);
    return (bits & 0x7fff) > (dtype == core::DType::f16 ? 0x7c00 : 0x7f80);
}

/// Whether a float of `size` bytes is a zero.
inline bool isZero(const std::byte* at, std::size_t size)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, size);
    return bits << (64 - 8 * size + 1) == 0;
}

/// Whether stored elements are the same bits, or NaN both. Parts of complex values are compared one by one, and zeros without
/// their sign: PyTorch's vectors and its scalars make different ones.
inline bool same(const std::byte* a, const std::byte* b, std::int64_t elements, core::DType dtype)
{
    const bool isReal = core::isFloating(dtype) || core::isComplex(dtype);
    const std::size_t parts = core::isComplex(dtype) ? 2 : 1;
    const std::size_t size = static_cast<std::size_t>(core::itemSize(dtype)) / parts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements) * parts; ++i, a += size, b += size)
        if (std::memcmp(a, b, size) != 0 && !(isReal && isNan(a, size, dtype) && isNan(b, size, dtype)) &&
            !(parts == 2 && isZero(a, size) && isZero(b, size)))
            return false;
    return true;
}

} // namespace tables

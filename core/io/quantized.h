// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/strided_source.h"
#include "core/io/torch_names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core::io {

/// How the integers of a quantized tensor stand for real numbers.
struct Quantizer
{
    enum class Scheme { perTensor, perChannel, perChannelFloat };

    QuantizedKind kind = QuantizedKind::quint8;
    Scheme scheme = Scheme::perTensor;
    /// One per channel, or one.
    std::vector<double> scales;
    /// Integers but for perChannelFloat.
    std::vector<double> zeroPoints;
    /// The channel axis of the per-channel schemes.
    std::size_t axis = 0;

    /// "quantized quint8, scale 0.1, zero point 3"; per channel the first few of each.
    std::string note() const;
};

/// The float32 values that PyTorch's dequantize() gives, row-major. `source` holds the integers. Throws Error when the copy
/// passes the source's budget; Cancelled.
Tensor dequantize(const StridedSource& source, const Quantizer& quantizer, const Job& job);

} // namespace core::io

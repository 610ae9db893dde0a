// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels_codes.h"
#include "core/engine/parallel.h"

namespace core {

/// Codes of some pixels in all channels.
struct ChannelCodes
{
    const std::uint8_t* codes = nullptr;
    std::int64_t channels = 0;
    /// Bytes from one channel's codes to the next one's.
    std::int64_t channelStride = 0;
};

/// Whether elements have to be looked at, of sums or of counts alone.
bool isLeftOpen(const CodeTest& test, bool withSum);

/// Takes the short accumulators of `totals` from two slots of `scratch` from `slot` on, and sets them to 0.
void takeShort(CodeTotals& totals, Scratch& scratch, std::size_t slot);

/// Adds codes to accumulators of which the short ones are 0, and are so afterwards. Nothing of the test is left open.
void addAllCodes(const ChannelCodes& codes, const CodeTest& test, const CodeTotals& totals, const Job& job);

} // namespace core

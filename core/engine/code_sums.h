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

/// Adds them to `totals`, of which the short accumulators are taken from two slots of `scratch` from `slot` on. Nothing of the
/// test is left open: no mixed codes, and all of them regular.
void addAllCodes(const ChannelCodes& codes, const CodeTest& test, CodeTotals totals, Scratch& scratch, std::size_t slot);

} // namespace core

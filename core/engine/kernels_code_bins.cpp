// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_codes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_code_bins.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_CODE_BINS_ONCE
#define ACTISCOPE_KERNELS_CODE_BINS_ONCE
namespace core {
namespace {

void codesOfRest(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes, std::int64_t first)
{
    for (std::int64_t i = first; i < n; ++i)
        codes[i] = codeOfBin(bins[i], scale);
}

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

void convert(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes)
{
    codesOfRest(bins, n, scale, codes, 0);
}

#else

void convert(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes)
{
    const hn::ScalableTag<std::uint16_t> d;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const auto factor = hn::Set(d, scale.factor);
    const auto last = hn::Set(d, static_cast<std::uint16_t>(scale.bins - 1));
    const auto infinity = hn::Set(d, static_cast<std::uint16_t>(scale.bins));
    const std::int64_t whole = n / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto bin = hn::LoadU(d, bins + i);
        auto code = scale.factor ? hn::MulHigh(bin, factor) : bin;
        const auto above = hn::Gt(bin, last);
        if (HWY_UNLIKELY(!hn::AllFalse(d, above)))
            code = hn::IfThenElse(above,
                                  hn::Add(hn::Set(d, std::uint16_t{infinityCode}),
                                          hn::IfThenElseZero(hn::Gt(bin, infinity), hn::Set(d, std::uint16_t{1}))),
                                  code);
        hn::StoreU(hn::DemoteTo(d8, hn::BitCast(hn::RebindToSigned<decltype(d)>(), code)), d8, codes + i);
    }
    codesOfRest(bins, n, scale, codes, whole);
}

#endif

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(convert);

CodeScale makeCodeScale(int bins)
{
    if (bins <= finiteCodes)
        return {bins, 0};
    return {bins, static_cast<std::uint16_t>(finiteCodes * 65536 / bins)};
}

std::uint8_t codeOfBin(int bin, const CodeScale& scale)
{
    if (bin >= scale.bins)
        return bin == scale.bins ? infinityCode : nanCode;
    return static_cast<std::uint8_t>(scale.factor ? (static_cast<std::uint32_t>(bin) * scale.factor) >> 16 : bin);
}

void codesOfBins(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes)
{
    HWY_DYNAMIC_DISPATCH(convert)(bins, n, scale, codes);
}

} // namespace core
#endif

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/sample_kernels.h"

#include "core/render/image.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/render/sample_kernels.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_SAMPLE_KERNELS_ONCE
#define ACTISCOPE_SAMPLE_KERNELS_ONCE
namespace core {
namespace {

unsigned columnWeight(const Samples& samples, int pixel, int column)
{
    if (!samples.second)
        return 1;
    const auto second = static_cast<unsigned>(samples.second[pixel]);
    return column == 0 ? 256 - second : second;
}

std::uint32_t averageOf(const Samples& samples, int pixel)
{
    unsigned r = 0;
    unsigned g = 0;
    unsigned b = 0;
    unsigned a = 0;
    unsigned all = 0;
    for (int j = 0; j < samples.rows; ++j)
        for (int i = 0; i < samples.columns; ++i) {
            const std::uint32_t rgba = samples.row[j][samples.column[i][pixel]];
            const unsigned weight = sampleWeight(samples.rowWeight[j], columnWeight(samples, pixel, i));
            const unsigned alpha = weight * (rgba >> 24);
            r += alpha * (rgba & 255);
            g += alpha * (rgba >> 8 & 255);
            b += alpha * (rgba >> 16 & 255);
            a += alpha;
            all += weight;
        }
    if (a == 0)
        return 0;
    return rgba((r + a / 2) / a, (g + a / 2) / a, (b + a / 2) / a, (a + all / 2) / all);
}

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

void average(const Samples& samples, int count, std::uint32_t* out)
{
    for (int i = 0; i < count; ++i)
        out[i] = averageOf(samples, i);
}

#else

using DU = hn::ScalableTag<std::uint32_t>;
using DI = hn::RebindToSigned<DU>;
using Words = hn::Vec<DU>;

/// (sum + divisor / 2) / divisor in integers, by the inverse: half a unit added keeps the product clear of whole numbers.
/// Sums stay below 2^31.
class Divisor
{
public:
    explicit Divisor(Words divisor)
        : m_half(hn::BitCast(DI(), hn::ShiftRight<1>(divisor))), m_lower(inverse(lowerOf(hn::BitCast(DI(), divisor)))),
          m_upper(inverse(upperOf(hn::BitCast(DI(), divisor))))
    {
    }

    Words operator()(Words sum) const
    {
        const auto number = hn::Add(hn::BitCast(DI(), sum), m_half);
        const hn::Half<DI> half;
        const auto lower = hn::DemoteTo(half, hn::Mul(hn::Add(lowerOf(number), hn::Set(DD(), 0.5)), m_lower));
        const auto upper = hn::DemoteTo(half, hn::Mul(hn::Add(upperOf(number), hn::Set(DD(), 0.5)), m_upper));
        return hn::BitCast(DU(), hn::Combine(DI(), upper, lower));
    }

private:
    using DD = hn::ScalableTag<double>;
    using V = hn::Vec<DD>;

    static V inverse(V divisor) { return hn::Div(hn::Set(DD(), 1.0), divisor); }
    static V lowerOf(hn::Vec<DI> number) { return hn::PromoteTo(DD(), hn::LowerHalf(number)); }
    static V upperOf(hn::Vec<DI> number) { return hn::PromoteTo(DD(), hn::UpperHalf(hn::Half<DI>(), number)); }

    hn::Vec<DI> m_half;
    V m_lower;
    V m_upper;
};

/// Averages of as many pixels as a vector holds.
Words averageFrom(const Samples& samples, int first)
{
    const DU d;
    const auto byte = hn::Set(d, 255U);
    auto r = hn::Zero(d);
    auto g = hn::Zero(d);
    auto b = hn::Zero(d);
    auto a = hn::Zero(d);
    auto all = hn::Zero(d);
    for (int i = 0; i < samples.columns; ++i) {
        const auto columns = hn::LoadU(DI(), samples.column[i] + first);
        auto columnWeights = hn::Set(d, 1U);
        if (samples.second) {
            const auto second = hn::BitCast(d, hn::LoadU(DI(), samples.second + first));
            columnWeights = i == 0 ? hn::Sub(hn::Set(d, 256U), second) : second;
        }
        for (int j = 0; j < samples.rows; ++j) {
            const auto product = hn::Mul(hn::Set(d, samples.rowWeight[j]), columnWeights);
            const auto weight = hn::ShiftRight<4>(hn::Add(product, hn::Set(d, 15U)));
            const auto pixels = hn::GatherIndex(d, samples.row[j], columns);
            const auto alpha = hn::Mul(weight, hn::ShiftRight<24>(pixels));
            r = hn::Add(r, hn::Mul(alpha, hn::And(pixels, byte)));
            g = hn::Add(g, hn::Mul(alpha, hn::And(hn::ShiftRight<8>(pixels), byte)));
            b = hn::Add(b, hn::Mul(alpha, hn::And(hn::ShiftRight<16>(pixels), byte)));
            a = hn::Add(a, alpha);
            all = hn::Add(all, weight);
        }
    }
    // Nothing but transparent pixels: sums of 0 by 1.
    const Divisor byAlpha(hn::Max(a, hn::Set(d, 1U)));
    const auto color = hn::Or(byAlpha(r), hn::Or(hn::ShiftLeft<8>(byAlpha(g)), hn::ShiftLeft<16>(byAlpha(b))));
    return hn::Or(color, hn::ShiftLeft<24>(Divisor(all)(a)));
}

void average(const Samples& samples, int count, std::uint32_t* out)
{
    const DU d;
    constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
    int i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(averageFrom(samples, i), d, out + i);
    for (; i < count; ++i)
        out[i] = averageOf(samples, i);
}

#endif

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(average);

void averageSamples(const Samples& samples, int count, std::uint32_t* out)
{
    HWY_DYNAMIC_DISPATCH(average)(samples, count, out);
}

} // namespace core
#endif

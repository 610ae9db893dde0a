// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/hot_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace core {
namespace {

constexpr double cold = -1;

template <class Real>
struct Parts
{
    Real re;
    Real im;

    explicit Parts(const std::byte* element) { std::memcpy(this, element, sizeof *this); }
    Real magnitude() const { return std::hypot(re, im); }
};

/// Whether a complex element meets a condition (==, !=, abs, nan, inf, finite), as PyTorch's eq, ne, abs, isnan, isinf,
/// isfinite.
template <class Real>
bool meets(const Parts<Real>& z, ConditionKind kind, const Predicate<Real>& predicate)
{
    switch (kind) {
    case ConditionKind::nan:
        return std::isnan(z.re) || std::isnan(z.im);
    case ConditionKind::inf:
        return std::isinf(z.re) || std::isinf(z.im);
    case ConditionKind::finite:
        return std::isfinite(z.re) && std::isfinite(z.im);
    case ConditionKind::absGt:
    case ConditionKind::absGe:
        return predicate(z.magnitude());
    default:
        return (predicate(z.re) && z.im == 0) == (kind == ConditionKind::eq);
    }
}

template <class Real>
double seeParts(const std::byte* element, std::optional<ConditionKind> kind, const Predicate<Real>& predicate)
{
    const Parts<Real> z(element);
    if (!kind && (std::isnan(z.re) || std::isnan(z.im)))
        return std::numeric_limits<double>::quiet_NaN();
    if (kind && !meets(z, *kind, predicate))
        return cold;
    return static_cast<double>(z.magnitude());
}

void checkComplex(const Condition& condition, DType dtype)
{
    switch (condition.kind) {
    case ConditionKind::eq:
    case ConditionKind::ne:
    case ConditionKind::absGt:
    case ConditionKind::absGe:
    case ConditionKind::nan:
    case ConditionKind::inf:
    case ConditionKind::finite:
        return;
    default:
        // Refuses, and says which conditions there are.
        (void)makePredicate<double>(condition, dtype, Comparison::torch);
    }
}

} // namespace

int seenSize(DType dtype)
{
    return withSeenType(dtype, [](auto seen) { return static_cast<int>(sizeof seen); });
}

double ComplexView::see(DType dtype, const std::byte* element) const
{
    return dtype == DType::c64 ? seeParts<float>(element, kind, single) : seeParts<double>(element, kind, twice);
}

HotTest::HotTest(DType dtype, Comparison comparison, std::vector<std::optional<Condition>> conditions)
    : m_dtype(dtype), m_comparison(comparison), m_conditions(std::move(conditions))
{
    // No channels, no rule thresholds: nothing is hot.
    if (m_conditions.empty())
        m_conditions.emplace_back();
    if (!isComplex(dtype))
        return;
    for (const std::optional<Condition>& condition : m_conditions)
        if (condition)
            checkComplex(*condition, dtype);
}

HotTest::HotTest(DType dtype, Comparison comparison, std::vector<std::int64_t> channels,
                 std::vector<std::optional<Condition>> conditions)
    : HotTest(dtype, comparison, std::move(conditions))
{
    m_channels = std::move(channels);
}

std::size_t HotTest::conditionOf(std::int64_t channel) const
{
    if (!isPerChannel())
        return 0;
    if (m_channels.empty())
        return static_cast<std::size_t>(channel);
    const auto found = std::lower_bound(m_channels.begin(), m_channels.end(), channel);
    const bool isOwn = found != m_channels.end() && *found == channel;
    return isOwn ? static_cast<std::size_t>(found - m_channels.begin()) : m_channels.size();
}

std::optional<std::int64_t> HotTest::nextCondition(std::int64_t channel) const
{
    if (!isPerChannel())
        return std::nullopt;
    if (m_channels.empty())
        return channel + 1;
    // The others' condition begins behind an own channel.
    const auto next = std::lower_bound(m_channels.begin(), m_channels.end(), channel);
    if (next == m_channels.end())
        return std::nullopt;
    return *next == channel ? channel + 1 : *next;
}

HotTest HotTest::everything(DType dtype)
{
    return HotTest(dtype);
}

std::vector<Threshold> HotTest::thresholds() const
{
    std::vector<Threshold> out;
    for (const std::optional<Condition>& condition : m_conditions)
        out.push_back(condition ? comparedThreshold(*condition, m_dtype, m_comparison) : Threshold{});
    return out;
}

ComplexView HotTest::complexView() const
{
    if (m_isEverything || !isComplex(m_dtype) || !m_conditions.front())
        return {};
    Condition plain = *m_conditions.front();
    ComplexView view{plain.kind, {}, {}};
    if (plain.kind == ConditionKind::ne)
        plain.kind = ConditionKind::eq;
    view.single = makePredicate<float>(plain, DType::f32, m_comparison);
    view.twice = makePredicate<double>(plain, DType::f64, m_comparison);
    return view;
}

template <class Seen>
Predicate<CompareOf<Seen>> HotTest::predicateOf(std::size_t index) const
{
    using Compare = CompareOf<Seen>;
    if (m_isEverything)
        return everyElement<Compare>();
    const std::optional<Condition>& condition = m_conditions[index];
    if (!condition)
        return {Compare{1}, Compare{0}, false, false};
    if constexpr (std::is_same_v<Seen, double>)
        if (isComplex(m_dtype))
            return {0.0, std::numeric_limits<double>::infinity(), false, true};
    return makePredicate<Compare>(*condition, m_dtype, m_comparison);
}

template Predicate<std::uint8_t> HotTest::predicateOf<std::uint8_t>(std::size_t) const;
template Predicate<std::int8_t> HotTest::predicateOf<std::int8_t>(std::size_t) const;
template Predicate<std::uint16_t> HotTest::predicateOf<std::uint16_t>(std::size_t) const;
template Predicate<std::int16_t> HotTest::predicateOf<std::int16_t>(std::size_t) const;
template Predicate<std::uint32_t> HotTest::predicateOf<std::uint32_t>(std::size_t) const;
template Predicate<std::int32_t> HotTest::predicateOf<std::int32_t>(std::size_t) const;
template Predicate<std::uint64_t> HotTest::predicateOf<std::uint64_t>(std::size_t) const;
template Predicate<std::int64_t> HotTest::predicateOf<std::int64_t>(std::size_t) const;
template Predicate<float> HotTest::predicateOf<Half>(std::size_t) const;
template Predicate<float> HotTest::predicateOf<BFloat16>(std::size_t) const;
template Predicate<float> HotTest::predicateOf<float>(std::size_t) const;
template Predicate<double> HotTest::predicateOf<double>(std::size_t) const;

} // namespace core

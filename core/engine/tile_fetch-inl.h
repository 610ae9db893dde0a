// SPDX-License-Identifier: GPL-3.0-or-later
// How kernels_tile.cpp brings all stored types as the two that it reduces; compiled once per vector target.
#if defined(ACTISCOPE_TILE_FETCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTISCOPE_TILE_FETCH_INL_H
#undef ACTISCOPE_TILE_FETCH_INL_H
#else
#define ACTISCOPE_TILE_FETCH_INL_H
#endif

#include "core/engine/kernels_plain.h"
#include "core/engine/vectors-inl.h"

#if !ACTISCOPE_PLAIN
HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

/// Brings a tile's values, `storedBytes` each, as Work. isDirect: they are Work already, and may be taken where they lie.
template <class Work>
struct Fetch
{
    const std::int64_t storedBytes;
    const bool isDirect;

    virtual void operator()(const std::byte* values, std::int64_t n, Work* to) const = 0;

protected:
    explicit Fetch(std::int64_t bytes, bool direct = false) : storedBytes(bytes), isDirect(direct) {}
    ~Fetch() = default;
};

template <class Work>
struct Copy final : Fetch<Work>
{
    Copy() : Fetch<Work>(sizeof(Work), true) {}

    void operator()(const std::byte* values, std::int64_t n, Work* to) const override
    {
        std::memcpy(to, values, static_cast<std::size_t>(n) * sizeof(Work));
    }
};

/// Writes `n` values as Work: `vectorAt(at)` makes a vector, `oneAt(index)` one.
template <class Stored, class Work, class VectorAt, class OneAt>
HWY_INLINE void fetchEach(const std::byte* values, std::int64_t n, Work* to, VectorAt vectorAt, OneAt oneAt)
{
    const hn::ScalableTag<Work> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(vectorAt(values + i * static_cast<std::int64_t>(sizeof(Stored))), d, to + i);
    for (; i < n; ++i)
        to[i] = oneAt(i);
}

/// For types of which Work holds every value.
template <class Stored>
struct Widen final : Fetch<MapType<Stored>>
{
    using Work = MapType<Stored>;

    Widen() : Fetch<Work>(sizeof(Stored)) {}

    void operator()(const std::byte* values, std::int64_t n, Work* to) const override
    {
        const auto vectorAt = [](const std::byte* at) HWY_ATTR {
            const hn::ScalableTag<Work> d;
            if constexpr (std::is_same_v<Work, float>)
                return loadFloat<Stored>(d, at);
            else
                return loadDouble<Stored>(d, at);
        };
        fetchEach<Stored>(values, n, to, vectorAt,
                          [=](std::int64_t i) { return static_cast<Work>(plain::load<Stored>(values, i)); });
    }
};

/// 64-bit integers are tested as they are, since float64 does not hold them all: hot ones become float64, cold ones NaN.
template <class Stored>
struct WidenHot final : Fetch<double>
{
    explicit WidenHot(const Predicate<Stored>& predicate)
        : Fetch<double>(sizeof(Stored)), m_predicate(predicate), m_test(predicate)
    {
    }

    void operator()(const std::byte* values, std::int64_t n, double* to) const override
    {
        const auto test = m_test;
        const auto vectorAt = [test](const std::byte* at) HWY_ATTR {
            const hn::ScalableTag<double> d;
            const auto value = hn::LoadU(hn::ScalableTag<Stored>(), reinterpret_cast<const Stored*>(at));
            return hn::IfThenElse(hn::RebindMask(d, test(value)), hn::ConvertTo(d, value), hn::Set(d, cold));
        };
        fetchEach<Stored>(values, n, to, vectorAt, [this, values](std::int64_t i) {
            const Stored value = plain::load<Stored>(values, i);
            return m_predicate(value) ? static_cast<double>(value) : cold;
        });
    }

private:
    static constexpr double cold = std::numeric_limits<double>::quiet_NaN();
    Predicate<Stored> m_predicate;
    Test<Stored, false> m_test;
};

/// The predicate on widened values.
template <class Work, class Compare>
Predicate<Work> widened(const Predicate<Compare>& predicate)
{
    Predicate<Work> result{static_cast<Work>(predicate.lo), static_cast<Work>(predicate.hi), predicate.invert,
                           predicate.nanHot};
    if constexpr (std::is_integral_v<Compare>)
        if (predicate.hi == std::numeric_limits<Compare>::max())
            result.hi = std::numeric_limits<Work>::infinity();
    return result;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif

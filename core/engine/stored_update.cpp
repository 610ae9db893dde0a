// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/stored_update.h"

#include "core/engine/update_numbers.h"

#include <cmath>
#include <cstring>

namespace core {
namespace {

using RunUpdate = std::function<HitCounts(const UpdateRun&, std::int64_t)>;

/// The predicates of a test on seen values.
template <class Seen>
class HotPredicates
{
public:
    explicit HotPredicates(const HotTest& test) : m_test(test)
    {
        for (std::size_t i = 0; i < test.conditionCount(); ++i)
            m_predicates.push_back(test.predicateOf<Seen>(i));
    }

    const Predicate<CompareOf<Seen>>& operator[](std::int64_t channel) const
    {
        return m_predicates[m_test.conditionOf(channel)];
    }

private:
    const HotTest& m_test;
    std::vector<Predicate<CompareOf<Seen>>> m_predicates;
};

/// What the kernels know.
template <class Stored>
RunUpdate updateOfStored(const SelectQuery& query, const HotTest& test, DType dtype)
{
    return [hot = HotPredicates<Stored>(test), update = elementUpdate<CompareOf<Stored>>(query, dtype)](
               const UpdateRun& run, std::int64_t channel) { return updateHot<Stored>(run, hot[channel], update); };
}

/// Element by element: `isHot(element, channel)`, `change(element, to)`.
template <int size, class IsHot, class Change>
HitCounts updateEach(const UpdateRun& run, std::int64_t channel, const IsHot& isHot, const Change& change)
{
    HitCounts hits;
    for (std::int64_t i = 0; i < run.elements; ++i) {
        const std::byte* from = run.values + i * size;
        std::byte* const to = run.to + i * size;
        const bool hot = isHot(from, channel);
        std::memmove(to, hot && run.other ? run.other + i * size : from, size);
        if (!hot)
            continue;
        ++hits.before;
        if (!run.other)
            change(to);
        hits.after += isHot(to, channel);
    }
    return hits;
}

RunUpdate updateOfFloat8(const SelectQuery& query, const HotTest& test, DType dtype)
{
    const auto isHot = [hot = HotPredicates<float>(test), dtype](const std::byte* element, std::int64_t channel) {
        return hot[channel](float8ToFloat(dtype, std::to_integer<std::uint8_t>(*element)));
    };
    const auto change = [update = elementUpdate<float>(query, dtype), dtype](std::byte* element) {
        const float value = float8ToFloat(dtype, std::to_integer<std::uint8_t>(*element));
        if (value == value || update.kind == Update::set)
            *element = std::byte(toFloat8(dtype, updated(value, update, 0.0f)));
    };
    return [=](const UpdateRun& run, std::int64_t channel) { return updateEach<1>(run, channel, isHot, change); };
}

/// A complex number updated as PyTorch does with a real one: (re + im i) (f + 0 i) has all four products.
template <class Real>
void changeComplex(std::byte* element, const ElementUpdate<Real>& update)
{
    Real parts[2];
    std::memcpy(parts, element, sizeof parts);
    const Real re = parts[0];
    const Real im = parts[1];
    const auto quiet = [](Real value) { return value == value ? value : std::numeric_limits<Real>::quiet_NaN(); };
    if (update.kind == Update::set) {
        parts[0] = update.value;
        parts[1] = 0;
    } else if (update.kind == Update::negate) {
        parts[0] = updated(re, update, Real{});
        parts[1] = updated(im, update, Real{});
    } else {
        parts[0] = quiet(re * update.value - im * Real{0});
        parts[1] = quiet(re * Real{0} + im * update.value);
    }
    std::memcpy(element, parts, sizeof parts);
}

template <class Real>
RunUpdate updateOfComplex(const SelectQuery& query, const HotTest& test, DType dtype)
{
    const auto isHot = [hot = HotPredicates<double>(test), view = test.complexView(), dtype](
                           const std::byte* element, std::int64_t channel) { return hot[channel](view.see(dtype, element)); };
    const auto change = [update = elementUpdate<Real>(query, dtype)](std::byte* element) { changeComplex(element, update); };
    return
        [=](const UpdateRun& run, std::int64_t channel) { return updateEach<2 * sizeof(Real)>(run, channel, isHot, change); };
}

RunUpdate updateOf(const SelectQuery& query, const HotTest& test, DType dtype)
{
    if (isFloat8(dtype))
        return updateOfFloat8(query, test, dtype);
    if (dtype == DType::c64)
        return updateOfComplex<float>(query, test, dtype);
    if (dtype == DType::c128)
        return updateOfComplex<double>(query, test, dtype);
    return withSeenType(dtype, [&](auto stored) -> RunUpdate { return updateOfStored<decltype(stored)>(query, test, dtype); });
}

} // namespace

StoredUpdate::StoredUpdate(const SelectQuery& query, const HotTest& test, DType dtype) : m_update(updateOf(query, test, dtype))
{
}

} // namespace core

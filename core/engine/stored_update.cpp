// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/stored_update.h"

#include "core/engine/kernels_columns.h"
#include "core/engine/plain_operations.h"
#include "core/engine/update_numbers.h"
#include "core/engine/value_keys.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace core {
namespace {

using Updates = StoredUpdate::Updates;

/// Columns element by element: `update(run, condition)`.
template <class UpdateOne>
void updateEachOf(const UpdateColumns& columns, std::int64_t size, const UpdateOne& update)
{
    UpdateRun one = columns.run;
    one.elements = 1;
    std::size_t column = 0;
    for (std::int64_t i = 0; i < columns.run.elements; ++i) {
        const HitCounts hits = update(one, columns.conditions[column]);
        columns.before[column] += static_cast<std::uint32_t>(hits.before);
        columns.after[column] += static_cast<std::uint32_t>(hits.after);
        one.values += size;
        one.other += one.other ? size : 0;
        one.to += size;
        column = column + 1 == columns.conditions.size() ? 0 : column + 1;
    }
}

/// What the kernels know.
template <class Stored>
class StoredUpdates
{
    using Compare = CompareOf<Stored>;
    using Lane = ColumnLane<Stored>;

public:
    StoredUpdates(const SelectQuery& query, const HotTest& test, DType dtype)
        : m_predicates(test.predicates<Stored>()), m_update(elementUpdate<Compare>(query, dtype))
    {
        for (const Predicate<Compare>& predicate : m_predicates) {
            m_lanes.push_back(laneOf(predicate));
            m_differInBounds =
                m_differInBounds && predicate.invert == m_predicates[0].invert && predicate.nanHot == m_predicates[0].nanHot;
        }
    }

    HitCounts run(const UpdateRun& run, std::size_t condition) const
    {
        return updateHot<Stored>(run, m_predicates[condition], m_update);
    }

    void columns(const UpdateColumns& columns, Scratch& scratch, std::size_t slot) const
    {
        if (!m_differInBounds || !updateByKernel(columns, scratch, slot))
            updateEachOf(columns, sizeof(Stored), [&](const UpdateRun& one, std::size_t condition) {
                return plain::updateHot<Stored>(one, m_predicates[condition], m_update);
            });
    }

private:
    static Predicate<Lane> laneOf(const Predicate<Compare>& predicate)
    {
        if constexpr (std::is_same_v<Stored, Compare>)
            return predicate;
        else
            return keyPredicate<Stored>(predicate);
    }

    bool updateByKernel(const UpdateColumns& columns, Scratch& scratch, std::size_t slot) const
    {
        const auto n = static_cast<std::int64_t>(columns.conditions.size());
        const std::int64_t room = n + columnRoom;
        auto* const bounds = scratch.take<Lane>(slot, 2 * room);
        if (m_lanes.size() == 1) {
            std::fill_n(bounds, n, m_lanes[0].lo);
            std::fill_n(bounds + room, n, m_lanes[0].hi);
        } else {
            for (std::int64_t i = 0; i < n; ++i) {
                const Predicate<Lane>& lane = m_lanes[columns.conditions[static_cast<std::size_t>(i)]];
                bounds[i] = lane.lo;
                bounds[room + i] = lane.hi;
            }
        }
        auto* const counters = scratch.take<std::byte>(slot + 1, 2 * room * 8);
        const ColumnRun run{columns.run, n, {counters, counters + room * 8}, columns.before, columns.after};
        if (!updateColumns<Stored>(run, {bounds, bounds + room, m_lanes[0].invert, m_lanes[0].nanHot}, m_update))
            return false;
        if (m_update.kind == Update::set)
            for (std::size_t i = 0; i < columns.conditions.size(); ++i)
                columns.after[i] += m_predicates[columns.conditions[i]](m_update.value) ? columns.before[i] : 0;
        return true;
    }

    std::vector<Predicate<Compare>> m_predicates;
    std::vector<Predicate<Lane>> m_lanes;
    bool m_differInBounds = true;
    ElementUpdate<Compare> m_update;
};

template <class Stored>
Updates updatesOfStored(const SelectQuery& query, const HotTest& test, DType dtype)
{
    const auto updates = std::make_shared<const StoredUpdates<Stored>>(query, test, dtype);
    return {[updates](const UpdateRun& run, std::size_t condition) { return updates->run(run, condition); },
            [updates](const UpdateColumns& columns, Scratch& scratch, std::size_t slot) {
                updates->columns(columns, scratch, slot);
            }};
}

/// Element by element: `isHot(element, condition)`, `change(element, to)`.
template <int size, class IsHot, class Change>
HitCounts updateEach(const UpdateRun& run, std::size_t condition, const IsHot& isHot, const Change& change)
{
    HitCounts hits;
    for (std::int64_t i = 0; i < run.elements; ++i) {
        const std::byte* from = run.values + i * size;
        std::byte* const to = run.to + i * size;
        const bool hot = isHot(from, condition);
        std::memmove(to, hot && run.other ? run.other + i * size : from, size);
        if (!hot)
            continue;
        ++hits.before;
        if (!run.other)
            change(to);
        hits.after += isHot(to, condition);
    }
    return hits;
}

template <int size, class IsHot, class Change>
Updates updatesOfEach(const IsHot& isHot, const Change& change)
{
    const auto update = [isHot, change](const UpdateRun& run, std::size_t condition) {
        return updateEach<size>(run, condition, isHot, change);
    };
    return {update, [update](const UpdateColumns& columns, Scratch&, std::size_t) { updateEachOf(columns, size, update); }};
}

Updates updatesOfFloat8(const SelectQuery& query, const HotTest& test, DType dtype)
{
    const auto isHot = [hot = test.predicates<float>(), dtype](const std::byte* element, std::size_t condition) {
        return hot[condition](float8ToFloat(dtype, std::to_integer<std::uint8_t>(*element)));
    };
    const auto change = [update = elementUpdate<float>(query, dtype), dtype](std::byte* element) {
        const float value = float8ToFloat(dtype, std::to_integer<std::uint8_t>(*element));
        if (value == value || update.kind == Update::set)
            *element = std::byte(toFloat8(dtype, updated(value, update, 0.0f)));
    };
    return updatesOfEach<1>(isHot, change);
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
Updates updatesOfComplex(const SelectQuery& query, const HotTest& test, DType dtype)
{
    const auto isHot = [hot = test.predicates<double>(), view = test.complexView(), dtype](const std::byte* element,
                                                                                           std::size_t condition) {
        return hot[condition](view.see(dtype, element));
    };
    const auto change = [update = elementUpdate<Real>(query, dtype)](std::byte* element) { changeComplex(element, update); };
    return updatesOfEach<2 * sizeof(Real)>(isHot, change);
}

Updates updatesOf(const SelectQuery& query, const HotTest& test, DType dtype)
{
    if (isFloat8(dtype))
        return updatesOfFloat8(query, test, dtype);
    if (dtype == DType::c64)
        return updatesOfComplex<float>(query, test, dtype);
    if (dtype == DType::c128)
        return updatesOfComplex<double>(query, test, dtype);
    return withSeenType(dtype, [&](auto stored) -> Updates { return updatesOfStored<decltype(stored)>(query, test, dtype); });
}

} // namespace

StoredUpdate::StoredUpdate(const SelectQuery& query, const HotTest& test, DType dtype)
    : m_test(test), m_updates(updatesOf(query, test, dtype))
{
}

} // namespace core

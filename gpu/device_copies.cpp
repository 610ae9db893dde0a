// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_copies.h"

#include "core/engine/part_copy.h"
#include "core/engine/update_numbers.h"
#include "gpu/download.h"
#include "gpu/own_order.h"

#include <cstring>

namespace gpu {
namespace {

static_assert(static_cast<int>(UpdateKind::set) == static_cast<int>(core::Update::set) &&
              static_cast<int>(UpdateKind::replace) == static_cast<int>(core::Update::replace));

/// The new tensor: launch(first element, elements, room) for its parts.
template <class Launch>
core::Tensor makeCopy(const CopyJob& copy, Launch launch)
{
    const core::DType dtype = copy.values.dtype();
    const std::int64_t size = core::itemSize(dtype);
    const std::int64_t bytes = copy.values.extents().elements() * size;
    core::PooledStorage memory(copy.pool, static_cast<std::size_t>(bytes));
    const auto make = [&](std::int64_t first, std::int64_t n, std::byte* room) {
        launch(first / size, n / size, room);
        return room;
    };
    download(copy.values, memory.data(), bytes, make, copy.workers, copy.job);
    return core::Tensor::contiguous(dtype, core::partShape(copy.tensor.shape(), copy.selection), std::move(memory).take());
}

std::int64_t blocksFor(std::int64_t elements)
{
    return (elements + copyElements - 1) / copyElements;
}

template <class Work>
std::uint64_t bitsOf(Work value)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

/// What becomes of each 8-bit float that is hot.
std::vector<std::uint8_t> updatedBytes(const core::ElementUpdate<float>& update, core::DType dtype)
{
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < 256; ++i) {
        const auto stored = static_cast<std::uint8_t>(i);
        const float value = core::float8ToFloat(dtype, stored);
        const bool changes = value == value || update.kind == core::Update::set;
        bytes.push_back(changes ? core::toFloat8(dtype, core::updated(value, update, 0.0f)) : stored);
    }
    return bytes;
}

/// The numbers of an update.
DeviceArray setNumbers(const DeviceValues& values, const core::SelectQuery& query, UpdateParameters& p)
{
    DeviceArray bytes;
    core::withSeenType(values.dtype(), [&](auto seen) {
        const auto update = core::elementUpdate<core::CompareOf<decltype(seen)>>(query, values.dtype());
        p.kind = static_cast<UpdateKind>(update.kind);
        p.value = bitsOf(update.value);
        p.lower = bitsOf(update.lower);
        p.upper = bitsOf(update.upper);
        if constexpr (std::is_same_v<decltype(seen), float>)
            if (core::isFloat8(values.dtype()))
                bytes = DeviceArray(values, updatedBytes(update, values.dtype()));
    });
    p.bytes = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return bytes;
}

} // namespace

core::Selected updateElements(const CopyJob& copy, const core::SelectQuery& query, const core::HotTest& test)
{
    const DeviceValues& values = copy.values;
    const std::int64_t planes = values.extents().planes();
    UpdateParameters p{};
    const DeviceArray bytes = setNumbers(values, query, p);
    const DeviceHot hot(values, test);
    const auto counts = values.memory().takeArray<std::uint64_t>(2 * planes);
    values.device().fill(counts.data(), 0, static_cast<std::size_t>(2 * planes) * sizeof(std::uint64_t));
    p.planes = values.planes();
    p.order = ownOrder(copy.tensor, copy.selection, values.extents());
    p.hot = hot.table();
    p.other = copy.other ? copy.other->planes().values : nullptr;
    p.before = counts.as<std::uint64_t>();
    p.after = p.before + planes;
    core::Selected result;
    result.values = makeCopy(copy, [&](std::int64_t first, std::int64_t n, std::byte* room) {
        p.first = first;
        p.count = n;
        p.to = room;
        values.device().launch(values.type(), blocksFor(n), p);
    });
    result.before = values.fetch<std::int64_t>(counts.data(), 2 * planes);
    result.after.assign(result.before.begin() + planes, result.before.end());
    result.before.resize(static_cast<std::size_t>(planes));
    return result;
}

core::Tensor copyChosen(const CopyJob& copy, const core::Fused& chosen)
{
    const DeviceValues& values = copy.values;
    std::vector<std::uint8_t> isFirst;
    for (std::size_t plane = 0; plane < chosen.norms.size(); ++plane)
        isFirst.push_back(chosen.isFirst(plane));
    const DeviceArray there(values, isFirst);
    ChooseParameters p{};
    p.planes = values.planes();
    p.other = copy.other->planes().values;
    p.isFirst = reinterpret_cast<const std::uint8_t*>(there.data());
    p.order = ownOrder(copy.tensor, copy.selection, values.extents());
    return makeCopy(copy, [&](std::int64_t first, std::int64_t n, std::byte* room) {
        p.first = first;
        p.count = n;
        p.to = room;
        values.device().launch(values.type(), blocksFor(n), p);
    });
}

} // namespace gpu

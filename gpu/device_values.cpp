// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_values.h"

#include "gpu/upload.h"

#include <cstring>

namespace gpu {
namespace {

Stored storedType(core::DType dtype)
{
    switch (dtype) {
    case core::DType::boolean:
    case core::DType::u8:
        return Stored::u8;
    case core::DType::i8:
        return Stored::i8;
    case core::DType::u16:
        return Stored::u16;
    case core::DType::i16:
        return Stored::i16;
    case core::DType::u32:
        return Stored::u32;
    case core::DType::i32:
        return Stored::i32;
    case core::DType::u64:
        return Stored::u64;
    case core::DType::i64:
        return Stored::i64;
    case core::DType::f16:
        return Stored::f16;
    case core::DType::bf16:
        return Stored::bf16;
    case core::DType::f32:
        return Stored::f32;
    case core::DType::f64:
        return Stored::f64;
    default:
        return Stored::f8;
    }
}

/// The 256 values of an 8-bit float.
std::vector<float> float8Table(core::DType dtype)
{
    std::vector<float> values;
    for (int bits = 0; bits < 256; ++bits)
        values.push_back(core::float8ToFloat(dtype, static_cast<std::uint8_t>(bits)));
    return values;
}

} // namespace

DeviceValues::DeviceValues(const OpenDevice& open, const core::PlaneGrid& grid, const core::Workers& workers,
                           const core::Job& job)
    : m_dtype(grid.dtype), m_type(storedType(grid.dtype)), m_extents(grid.extents), m_device(open()),
      m_memory(std::make_unique<DeviceMemory>(*m_device))
{
    m_values = m_memory->take(static_cast<std::size_t>(m_extents.elements() * core::itemSize(m_dtype)));
    if (m_type == Stored::f8) {
        const std::vector<float> table = float8Table(m_dtype);
        m_float8 = m_memory->takeArray<float>(std::ssize(table));
        m_device->copyIn(m_float8.data(), reinterpret_cast<const std::byte*>(table.data()), table.size() * sizeof(float));
        m_device->synchronize();
    }
    upload(grid, m_values.data(), *m_device, *m_memory, workers, job);
}

DeviceValues::~DeviceValues() = default;

DeviceArray::DeviceArray(const DeviceValues& values, const void* from, std::size_t bytes)
    : m_pinned(values.memory().take(bytes, DeviceMemory::Kind::pinned)), m_array(values.memory().take(bytes))
{
    std::memcpy(m_pinned.data(), from, bytes);
    values.device().copyIn(m_array.data(), m_pinned.data(), bytes);
}

DeviceHot::DeviceHot(const DeviceValues& values, const core::HotTest& test) : m_step(test.isPerChannel() ? 1 : 0)
{
    core::withSeenType(values.dtype(), [&](auto seen) {
        using Seen = decltype(seen);
        using Condition = Hot<core::CompareOf<Seen>>;
        std::vector<Condition> conditions;
        for (std::int64_t channel = 0; channel < (m_step ? values.extents().channels : 1); ++channel) {
            const auto predicate = test.predicate<Seen>(channel);
            conditions.push_back({predicate.lo, predicate.hi, predicate.invert, predicate.nanHot});
        }
        m_size = sizeof(Condition);
        m_conditions = DeviceArray(values, conditions);
    });
}

} // namespace gpu

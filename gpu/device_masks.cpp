// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_scan.h"

namespace gpu {

core::Tensor maskTensor(const DeviceValues& values, const std::uint64_t* bits)
{
    const std::int64_t elements = values.extents().planeElements();
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements));
    core::expandMask(bits, elements, reinterpret_cast<std::uint8_t*>(bytes.data()));
    return core::Tensor::contiguous(core::DType::boolean, core::planeShape(values.extents()),
                                    core::Storage::fromVector(std::move(bytes)));
}

core::Tensor markPlane(const DeviceValues& values, const core::HotTest& test, core::PlaneIndex plane)
{
    const DeviceHot hot(values, test);
    const std::int64_t elements = values.extents().planeElements();
    const std::int64_t blocks = (elements + markElements - 1) / markElements;
    const auto mask = values.memory().takeArray<std::uint32_t>(blocks * markWords);
    const auto counts = values.memory().takeArray<std::uint32_t>(blocks);
    MarkParameters p{};
    p.planes = values.planes();
    p.order.axes = 1;
    p.order.stride[0] = 1;
    p.first = (plane.batch * values.extents().channels + plane.channel) * elements;
    p.count = elements;
    p.hot = hot.ofChannel(plane.channel);
    p.channelRun = 1;
    p.mask = mask.as<std::uint32_t>();
    p.blockCounts = counts.as<std::uint32_t>();
    values.device().launch(values.type(), blocks, p);
    const auto bits = values.fetch<std::uint64_t>(mask.data(), core::maskWords(elements));
    return maskTensor(values, bits.data());
}

} // namespace gpu

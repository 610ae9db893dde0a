// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/read_speed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/read_speed.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t lineBytes = 128;

std::uint64_t readStreams(const std::byte* bytes, std::size_t size)
{
    constexpr std::size_t streams = 4;
    const hn::ScalableTag<std::uint64_t> d;
    const std::size_t vector = hn::Lanes(d) * sizeof(std::uint64_t);
    const std::size_t length = size / streams / lineBytes * lineBytes;
    auto even = hn::Zero(d);
    auto odd = hn::Zero(d);
    for (std::size_t i = 0; i < length; i += lineBytes)
        for (std::size_t s = 0; s < streams; ++s)
            for (std::size_t k = 0; k < lineBytes; k += 2 * vector) {
                const std::byte* at = bytes + s * length + i + k;
                even = hn::Or(even, hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(at)));
                odd = hn::Or(odd, hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(at + vector)));
            }
    std::uint64_t lanes[hn::MaxLanes(d)];
    hn::StoreU(hn::Or(even, odd), d, lanes);
    std::uint64_t all = 0;
    for (const std::uint64_t lane : lanes)
        all |= lane;
    return all;
}

} // namespace
} // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {

HWY_EXPORT(readStreams);

void readOnce(std::span<const std::byte> bytes, const core::Workers& workers)
{
    // Cut as the passes cut their planes.
    const std::int64_t pieces = std::int64_t{4} * workers.threads();
    workers.forEach(pieces, {}, [&](std::int64_t piece, core::Scratch&) {
        const std::size_t part = bytes.size() / static_cast<std::size_t>(pieces);
        volatile std::uint64_t kept =
            HWY_DYNAMIC_DISPATCH(readStreams)(bytes.data() + static_cast<std::size_t>(piece) * part, part);
        (void)kept;
    });
}

} // namespace bench
#endif

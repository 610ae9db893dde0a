// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/download.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpu {
namespace {

constexpr std::int64_t partBytes = 8 << 20;

void copyTo(std::byte* to, const std::byte* from, std::int64_t bytes, const core::Workers& workers, const core::Job& job)
{
    constexpr std::int64_t piece = 1 << 20;
    workers.forEach((bytes + piece - 1) / piece, {job.stop, {}}, [&](std::int64_t item, core::Scratch&) {
        const std::int64_t first = item * piece;
        std::memcpy(to + first, from + first, static_cast<std::size_t>(std::min(piece, bytes - first)));
    });
}

} // namespace

void download(const DeviceValues& values, std::byte* to, std::int64_t bytes, const MakePart& make, const core::Workers& workers,
              const core::Job& job)
{
    const std::int64_t size = std::min(bytes, partBytes);
    std::array<DeviceMemory::Loan, 2> there;
    std::array<DeviceMemory::Loan, 2> here;
    for (std::size_t i = 0; i < 2; ++i) {
        there[i] = values.memory().takeArray<std::byte>(size);
        here[i] = values.memory().takeArray<std::byte>(size, DeviceMemory::Kind::pinned);
    }
    Settled settled(values.device());
    std::size_t turn = 0;
    for (std::int64_t first = 0, before = 0;; turn = 1 - turn) {
        job.check();
        const std::int64_t n = std::min(partBytes, bytes - first);
        if (n > 0)
            values.device().copyOut(here[turn].data(), make(first, n, there[turn].data()), static_cast<std::size_t>(n));
        if (before < first) {
            copyTo(to + before, here[1 - turn].data(), first - before, workers, job);
            job.report(static_cast<double>(first) / static_cast<double>(bytes));
        }
        before = first;
        if (n <= 0)
            break;
        first += n;
        values.device().synchronize();
    }
    settled.done();
}

} // namespace gpu

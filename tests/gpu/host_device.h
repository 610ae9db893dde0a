// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/bin_body.h"
#include "gpu/copy_bodies.h"
#include "gpu/count_body.h"
#include "gpu/device.h"
#include "gpu/label_body.h"
#include "gpu/pixel_body.h"
#include "gpu/row_bodies.h"
#include "gpu/stored_switch.h"
#include "gpu/tile_bodies.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

namespace support {

/// In which order the threads of a block, and the blocks of a grid, take their turns: what is right in all is right whatever a
/// device does between two barriers.
enum class Turns { ascending, descending, mixed };
inline constexpr Turns allTurns[] = {Turns::ascending, Turns::descending, Turns::mixed};

inline std::array<int, gpu::blockThreads> threadOrder(Turns turns)
{
    std::array<int, gpu::blockThreads> order{};
    for (int i = 0; i < gpu::blockThreads; ++i)
        order[static_cast<std::size_t>(i)] = turns == Turns::ascending    ? i
                                             : turns == Turns::descending ? gpu::blockThreads - 1 - i
                                                                          : i * 77 % gpu::blockThreads;
    return order;
}

/// A block of both_sides.h as loops.
class HostBlock
{
public:
    template <class X>
    class PerThread
    {
    public:
        /// Starts with contents that no right program relies on.
        PerThread() { std::memset(static_cast<void*>(m_values), 0xa5, sizeof m_values); }
        X& operator[](int thread) { return m_values[thread]; }

    private:
        X m_values[gpu::blockThreads];
    };

    HostBlock(std::int64_t index, const std::array<int, gpu::blockThreads>& order) : m_index(index), m_order(order) {}

    std::int64_t index() const { return m_index; }

    template <class Work>
    void each(Work work) const
    {
        for (const int thread : m_order)
            work(thread);
    }

    template <class Work>
    void phase(Work work) const
    {
        each(work);
    }

    template <class Test, class Use>
    void vote(Test test, Use use) const
    {
        std::uint32_t bits[gpu::blockWarps] = {};
        each([&](int thread) { bits[thread / gpu::warpThreads] |= std::uint32_t{test(thread)} << thread % gpu::warpThreads; });
        each([&](int thread) { use(thread, bits[thread / gpu::warpThreads]); });
    }

    template <class Get, class Use>
    void sum(Get get, Use use) const
    {
        std::uint32_t sums[gpu::blockWarps] = {};
        each([&](int thread) { sums[thread / gpu::warpThreads] += get(thread); });
        each([&](int thread) { use(thread, sums[thread / gpu::warpThreads]); });
    }

    template <class T>
    void add(T* to, T n) const
    {
        *to += n;
    }
    void lower(std::uint64_t* to, std::uint64_t n) const { *to = std::min(*to, n); }

private:
    std::int64_t m_index;
    const std::array<int, gpu::blockThreads>& m_order;
};

/// Runs blocks [first, end) of a kernel's body.
template <class Body>
void runBlocks(std::int64_t first, std::int64_t end, const typename Body::Parameters& parameters, Turns turns)
{
    const auto order = threadOrder(turns);
    const auto shared = std::make_unique<typename Body::Shared>();
    for (std::int64_t i = first; i < end; ++i) {
        std::memset(static_cast<void*>(shared.get()), 0xa5, sizeof *shared);
        HostBlock block(turns == Turns::ascending ? i : end - 1 - (i - first), order);
        Body::run(block, *shared, parameters);
    }
}

/// Kernels as loops.
struct Loops
{
    template <class Body>
    static void run(std::int64_t blocks, const typename Body::Parameters& parameters, Turns turns)
    {
        runBlocks<Body>(0, blocks, parameters, turns);
    }
};

/// A device whose memory is the host's. `Kernels` runs a body's blocks.
template <class Kernels>
class HostDeviceOf : public gpu::Device
{
public:
    explicit HostDeviceOf(Turns turns = Turns::ascending) : m_turns(turns) {}

    std::byte* allocate(std::size_t bytes) override
    {
        auto* memory = static_cast<std::byte*>(::operator new(bytes, alignment));
        std::memset(memory, 0x5a, bytes);
        return memory;
    }
    void release(std::byte* memory) noexcept override { ::operator delete(memory, alignment); }
    std::byte* allocatePinned(std::size_t bytes) override { return allocate(bytes); }
    void releasePinned(std::byte* memory) noexcept override { release(memory); }

    void copyIn(std::byte* to, const std::byte* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    void copyRowsIn(std::byte* to, std::size_t toStep, const std::byte* from, std::size_t fromStep, std::size_t rowBytes,
                    std::size_t rows) override
    {
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(to + row * toStep, from + row * fromStep, rowBytes);
    }
    void copyOut(std::byte* to, const std::byte* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    void fill(std::byte* to, int value, std::size_t bytes) override { std::memset(to, value, bytes); }

    std::size_t prefixScratch(std::int64_t) override { return 0; }
    void prefix(const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, std::byte*) override
    {
        std::exclusive_scan(counts, counts + n, before, std::uint64_t{0});
    }

    void launch(gpu::Stored type, std::int64_t blocks, const gpu::ScanParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::ScanBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::SumParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::SumBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::NormParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::NormBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::CountParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::CountBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::LabelParameters& p) override
    {
        gpu::withStored(type, [&](auto s) {
            using S = decltype(s);
            p.isWide ? Kernels::template run<gpu::WideLabelBody<S>>(blocks, p, m_turns)
                     : Kernels::template run<gpu::LabelBody<S, 1>>(blocks, p, m_turns);
        });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::ReduceParameters& p) override
    {
        gpu::withStored(type, [&](auto s) {
            using S = decltype(s);
            p.isWide ? Kernels::template run<gpu::WideReduceBody<S>>(blocks, p, m_turns)
                     : Kernels::template run<gpu::ReduceBody<S, 1>>(blocks, p, m_turns);
        });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::MarkParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::MarkBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::ListParameters& p) override
    {
        gpu::withSize(type, [&](auto s) { Kernels::template run<gpu::ListBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::UpdateParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::UpdateBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::ChooseParameters& p) override
    {
        gpu::withSize(type, [&](auto s) { Kernels::template run<gpu::ChooseBody<decltype(s)>>(blocks, p, m_turns); });
    }
    void launch(gpu::Stored type, std::int64_t blocks, const gpu::BinParameters& p) override
    {
        gpu::withStored(type, [&](auto s) { Kernels::template run<gpu::BinBody<decltype(s)>>(blocks, p, m_turns); });
    }

    void mark(int) override {}
    void await(int) override {}
    void synchronize() override {}

private:
    static constexpr std::align_val_t alignment{256};
    Turns m_turns;
};

using HostDevice = HostDeviceOf<Loops>;

} // namespace support

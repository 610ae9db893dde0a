// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

/// Kernels that fill a new tensor.
namespace gpu {

/// core::updated, step by step, but for other tensors' elements.
template <class T>
ACTISCOPE_BOTH T updated(T element, const UpdateParameters& p)
{
    T value;
    T lower;
    T upper;
    memcpy(&value, &p.value, sizeof(T));
    memcpy(&lower, &p.lower, sizeof(T));
    memcpy(&upper, &p.upper, sizeof(T));
    constexpr bool isReal = std::is_floating_point<T>::value;
    switch (p.kind) {
    case UpdateKind::set:
        return value;
    case UpdateKind::absolute:
        // -0 becomes 0.
        if constexpr (isReal)
            return element <= 0 ? T{0} - element : element;
        else if constexpr (std::is_signed<T>::value)
            return element < 0 ? static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(element)) : element;
        else
            return element;
    case UpdateKind::negate:
        if constexpr (isReal)
            return -element;
        else
            return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(element));
    case UpdateKind::clamp: {
        const T raised = element < lower ? lower : element;
        return raised > upper ? upper : raised;
    }
    default:
        if constexpr (isReal) {
            const T product = element * value;
            return product != product ? std::numeric_limits<T>::quiet_NaN() : product;
        } else {
            return static_cast<T>(static_cast<std::uint64_t>(element) * static_cast<std::uint64_t>(value));
        }
    }
}

/// Copies elements, the hot ones updated, and counts those. Neighbouring threads write neighbouring elements.
template <class S>
struct UpdateBody
{
    using Parameters = UpdateParameters;
    using Seen = SeenOf<S>;

    static constexpr int steps = copyElements / blockThreads;

    struct Shared
    {
    };

    /// A thread's elements, on their way together.
    struct Ahead
    {
        S stored[steps];
        std::int64_t offset[steps];
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared&, const Parameters& p)
    {
        const std::int64_t begin = block.index() * copyElements;
        typename Block::template PerThread<Ahead> ahead;
        typename Block::template PerThread<bool> isHotAfter;
        block.each([&](int thread) {
            ACTISCOPE_UNROLL
            for (int step = 0; step < steps; ++step)
                if (const std::int64_t at = begin + step * blockThreads + thread; at < p.count) {
                    ahead[thread].offset[step] = p.order.offsetOf(p.first + at);
                    ahead[thread].stored[step] = static_cast<const S*>(p.planes.values)[ahead[thread].offset[step]];
                }
        });
        ACTISCOPE_UNROLL
        for (int step = 0; step < steps; ++step) {
            const std::int64_t first = begin + step * blockThreads;
            const auto count = [&](std::uint64_t* to) {
                return [&, to](int thread, std::uint32_t bits) {
                    add(block, p, first + thread, bits, ahead[thread].offset[step], to);
                };
            };
            block.vote(
                [&](int thread) {
                    isHotAfter[thread] = false;
                    return first + thread < p.count &&
                           copy(p, first + thread, ahead[thread].stored[step], ahead[thread].offset[step], isHotAfter[thread]);
                },
                count(p.before));
            block.vote([&](int thread) { return isHotAfter[thread]; }, count(p.after));
        }
    }

    /// Whether the element is hot.
    ACTISCOPE_BOTH static bool copy(const Parameters& p, std::int64_t at, S stored, std::int64_t offset, bool& isHotAfter)
    {
        const Values<S> values = p.planes.as<S>();
        const Seen value = values.see(stored);
        const Hot<Seen> hot = p.hot.of<Seen>(p.hot.step ? offset / p.planes.elements % p.planes.channels : 0);
        S* const to = static_cast<S*>(p.to) + at;
        if (!hot(value)) {
            *to = stored;
            return false;
        }
        const S next = p.other ? static_cast<const S*>(p.other)[offset] : change(stored, value, p);
        *to = next;
        isHotAfter = hot(values.see(next));
        return true;
    }

    ACTISCOPE_BOTH static S change(S stored, Seen value, const Parameters& p)
    {
        if constexpr (std::is_same<S, Float8>::value) {
            return {p.bytes[stored.bits]};
        } else {
            // NaN stays as stored, too.
            if (value != value && p.kind != UpdateKind::set)
                return stored;
            const Seen next = updated(value, p);
            if constexpr (std::is_same<S, Seen>::value)
                return next;
            else
                return narrow<S>(next);
        }
    }

    /// Adds a warp's hot elements to those of their planes: at once where all lie in one.
    template <class Block>
    ACTISCOPE_BOTH static void add(Block& block, const Parameters& p, std::int64_t at, std::uint32_t bits, std::int64_t offset,
                                   std::uint64_t* to)
    {
        if (bits == 0)
            return;
        const auto lane = static_cast<int>(at % warpThreads);
        // With one axis the order is that of the planes.
        const std::int64_t firstOfWarp = p.first + at - lane;
        const std::int64_t plane = firstOfWarp / p.planes.elements;
        if (p.order.axes == 1 && firstOfWarp + warpThreads <= (plane + 1) * p.planes.elements) {
            if (lane == 0)
                block.add(to + plane, static_cast<std::uint64_t>(countBits(bits)));
        } else if (bits >> lane & 1) {
            block.add(to + offset / p.planes.elements, std::uint64_t{1});
        }
    }
};

/// Copies elements from one of two tensors, chosen by plane. S only says how many bytes a value has.
template <class S>
struct ChooseBody
{
    using Parameters = ChooseParameters;

    static constexpr int steps = copyElements / blockThreads;

    struct Shared
    {
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared&, const Parameters& p)
    {
        const std::int64_t begin = block.index() * copyElements;
        block.each([&](int thread) {
            S ahead[steps];
            ACTISCOPE_UNROLL
            for (int step = 0; step < steps; ++step)
                if (const std::int64_t at = begin + step * blockThreads + thread; at < p.count) {
                    const std::int64_t offset = p.order.offsetOf(p.first + at);
                    const void* const from = p.isFirst[offset / p.planes.elements] ? p.planes.values : p.other;
                    ahead[step] = static_cast<const S*>(from)[offset];
                }
            ACTISCOPE_UNROLL
            for (int step = 0; step < steps; ++step)
                if (const std::int64_t at = begin + step * blockThreads + thread; at < p.count)
                    static_cast<S*>(p.to)[at] = ahead[step];
        });
    }
};

} // namespace gpu

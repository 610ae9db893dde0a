// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/strided_copy.h"

#include "core/engine/row_copy.h"
#include "core/engine/turned_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace core {
namespace {

/// A box with as few axes as can be, those that are not copied along at last left out.
class Box
{
public:
    Box(const std::byte* from, std::byte* to, std::span<const CopyAxis> axes) : m_from(from), m_to(to)
    {
        for (const CopyAxis& axis : axes) {
            m_isEmpty = m_isEmpty || axis.extent == 0;
            if (axis.extent > 1)
                m_axes[m_count++] = axis;
        }
        std::stable_sort(m_axes.begin(), end(),
                         [](const CopyAxis& a, const CopyAxis& b) { return std::abs(a.toStride) > std::abs(b.toStride); });
        merge();
        if (m_count == 0)
            m_axes[m_count++] = {1, 1, 1};
    }

    void copy(int itemSize)
    {
        if (m_isEmpty)
            return;
        switch (itemSize) {
        case 1:
            return copy<std::uint8_t>();
        case 2:
            return copy<std::uint16_t>();
        case 4:
            return copy<std::uint32_t>();
        case 8:
            return copy<std::uint64_t>();
        default:
            return copy<Bytes16>();
        }
    }

private:
    using Axes = std::array<CopyAxis, mostCopyAxes>;

    Axes::iterator end() { return m_axes.begin() + static_cast<std::ptrdiff_t>(m_count); }

    void merge()
    {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < m_count; ++i) {
            const CopyAxis axis = m_axes[i];
            if (kept > 0 && m_axes[kept - 1].fromStride == axis.extent * axis.fromStride &&
                m_axes[kept - 1].toStride == axis.extent * axis.toStride)
                m_axes[kept - 1] = {m_axes[kept - 1].extent * axis.extent, axis.fromStride, axis.toStride};
            else
                m_axes[kept++] = axis;
        }
        m_count = kept;
    }

    template <class T>
    void copy()
    {
        CopyAxis packed = take(end() - 1);
        // Repeated elements are near wherever they go.
        const auto step = [](const CopyAxis& axis) {
            return axis.fromStride == 0 ? std::numeric_limits<std::int64_t>::max() : std::abs(axis.fromStride);
        };
        const auto nearest =
            std::min_element(m_axes.begin(), end(), [&](const CopyAxis& a, const CopyAxis& b) { return step(a) < step(b); });
        if (nearest != end() && packed.fromStride != 0 && step(*nearest) < step(packed))
            return copyTurnedRows<T>(packed, take(nearest));
        sortOuter();
        // Memory is read forwards.
        turnRound<T>(packed, packed.fromStride < 0);
        constexpr std::int64_t size = sizeof(T);
        const std::int64_t ahead = std::min(packed.extent * packed.fromStride * size, std::int64_t{512});
        forOuter<T>([&](const std::byte* from, std::byte* to, const std::byte* next) {
            // The beginning of the next row would be waited for.
            for (std::int64_t b = 0; next && b < ahead; b += 64)
                __builtin_prefetch(next + b);
            copyRow<T>(from, to, packed);
        });
    }

    template <class T>
    void copyTurnedRows(CopyAxis packed, CopyAxis nearest)
    {
        turnRound<T>(packed, packed.toStride < 0);
        Axes run;
        std::size_t count = 0;
        const auto add = [&](CopyAxis axis) {
            turnRound<T>(axis, axis.fromStride < 0);
            run[count++] = axis;
            return axis.extent * axis.fromStride;
        };
        std::int64_t continues = add(nearest);
        if constexpr (sizeof(T) <= 8)
            if (packed.toStride == 1) {
                const auto isNext = [&](const CopyAxis& axis) { return std::abs(axis.fromStride) == continues; };
                for (auto found = std::find_if(m_axes.begin(), end(), isNext); found != end();
                     found = std::find_if(m_axes.begin(), end(), isNext))
                    continues = add(take(found));
                sortOuter();
                return forOuter<T>([&](const std::byte* from, std::byte* to, const std::byte* next) {
                    copyTurned({from, to, std::span(run).first(count), packed, next}, sizeof(T));
                });
            }
        sortOuter();
        forOuter<T>([&](const std::byte* from, std::byte* to, const std::byte*) { copyFewLines<T>(from, to, run[0], packed); });
    }

    /// Element by element, of few lines of the cache at a time.
    template <class T>
    static void copyFewLines(const std::byte* from, std::byte* to, const CopyAxis& near, const CopyAxis& packed)
    {
        constexpr std::int64_t size = sizeof(T);
        constexpr std::int64_t width = 8;
        for (std::int64_t begin = 0; begin < packed.extent; begin += width) {
            const CopyAxis few{std::min(width, packed.extent - begin), packed.fromStride, packed.toStride};
            const std::byte* source = from + begin * packed.fromStride * size;
            std::byte* target = to + begin * packed.toStride * size;
            for (std::int64_t i = 0; i < near.extent; ++i, source += near.fromStride * size, target += near.toStride * size)
                copyElements<T>(source, target, few);
        }
    }

    CopyAxis take(Axes::iterator at)
    {
        const CopyAxis axis = *at;
        std::copy(at + 1, end(), at);
        --m_count;
        return axis;
    }

    template <class T>
    void turnRound(CopyAxis& axis, bool really)
    {
        constexpr std::int64_t size = sizeof(T);
        if (!really)
            return;
        m_from += (axis.extent - 1) * axis.fromStride * size;
        m_to += (axis.extent - 1) * axis.toStride * size;
        axis.fromStride = -axis.fromStride;
        axis.toStride = -axis.toStride;
    }

    void sortOuter()
    {
        std::stable_sort(m_axes.begin(), end(),
                         [](const CopyAxis& a, const CopyAxis& b) { return std::abs(a.fromStride) > std::abs(b.fromStride); });
    }

    /// Calls use(from, to, next from or null) for each place along the axes that are left, the last one fastest.
    template <class T, class Use>
    void forOuter(const Use& use) const
    {
        constexpr std::int64_t size = sizeof(T);
        std::array<std::int64_t, mostCopyAxes> index{};
        const std::byte* from = m_from;
        std::byte* to = m_to;
        for (bool isDone = false; !isDone;) {
            const std::byte* next = from;
            std::byte* nextTo = to;
            std::size_t axis = m_count;
            for (; axis > 0; --axis) {
                const CopyAxis& a = m_axes[axis - 1];
                next += a.fromStride * size;
                nextTo += a.toStride * size;
                if (++index[axis - 1] < a.extent)
                    break;
                next -= a.extent * a.fromStride * size;
                nextTo -= a.extent * a.toStride * size;
                index[axis - 1] = 0;
            }
            isDone = axis == 0;
            use(from, to, isDone ? nullptr : next);
            from = next;
            to = nextTo;
        }
    }

    Axes m_axes;
    std::size_t m_count = 0;
    const std::byte* m_from;
    std::byte* m_to;
    bool m_isEmpty = false;
};

} // namespace

void copyBox(const std::byte* from, std::byte* to, std::span<const CopyAxis> axes, int itemSize)
{
    Box(from, to, axes).copy(itemSize);
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/norm_tiles.h"

#include "core/engine/hot_test.h"
#include "core/engine/kernels_labels.h"
#include "core/engine/kernels_norms.h"
#include "core/engine/lane_sum.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace core {
namespace {

template <class Seen>
double tileOf(const std::byte* values, std::int64_t n, double p)
{
    if (p == 1)
        return normTile<Seen>(values, n, NormPart::absolute);
    if (p == 2)
        return normTile<Seen>(values, n, NormPart::squares);
    if (p == 0)
        return normTile<Seen>(values, n, NormPart::nonzero);
    if (std::isinf(p))
        return normTile<Seen>(values, n, NormPart::largest);
    return powerTile<Seen>(values, n, p);
}

template <class Seen>
void fillTiles(const std::byte* values, std::int64_t n, double p, double* parts)
{
    for (std::int64_t first = 0; first < n; first += tileElements)
        *parts++ = tileOf<Seen>(values + first * static_cast<std::int64_t>(sizeof(Seen)), std::min(tileElements, n - first), p);
}

} // namespace

NormTiles::NormTiles(const Norm& norm, DType dtype)
    : m_p(norm.p), m_fill(withSeenType(dtype, [](auto seen) { return &fillTiles<decltype(seen)>; }))
{
    if (!(m_p >= 0))
        throw Error(fmt::format("a norm with p = {} is not known: give p >= 0 or inf", m_p));
}

double NormTiles::total(std::span<const double> parts) const
{
    double total = 0;
    for (const double part : parts)
        total = !std::isinf(m_p) ? total + part : isLarger(part, total) ? part : total;
    if (m_p == 2)
        return std::sqrt(total);
    const bool isSum = m_p == 0 || m_p == 1 || std::isinf(m_p);
    return isSum ? total : std::pow(total, 1 / m_p);
}

double NormTiles::of(const std::byte* values, std::int64_t n, Scratch& scratch) const
{
    constexpr std::size_t partSlot = 2;
    double* parts = scratch.take<double>(partSlot, tileCount(n));
    fill(values, n, parts);
    return total({parts, static_cast<std::size_t>(tileCount(n))});
}

} // namespace core

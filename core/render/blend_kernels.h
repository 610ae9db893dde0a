// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace core {

/// `over` laid over `under` with `alpha` 0..255, 8-bit RGBA, not premultiplied: each component (u (255 - alpha) + o alpha +
/// 127) / 255 in integers, alpha the greater one.
constexpr std::uint32_t blend(std::uint32_t under, std::uint32_t over, std::uint32_t alpha)
{
    // Two components in one number.
    const auto mix = [alpha](std::uint32_t u, std::uint32_t o) {
        const std::uint32_t sum = (u & 0x00ff'00ffU) * (255 - alpha) + (o & 0x00ff'00ffU) * alpha + 0x007f'007fU;
        // x / 255 for x below 65535.
        return (sum + 0x0001'0001U + (sum >> 8 & 0x00ff'00ffU)) >> 8 & 0x00ff'00ffU;
    };
    const std::uint32_t a = std::max(under >> 24, alpha);
    return mix(under, over) | (mix(under >> 8, over >> 8) & 255) << 8 | a << 24;
}

/// Lays a row of `count` pixels over another, each with its own alpha a as a opacity / 255 (0..255).
void blendPixels(std::uint32_t* under, const std::uint32_t* over, unsigned opacity, int count);
/// Lays one colour over a row, with alpha parts opacity / 255.
void blendColor(std::uint32_t* under, std::uint32_t color, const std::uint8_t* parts, unsigned opacity, int count);

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace core::io {

/// Memory that the description of one file may take while and after it is opened: 64 MiB + 4 x the bytes present. What readers
/// build is charged here before it is built, so that a small hostile file cannot grow into a large one.
class Allowance
{
public:
    Allowance(std::string file, std::size_t bytesPresent)
        : m_left((std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(bytesPresent)), m_file(std::move(file))
    {
    }

    /// Throws Error when the allowance is used up.
    void charge(std::size_t bytes)
    {
        m_left -= static_cast<std::int64_t>(bytes);
        if (m_left < 0)
            throw Error(m_file +
                        ": describes far more objects than its size allows: it is damaged or hostile, do not trust it");
    }

    /// Gives back what was charged for memory that is free again.
    void release(std::size_t bytes) { m_left += static_cast<std::int64_t>(bytes); }

private:
    std::int64_t m_left;
    std::string m_file;
};

} // namespace core::io

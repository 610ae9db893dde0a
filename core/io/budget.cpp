// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader.h"

#include <unistd.h>

namespace core::io {

std::int64_t entryBudget(const Limits& limits)
{
    if (limits.budgetBytes > 0)
        return limits.budgetBytes;
    const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
    const std::int64_t pageBytes = ::sysconf(_SC_PAGESIZE);
    return pages / 4 * pageBytes;
}

} // namespace core::io

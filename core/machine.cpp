// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/machine.h"

#include <unistd.h>

namespace core {

std::int64_t machineBytes()
{
    return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
}

} // namespace core

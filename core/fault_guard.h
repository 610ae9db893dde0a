// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

namespace core {

/// Makes reads of a memory mapping safe against its file being cut off (or its disk failing): a SIGBUS inside `mapping` maps
/// zeros from the faulting page to the mapping's end and sets `faulted`. Faults elsewhere go to the handler that was there
/// before. Returns a token for unguardMapping(). Thread safe; `mapping` and `faulted` must stay until then.
void* guardMapping(std::span<const std::byte> mapping, std::atomic<bool>& faulted);
/// Call before the mapping is given up.
void unguardMapping(void* token);

} // namespace core

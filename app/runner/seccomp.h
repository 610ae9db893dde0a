// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace runner {

/// Filters the system calls of all threads of this process, for good. What computing needs stays: memory, threads, clocks,
/// reading and writing descriptors that are open, messages on open sockets. Everything else answers EPERM: opening and changing
/// files, starting programs and processes, making sockets, signals to others, tracing, mounting, kernel interfaces of any age.
/// With `cuda` also what its driver uses: opening files (Landlock keeps them from being written), device commands, events.
/// Throws core::Error when the kernel refuses.
void filterSystemCalls(bool cuda);

} // namespace runner

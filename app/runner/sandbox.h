// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace runner {

/// What holds a model's program in.
struct Sandbox
{
    /// The kernel's version of Landlock; 0 where it has none.
    int landlock = 0;
    bool seccomp = false;
};

/// Closes every descriptor above 2 but `channel`, sends standard output to standard error, and ends this process with its
/// parent.
void isolate(int channel);
/// Sets this process's limits: address space (0: none), no written file, no core dump, a stack of 8 MB.
/// Throws core::Error when the kernel refuses.
void limit(std::uint64_t memoryBytes);
/// From now on, for all threads: no file can be opened, no program started, no socket made, no other process touched (see
/// seccomp.h). With `cuda` the driver's own calls and device files stay open. Throws core::Error when the system-call filter
/// cannot be set.
Sandbox closeSandbox(bool cuda);

} // namespace runner

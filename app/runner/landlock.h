// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace runner {

/// Takes from the calling thread and those it starts, for good, every right on files and TCP ports that the kernel's Landlock
/// knows; with `cuda` only the rights to write, make and remove, except on the driver's device files. Answers the version of
/// Landlock, 0 where the kernel has none or refuses. Needs no privileges.
int restrictFiles(bool cuda);

} // namespace runner

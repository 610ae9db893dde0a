// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/sandbox.h"

#include "app/runner/landlock.h"
#include "app/runner/seccomp.h"
#include "core/error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace runner {
namespace {

constexpr rlim_t stackBytes = 8u << 20;

/// Never raises a limit that is lower already.
void setLimit(__rlimit_resource resource, rlim_t value)
{
    rlimit now{};
    ::getrlimit(resource, &now);
    const rlim_t lower = std::min(value, now.rlim_max);
    const rlimit wanted{lower, lower};
    if (::setrlimit(resource, &wanted) != 0)
        throw core::Error(std::string("a limit of the runner cannot be set (") + std::strerror(errno) +
                          "): choose a higher one");
}

} // namespace

void isolate(int channel)
{
    // The parent may have died before this.
    const pid_t parent = ::getppid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent)
        ::_exit(0);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    if (channel > 3)
        ::syscall(SYS_close_range, 3u, static_cast<unsigned>(channel - 1), 0u);
    ::syscall(SYS_close_range, static_cast<unsigned>(channel + 1), ~0u, 0u);
}

void limit(std::uint64_t memoryBytes)
{
    // Writing past the file size limit then fails instead of ending the process.
    ::signal(SIGXFSZ, SIG_IGN);
    if (memoryBytes > 0)
        setLimit(RLIMIT_AS, memoryBytes);
    setLimit(RLIMIT_FSIZE, 0);
    setLimit(RLIMIT_CORE, 0);
    setLimit(RLIMIT_STACK, stackBytes);
}

Sandbox closeSandbox(bool cuda)
{
    Sandbox sandbox;
    sandbox.landlock = restrictFiles(cuda);
    filterSystemCalls(cuda);
    sandbox.seccomp = true;
    return sandbox;
}

} // namespace runner

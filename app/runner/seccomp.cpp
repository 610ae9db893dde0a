// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/seccomp.h"

#include "core/error.h"

#include <asm/ioctls.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace runner {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t nativeArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t nativeArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the numbers of system calls are known for x86-64 and aarch64"
#endif

/// The most frequent first: a filter is run from its beginning.
constexpr int always[] = {
    SYS_futex,
    SYS_madvise,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_brk,
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_preadv,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_ppoll,
    SYS_sched_yield,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_clock_getres,
    SYS_times,
    SYS_getrusage,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_gettid,
    SYS_getpid,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_getrandom,
    SYS_sysinfo,
    SYS_uname,
    SYS_getcpu,
    SYS_sched_getaffinity,
    SYS_set_tid_address,
    SYS_membarrier,
    SYS_getrlimit,
#if defined(__x86_64__)
    SYS_poll,
    SYS_time,
#endif
};

/// What CUDA's driver and libraries call besides. Not tried by a model itself: they open files only with what Landlock leaves.
constexpr int forCuda[] = {
    SYS_openat,      SYS_ioctl,          SYS_fcntl,         SYS_readlinkat,    SYS_faccessat,
    SYS_getdents64,  SYS_statx,          SYS_eventfd2,      SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_pwait, SYS_pipe2,          SYS_mlock,         SYS_munlock,       SYS_sched_setaffinity,
    SYS_mbind,       SYS_get_mempolicy,  SYS_set_mempolicy, SYS_getuid,        SYS_geteuid,
    SYS_getgid,      SYS_getegid,        SYS_getppid,       SYS_mincore,       SYS_statfs,
    SYS_fstatfs,     SYS_timerfd_create,
#if defined(__x86_64__)
    SYS_open,        SYS_access,         SYS_readlink,      SYS_stat,          SYS_epoll_wait,
#endif
};

/// The offset of the lower half of a call's argument.
constexpr std::uint32_t lowHalf(int argument)
{
    return offsetof(seccomp_data, args) + static_cast<std::uint32_t>(argument) * 8;
}

/// Classic BPF over seccomp_data, in the order of the calls.
class Filter
{
public:
    Filter()
    {
        load(offsetof(seccomp_data, arch));
        add(BPF_JMP | BPF_JEQ | BPF_K, nativeArchitecture, 1, 0);
        answer(SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        // The x32 numbers name the same calls a second time.
        add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
        answer(SECCOMP_RET_KILL_PROCESS);
#endif
    }

    void allow(int call)
    {
        on(call, SECCOMP_RET_ALLOW);
    }
    void refuse(int call, int error)
    {
        on(call, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
    }

    /// Allowed when the argument equals one of the values (32 bits) and refused otherwise.
    void allowIf(int call, int argument, const std::vector<std::uint32_t>& values)
    {
        const auto count = static_cast<std::uint8_t>(values.size());
        // Load, one comparison and one answer for each value, and the refusal.
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(2 + 2 * count));
        load(lowHalf(argument));
        for (const std::uint32_t value : values) {
            add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
            answer(SECCOMP_RET_ALLOW);
        }
        answer(SECCOMP_RET_ERRNO | EPERM);
    }

    /// Allowed when the argument is a null pointer.
    void allowIfNull(int call, int argument)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 6);
        load(lowHalf(argument));
        add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
        load(lowHalf(argument) + 4);
        add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
        answer(SECCOMP_RET_ALLOW);
        answer(SECCOMP_RET_ERRNO | EPERM);
    }

    /// Allowed when the argument has the flag.
    void allowWith(int call, int argument, std::uint32_t flag)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
        load(lowHalf(argument));
        add(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1);
        answer(SECCOMP_RET_ALLOW);
        answer(SECCOMP_RET_ERRNO | EPERM);
    }

    std::vector<sock_filter> finish()
    {
        answer(SECCOMP_RET_ERRNO | EPERM);
        return std::move(m_program);
    }

private:
    void load(std::uint32_t offset)
    {
        add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
    }
    void answer(std::uint32_t value)
    {
        add(BPF_RET | BPF_K, value, 0, 0);
    }
    void on(int call, std::uint32_t value)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
        answer(value);
    }
    void add(int code, std::uint32_t value, std::uint8_t ifTrue, std::uint8_t ifFalse)
    {
        m_program.push_back({static_cast<std::uint16_t>(code), ifTrue, ifFalse, value});
    }

    std::vector<sock_filter> m_program;
};

std::vector<sock_filter> makeFilter(bool cuda)
{
    Filter filter;
    for (const int call : always)
        filter.allow(call);
    // Threads, but no processes. The newer call keeps its flags in memory, where no filter can look: glibc falls back on the
    // older.
    filter.refuse(SYS_clone3, ENOSYS);
    filter.allowWith(SYS_clone, 0, CLONE_THREAD);
    // abort() and its like; nobody else gets signals.
    filter.allowIf(SYS_tgkill, 0, {static_cast<std::uint32_t>(::getpid())});
    filter.allowIf(SYS_prctl, 0, {PR_SET_NAME});
    // Limits may be read, not changed.
    filter.allowIfNull(SYS_prlimit64, 2);
    if (cuda) {
        for (const int call : forCuda)
            filter.allow(call);
    } else {
        filter.allowIf(SYS_ioctl, 1, {TCGETS});
        filter.allowIf(SYS_fcntl, 1, {F_GETFD, F_GETFL, F_GET_SEALS});
    }
    return filter.finish();
}

} // namespace

void filterSystemCalls(bool cuda)
{
    std::vector<sock_filter> program = makeFilter(cuda);
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0)
        throw core::Error(std::string("the sandbox cannot be closed (seccomp: ") + std::strerror(errno) +
                          "): use a kernel with seccomp, or trust the model");
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/sandbox.h"

#include <QTemporaryDir>
#include <QTest>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <netinet/in.h>
#include <string>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>
#include <utime.h>

namespace {

/// Answers of a sandboxed child.
constexpr int allowed = 0;
constexpr int refused = 1;
constexpr int otherError = 2;

/// Runs a call in a child behind the sandbox: `allowed` when it gave no negative answer, `refused` when the sandbox said no. A
/// signal's number is negative.
int inSandbox(const std::function<long()>& call)
{
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            runner::limit(0);
            runner::closeSandbox(false);
        } catch (const std::exception&) {
            ::_exit(3);
        }
        errno = 0;
        const long answer = call();
        ::_exit(answer >= 0 ? allowed : errno == EPERM || errno == EACCES ? refused : otherError);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

/// What a model's own code could try, were it to take over the process.
class TestSandbox : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void refuses_data();
    void refuses();
    void allows_data();
    void allows();
    void openFilesCannotGrow();
    void holdsThreadsThatRanBefore();
    void keepsEveryOtherDescriptorOut();

private:
    using Call = std::function<long()>;
    QTemporaryDir m_folder;
    std::string m_file;
};

Q_DECLARE_METATYPE(std::function<long()>)

void TestSandbox::init()
{
    m_file = m_folder.filePath(QStringLiteral("file")).toStdString();
    const int file = ::open(m_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    QCOMPARE(::write(file, "secret", 6), 6);
    ::close(file);
}

void TestSandbox::refuses_data()
{
    QTest::addColumn<Call>("call");
    const std::string file = m_folder.filePath(QStringLiteral("file")).toStdString();
    const std::string other = m_folder.filePath(QStringLiteral("other")).toStdString();
    const auto row = [](const char* name, Call call) { QTest::newRow(name) << std::move(call); };
    row("read a file", [=] { return ::open(file.c_str(), O_RDONLY); });
    row("write a file", [=] { return ::open(file.c_str(), O_WRONLY); });
    row("make a file", [=] { return ::open(other.c_str(), O_CREAT | O_WRONLY, 0600); });
    row("open by openat2", [=] { return ::syscall(SYS_openat2, AT_FDCWD, file.c_str(), nullptr, 0); });
    row("list a folder", [] { return ::open("/", O_RDONLY | O_DIRECTORY); });
    row("read the process's memory", [] { return ::open("/proc/self/mem", O_RDWR); });
    row("truncate", [=] { return ::truncate(file.c_str(), 0); });
    row("remove", [=] { return ::unlink(file.c_str()); });
    row("rename", [=] { return ::rename(file.c_str(), other.c_str()); });
    row("hard link", [=] { return ::link(file.c_str(), other.c_str()); });
    row("symbolic link", [=] { return ::symlink(file.c_str(), other.c_str()); });
    row("make a folder", [=] { return ::mkdir(other.c_str(), 0700); });
    row("change permissions", [=] { return ::chmod(file.c_str(), 0777); });
    row("change the owner", [=] { return ::chown(file.c_str(), 0, 0); });
    row("change times", [=] { return ::utime(file.c_str(), nullptr); });
    row("extended attribute", [=] { return ::setxattr(file.c_str(), "user.a", "b", 1, 0); });
    row("device node", [=] { return ::mknod(other.c_str(), S_IFIFO | 0600, 0); });
    row("change the folder", [] { return ::chdir("/"); });
    row("start a program", [] { return ::execl("/bin/true", "true", nullptr); });
    row("fork", [] { return ::fork(); });
    row("vfork", [] { return ::syscall(SYS_vfork); });
    row("clone a process", [] { return ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); });
    row("internet socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0); });
    row("local socket", [] { return ::socket(AF_UNIX, SOCK_STREAM, 0); });
    row("socket pair", [] {
        std::array<int, 2> ends{};
        return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
    });
    row("signal the parent", [] { return ::kill(::getppid(), 0); });
    row("signal the parent's thread", [] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0); });
    row("trace the parent", [] { return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr); });
    row("read the parent's memory", [] { return ::syscall(SYS_process_vm_readv, ::getppid(), nullptr, 0, nullptr, 0, 0); });
    row("anonymous file", [] { return ::memfd_create("a", 0); });
    row("shared memory", [] { return ::syscall(SYS_shmget, 1, 4096, 01600); });
    row("mount", [] { return ::syscall(SYS_mount, "none", "/", "tmpfs", 0, nullptr); });
    row("namespace", [] { return ::syscall(SYS_unshare, 0x10000000); });
    row("kernel program", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); });
    row("io_uring", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); });
    row("user faults", [] { return ::syscall(SYS_userfaultfd, 0); });
    row("performance counters", [] { return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); });
    row("raise a limit", [] {
        const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
        return ::setrlimit(RLIMIT_FSIZE, &none);
    });
    row("type into the terminal", [] { return ::syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x"); });
    row("own a descriptor's signals", [] { return ::fcntl(2, F_SETOWN, ::getppid()); });
}

void TestSandbox::refuses()
{
    QFETCH(const Call, call);
    QCOMPARE(inSandbox(call), refused);
    // And nothing happened.
    struct stat status = {};
    QCOMPARE(::stat(m_file.c_str(), &status), 0);
    QCOMPARE(status.st_size, 6);
    QCOMPARE(status.st_mode & 0777u, 0600u);
    QVERIFY(::access(m_folder.filePath(QStringLiteral("other")).toStdString().c_str(), F_OK) != 0);
}

void TestSandbox::allows_data()
{
    QTest::addColumn<Call>("call");
    const auto row = [](const char* name, Call call) { QTest::newRow(name) << std::move(call); };
    row("memory", [] {
        return ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
    });
    row("a thread", [] {
        long seen = -1;
        std::thread([&] { seen = 0; }).join();
        return seen;
    });
    row("the clock", [] {
        timespec now{};
        return ::clock_gettime(CLOCK_MONOTONIC, &now);
    });
    row("its own limits", [] {
        rlimit now{};
        return ::getrlimit(RLIMIT_AS, &now);
    });
}

void TestSandbox::allows()
{
    QFETCH(const Call, call);
    QCOMPARE(inSandbox(call), allowed);
}

/// Were a descriptor for writing left open, nothing could be written to its file all the same, and trying does not kill.
void TestSandbox::openFilesCannotGrow()
{
    const int file = ::open(m_file.c_str(), O_WRONLY | O_APPEND);
    QCOMPARE(inSandbox([&] {
                 const long answer = ::write(file, "x", 1);
                 return errno == EFBIG ? 0 : answer;
             }),
             allowed);
    ::close(file);
    struct stat status = {};
    QCOMPARE(::stat(m_file.c_str(), &status), 0);
    QCOMPARE(status.st_size, 6);
}

/// LibTorch's threads run before the sandbox closes.
void TestSandbox::holdsThreadsThatRanBefore()
{
    const pid_t child = ::fork();
    if (child == 0) {
        std::atomic<bool> closed{false};
        int answer = -1;
        std::thread worker([&] {
            closed.wait(false);
            answer = ::socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM ? refused : allowed;
        });
        runner::closeSandbox(false);
        closed = true;
        closed.notify_all();
        worker.join();
        ::_exit(answer);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), refused);
}

void TestSandbox::keepsEveryOtherDescriptorOut()
{
    const pid_t child = ::fork();
    if (child == 0) {
        const int channel = ::dup2(0, 20);
        const int below = ::dup2(0, 10);
        const int above = ::dup2(0, 30);
        runner::isolate(channel);
        const bool kept = ::fcntl(channel, F_GETFD) >= 0;
        const bool others = ::fcntl(below, F_GETFD) >= 0 || ::fcntl(above, F_GETFD) >= 0;
        ::_exit(kept && !others ? allowed : otherError);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), allowed);
}

QTEST_GUILESS_MAIN(TestSandbox)
#include "test_sandbox.moc"

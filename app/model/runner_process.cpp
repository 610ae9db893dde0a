// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/runner_process.h"

#include "core/error.h"
#include "core/io/names.h"
#include "core/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace app {

namespace {

constexpr std::size_t longestLine = std::size_t{64} << 20;
constexpr std::size_t longestLog = std::size_t{64} << 10;
constexpr int channelInRunner = 3;

std::int64_t defaultMemory()
{
    // LibTorch's libraries and thread stacks take address space that is never touched.
    return core::machineBytes() / 4 * 3 + (std::int64_t{4} << 30);
}

std::vector<std::string> argumentsOf(const RunnerSettings& settings, const std::filesystem::path& program)
{
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::string> arguments{program.string(),
                                       "--channel",
                                       std::to_string(channelInRunner),
                                       "--threads",
                                       std::to_string(settings.threads > 0 ? settings.threads : cores),
                                       "--memory",
                                       std::to_string(settings.memoryBytes > 0 ? settings.memoryBytes : defaultMemory()),
                                       "--device",
                                       settings.device};
    for (const auto& library : settings.operatorLibraries) {
        arguments.push_back("--op-library");
        arguments.push_back(std::filesystem::absolute(library).string());
    }
    if (settings.trust)
        arguments.push_back("--trust");
    return arguments;
}

std::vector<std::string> environmentOf()
{
    // Idle OpenMP threads that spin starve the window on a small machine.
    std::vector<std::string> variables{"OMP_WAIT_POLICY=passive"};
    for (char** variable = environ; *variable; ++variable)
        if (!std::string_view(*variable).starts_with("OMP_WAIT_POLICY="))
            variables.emplace_back(*variable);
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Starts the program with `channel` as descriptor 3 and `log` as standard output and error.
pid_t spawn(const RunnerSettings& settings, const std::filesystem::path& program, int channel, int log)
{
    auto arguments = argumentsOf(settings, program);
    auto variables = environmentOf();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, 1);
    posix_spawn_file_actions_adddup2(&actions, log, 2);
    posix_spawn_file_actions_adddup2(&actions, channel, channelInRunner);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // The command line blocks signals for a thread of its own; the runner has none. A group of its own: Ctrl+C is ours to
    // handle.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    pid_t process = -1;
    const int error = ::posix_spawn(&process, program.c_str(), &actions, &attributes, pointersTo(arguments).data(),
                                    pointersTo(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error)
        throw core::Error(fmt::format("{} cannot be started: {}", program.string(), std::strerror(error)));
    return process;
}

std::string lastLine(const std::string& log)
{
    const auto end = log.find_last_not_of(" \n\r\t");
    if (end == std::string::npos)
        return {};
    const auto begin = log.find_last_of('\n', end);
    const auto from = begin == std::string::npos ? 0 : begin + 1;
    return core::io::repairUtf8(log.substr(from, std::min<std::size_t>(end + 1 - from, 300)));
}

/// How a process ended, as the rest of "the model's runner ...".
std::string endText(int status, const std::string& log)
{
    if (WIFSIGNALED(status)) {
        switch (WTERMSIG(status)) {
        case SIGSEGV:
        case SIGBUS:
            return "crashed (bad memory access): the file is damaged or hostile, or LibTorch has a fault";
        case SIGFPE:
            return "crashed: the model divides an integer by zero";
        case SIGABRT:
            return fmt::format("gave up: {}", lastLine(log).empty() ? "LibTorch aborted" : lastLine(log));
        case SIGKILL:
            return "was killed: most likely it took more memory than the machine has";
        case SIGXCPU:
            return "was ended: it took more processor time than allowed";
        case SIGSYS:
            return "was ended: the model tried something that the sandbox forbids";
        default:
            return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
        }
    }
    const auto reason = lastLine(log);
    if (reason.find("error while loading shared libraries") != std::string::npos)
        return fmt::format("cannot start: {}; install LibTorch 2.11", reason.substr(reason.find("error while")));
    return fmt::format("ended with exit code {}{}{}", WEXITSTATUS(status), reason.empty() ? "" : ": ", reason);
}

} // namespace

std::optional<std::filesystem::path> findRunner(const RunnerSettings& settings)
{
    std::error_code error;
    auto program = settings.program;
    if (program.empty())
        program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "actiscope-runner";
    if (!std::filesystem::is_regular_file(program, error))
        return std::nullopt;
    return program;
}

RunnerProcess::RunnerProcess(const RunnerSettings& settings)
{
    const auto program = findRunner(settings);
    if (!program)
        throw core::Error(
            "models cannot be run: actiscope-runner is not installed beside this program (it needs LibTorch 2.11)");
    int channel[2];
    int log[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 || ::pipe2(log, O_CLOEXEC) != 0)
        throw core::Error(fmt::format("the model's runner cannot be started: {}", std::strerror(errno)));
    m_channel = channel[0];
    m_logPipe = log[0];
    // Reading only: a model that prints faster than we read waits.
    ::fcntl(m_logPipe, F_SETFL, O_NONBLOCK);
    // Descriptor 3 given as itself would keep its close-on-exec mark.
    const int end = channel[1] == channelInRunner ? ::fcntl(channel[1], F_DUPFD_CLOEXEC, channelInRunner + 1) : channel[1];
    try {
        m_process = spawn(settings, *program, end, log[1]);
    } catch (...) {
        ::close(log[1]);
        ::close(channel[1]);
        close();
        throw;
    }
    if (end != channel[1])
        ::close(end);
    ::close(channel[1]);
    ::close(log[1]);
}

RunnerProcess::~RunnerProcess()
{
    kill();
}

void RunnerProcess::close()
{
    for (int* descriptor : {&m_channel, &m_logPipe})
        if (*descriptor >= 0)
            ::close(std::exchange(*descriptor, -1));
}

void RunnerProcess::kill()
{
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
        m_process = -1;
    }
    close();
}

bool RunnerProcess::isAlive() const
{
    siginfo_t end{};
    // It stays to be waited for, so that its reason can be told.
    return m_process > 0 &&
           (::waitid(P_PID, static_cast<id_t>(m_process), &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0);
}

void RunnerProcess::send(const std::string& line, int descriptor)
{
    std::size_t sent = 0;
    while (sent < line.size()) {
        iovec part{const_cast<char*>(line.data()) + sent, line.size() - sent};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        if (descriptor >= 0 && sent == 0) {
            message.msg_control = control;
            message.msg_controllen = sizeof(control);
            auto* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
        }
        const auto count = m_channel < 0 ? -1 : ::sendmsg(m_channel, &message, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            failDead();
        sent += static_cast<std::size_t>(count);
    }
}

std::string RunnerProcess::receive(const std::stop_token& stop, std::optional<std::chrono::steady_clock::time_point> deadline)
{
    constexpr int waitMs = 20;
    for (;;) {
        const auto end = m_received.find('\n', m_searched);
        if (end != std::string::npos) {
            auto line = m_received.substr(0, end);
            m_received.erase(0, end + 1);
            m_searched = 0;
            return line;
        }
        m_searched = m_received.size();
        if (m_searched > longestLine) {
            kill();
            throw core::Error("the model's runner sent a longer message than it may; it was ended");
        }
        if (stop.stop_requested()) {
            kill();
            throw core::Cancelled{};
        }
        if (deadline && std::chrono::steady_clock::now() > *deadline) {
            kill();
            throw TimeLimitPassed();
        }
        if (m_channel < 0)
            failDead();
        pollfd watched[] = {{m_channel, POLLIN, 0}, {m_logPipe, POLLIN, 0}};
        if (::poll(watched, 2, waitMs) <= 0)
            continue;
        if (watched[1].revents)
            readLog();
        if (watched[0].revents)
            readChannel();
    }
}

void RunnerProcess::readLog()
{
    char buffer[4096];
    for (;;) {
        const auto count = m_logPipe < 0 ? 0 : ::read(m_logPipe, buffer, sizeof(buffer));
        if (count < 0)
            return;
        if (count == 0) {
            if (m_logPipe >= 0)
                ::close(std::exchange(m_logPipe, -1));
            return;
        }
        m_log.append(buffer, static_cast<std::size_t>(count));
        // Not at every piece: each cut moves all of it.
        if (m_log.size() > 2 * longestLog)
            cutLog();
    }
}

void RunnerProcess::cutLog()
{
    if (m_log.size() <= longestLog)
        return;
    m_isLogCut = true;
    const auto begin = m_log.size() - longestLog;
    // A line that is cut reads as if it were whole.
    const auto end = m_log.find('\n', begin - 1);
    m_log.erase(0, end == std::string::npos || end + 1 == m_log.size() ? begin : end + 1);
}

void RunnerProcess::readChannel()
{
    constexpr std::size_t chunk = 1 << 16;
    const auto before = m_received.size();
    m_received.resize(before + chunk);
    const auto count = ::recv(m_channel, m_received.data() + before, chunk, MSG_DONTWAIT);
    m_received.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        failDead();
}

void RunnerProcess::failDead()
{
    // The channel is closed: give the process a moment to end by itself, so that its own reason is told.
    int status = 0;
    bool ended = m_process <= 0;
    for (int i = 0; i < 50 && !ended; ++i) {
        ended = ::waitpid(m_process, &status, WNOHANG) == m_process;
        if (!ended)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (m_logPipe >= 0)
        readLog();
    if (ended)
        m_process = -1;
    kill();
    throw core::Error(ended ? fmt::format("the model's runner {}", endText(status, m_log))
                            : "the model's runner closed its channel; it was ended");
}

std::string RunnerProcess::takeLog()
{
    if (m_logPipe >= 0)
        readLog();
    cutLog();
    const std::string_view start = std::exchange(m_isLogCut, false) ? "... (what came before is left out)\n" : "";
    return std::string(start) + core::io::repairUtf8(std::exchange(m_log, {}));
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/runner_client.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace support {
namespace {

using nlohmann::json;

constexpr std::uint64_t alignment = 64;
constexpr timeval patience{60, 0};

std::uint64_t aligned(std::uint64_t value)
{
    return (value + alignment - 1) / alignment * alignment;
}

[[noreturn]] void become(const std::vector<std::string>& options, int socket)
{
    const std::string number = std::to_string(socket);
    std::vector<const char*> arguments{ACTISCOPE_RUNNER, "--channel", number.c_str()};
    for (const std::string& option : options)
        arguments.push_back(option.c_str());
    arguments.push_back(nullptr);
    ::setenv("OMP_WAIT_POLICY", "passive", 1);
    ::execv(ACTISCOPE_RUNNER, const_cast<char* const*>(arguments.data()));
    ::_exit(127);
}

} // namespace

ClientArena::ClientArena(std::uint64_t inputBytes, std::uint64_t budget)
    : m_descriptor(::memfd_create("arena", MFD_ALLOW_SEALING | MFD_CLOEXEC))
{
    const std::uint64_t size = aligned(inputBytes) + budget;
    if (::ftruncate(m_descriptor, static_cast<off_t>(size)) != 0 ||
        ::fcntl(m_descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        throw std::runtime_error("no arena");
    auto* address = static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, m_descriptor, 0));
    m_bytes = {new std::span<std::byte>(address, size), [](std::span<std::byte>* bytes) {
                   ::munmap(bytes->data(), bytes->size());
                   delete bytes;
               }};
}

ClientArena::~ClientArena()
{
    ::close(m_descriptor);
}

json ClientArena::add(const core::Tensor& tensor)
{
    const core::Tensor dense = tensor.toContiguous();
    const std::uint64_t offset = aligned(m_used);
    std::memcpy(m_bytes->subspan(offset, static_cast<std::size_t>(dense.bytes())).data(), dense.data(),
                static_cast<std::size_t>(dense.bytes()));
    m_used = offset + static_cast<std::uint64_t>(dense.bytes());
    return {{"tensor", {{"dtype", core::dtypeName(dense.dtype())}, {"shape", dense.shape()}, {"offset", offset}}}};
}

core::Tensor ClientArena::tensor(const json& described) const
{
    const auto dtype = core::dtypeFromName(described.at("dtype").get<std::string>());
    const core::Storage storage{*m_bytes, m_bytes, nullptr};
    return core::Tensor::contiguous(dtype.value(), described.at("shape").get<core::Shape>(), storage,
                                    described.at("offset").get<std::int64_t>());
}

RunnerClient::RunnerClient(std::vector<std::string> options)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
        throw std::runtime_error("no socket");
    m_socket = ends[0];
    m_process = ::fork();
    if (m_process == 0)
        become(options, ends[1]);
    ::close(ends[1]);
    ::fcntl(m_socket, F_SETFD, FD_CLOEXEC);
    ::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    first = receive().value_or(json());
}

RunnerClient::~RunnerClient()
{
    ::close(m_socket);
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        wait();
    }
}

int RunnerClient::wait()
{
    int status = 0;
    ::waitpid(m_process, &status, 0);
    m_process = -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void RunnerClient::send(json message, int descriptor)
{
    message["id"] = ++m_id;
    const std::string line = message.dump() + "\n";
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    iovec part{const_cast<char*>(line.data()), line.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptor >= 0) {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
    }
    // Short enough for the socket's buffer to take it whole.
    if (::sendmsg(m_socket, &header, MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
        throw std::runtime_error("the runner is gone");
}

std::optional<json> RunnerClient::receive()
{
    std::array<char, 65536> bytes;
    for (;;) {
        if (const std::size_t end = m_buffer.find('\n'); end != std::string::npos) {
            const json message = json::parse(m_buffer.substr(0, end));
            m_buffer.erase(0, end + 1);
            return message;
        }
        const ssize_t count = ::recv(m_socket, bytes.data(), bytes.size(), 0);
        if (count <= 0)
            return std::nullopt;
        m_buffer.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

json RunnerClient::open(const std::filesystem::path& file, json message)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        throw std::runtime_error("no file " + file.string());
    message["type"] = "open";
    message["name"] = file.filename();
    send(std::move(message), descriptor);
    ::close(descriptor);
    return receive().value_or(json());
}

std::vector<json> RunnerClient::run(json message, const ClientArena& arena)
{
    message["type"] = "run";
    message["arena"] = arena.size();
    message["used"] = arena.used();
    send(std::move(message), arena.size() > 0 ? arena.descriptor() : -1);
    return answers();
}

std::vector<json> RunnerClient::answers()
{
    std::vector<json> all;
    while (auto message = receive()) {
        all.push_back(std::move(*message));
        const std::string type = all.back().at("type").get<std::string>();
        if (type == "done" || type == "failed")
            break;
    }
    return all;
}

} // namespace support

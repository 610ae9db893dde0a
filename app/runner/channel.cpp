// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/channel.h"

#include "core/error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

namespace runner {
namespace {

constexpr std::size_t mostDescriptors = 8;

/// Appends what the control part of a received message carries.
void takeDescriptors(const msghdr& header, std::vector<Descriptor>& into)
{
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(const_cast<msghdr*>(&header), part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
            into.emplace_back(number);
        }
    }
}

} // namespace

Channel::Channel(Descriptor socket) : m_socket(std::move(socket)) {}

std::optional<Message> Channel::takeLine()
{
    const std::size_t end = m_buffer.find('\n', m_searched);
    if (end == std::string::npos) {
        m_searched = m_buffer.size();
        if (m_buffer.size() > longestLine)
            throw core::Error("the parent sent a line longer than 64 MiB: send shorter messages");
        return std::nullopt;
    }
    Message message;
    message.line = m_buffer.substr(0, end);
    m_buffer.erase(0, end + 1);
    m_searched = 0;
    if (m_owner <= end)
        message.descriptors.swap(m_descriptors);
    else
        m_owner -= end + 1;
    return message;
}

std::optional<Message> Channel::receive()
{
    std::array<char, 65536> bytes;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * mostDescriptors)> control;
    for (;;) {
        if (auto message = takeLine())
            return message;
        iovec part{bytes.data(), bytes.size()};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        const ssize_t count = ::recvmsg(m_socket.number(), &header, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR)
            continue;
        if (count == 0 || (count < 0 && errno == ECONNRESET))
            return std::nullopt;
        if (count < 0)
            throw core::Error(std::string("the channel to the parent cannot be read (") + std::strerror(errno) +
                              "): start the runner anew");
        takeDescriptors(header, m_descriptors);
        m_buffer.append(bytes.data(), static_cast<std::size_t>(count));
        // A read ends with the piece that descriptors came with (unix(7)), so they belong to the last line begun.
        if (header.msg_controllen > 0 && m_buffer.size() > 1)
            m_owner = m_buffer.rfind('\n', m_buffer.size() - 2) + 1;
    }
}

bool Channel::send(const nlohmann::json& message)
{
    // A model's names and messages need not be UTF-8.
    const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::size_t sent = 0;
    while (sent < line.size()) {
        iovec part{const_cast<char*>(line.data()) + sent, line.size() - sent};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        const ssize_t count = ::sendmsg(m_socket.number(), &header, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

} // namespace runner

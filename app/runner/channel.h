// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/descriptor.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace runner {

/// One line that the parent sent and the descriptors that came with it.
struct Message
{
    std::string line;
    std::vector<Descriptor> descriptors;
};

/// The socket to the parent: lines of JSON, with descriptors on the first byte of a line (docs/runner-protocol.md).
/// For one thread.
class Channel
{
public:
    /// Longest line accepted, in bytes.
    static constexpr std::size_t longestLine = 64u << 20;

    /// Takes over one end of a socketpair(AF_UNIX, SOCK_STREAM).
    explicit Channel(Descriptor socket);
    /// Waits for the next line; empty when the parent closed its end. Throws core::Error for a line that is too long and
    /// when the socket fails.
    std::optional<Message> receive();
    /// Sends one object as a line. False when the parent is gone.
    bool send(const nlohmann::json& message);

private:
    std::optional<Message> takeLine();

    Descriptor m_socket;
    std::string m_buffer;
    std::size_t m_searched = 0;
    std::vector<Descriptor> m_descriptors;
    /// Where in the buffer the line begins that m_descriptors came with.
    std::size_t m_owner = 0;
};

} // namespace runner

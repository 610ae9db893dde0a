// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/channel.h"
#include "app/runner/model.h"

namespace runner {

/// Answers the parent's messages until it closes the channel (docs/runner-protocol.md).
class Server
{
public:
    /// `noCuda`: why models cannot run on a GPU; empty when they can.
    Server(Channel& channel, std::string noCuda);
    /// Sends `hello` with what the start found, then answers until the channel closes. Throws core::Error when the channel
    /// fails.
    void serve(const nlohmann::json& hello);

private:
    void answer(Message message);
    void open(const nlohmann::json& message, std::vector<Descriptor> descriptors);
    void run(const nlohmann::json& message, const std::vector<Descriptor>& descriptors);
    void send(const nlohmann::json& message);

    Channel& m_channel;
    std::string m_noCuda;
    std::unique_ptr<Model> m_model;
};

} // namespace runner

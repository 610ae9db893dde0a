// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace support {

/// A capture arena as docs/runner-protocol.md wants it: a sealed memfd, inputs first.
class ClientArena
{
public:
    /// With room for `inputBytes` of inputs and `budget` bytes of captures.
    ClientArena(std::uint64_t inputBytes, std::uint64_t budget);
    ClientArena(const ClientArena&) = delete;
    ClientArena& operator=(const ClientArena&) = delete;
    ~ClientArena();

    /// Copies an input in; the `value` of a message.
    nlohmann::json add(const core::Tensor& tensor);
    /// The tensor that a message describes; throws core::Error when it is not inside the arena.
    core::Tensor tensor(const nlohmann::json& described) const;
    int descriptor() const { return m_descriptor; }
    std::uint64_t size() const { return m_bytes->size(); }
    std::uint64_t used() const { return m_used; }

private:
    int m_descriptor;
    std::shared_ptr<std::span<std::byte>> m_bytes;
    std::uint64_t m_used = 0;
};

/// The parent's side of a runner, for tests: written apart from the program's own.
class RunnerClient
{
public:
    explicit RunnerClient(std::vector<std::string> options = {});
    RunnerClient(const RunnerClient&) = delete;
    RunnerClient& operator=(const RunnerClient&) = delete;
    /// Ends the runner.
    ~RunnerClient();

    /// The first message: `hello`, or `failed`.
    nlohmann::json first;

    /// Sends a message with an id of its own and a descriptor (-1: none).
    void send(nlohmann::json message, int descriptor = -1);
    /// The next message; empty when the runner is gone, or silent for a minute.
    std::optional<nlohmann::json> receive();
    /// The answer to an `open`; null when the runner died.
    nlohmann::json open(const std::filesystem::path& file, nlohmann::json message = nlohmann::json::object());
    /// All answers to a `run`, the last `done` or `failed`; without it when the runner died.
    std::vector<nlohmann::json> run(nlohmann::json message, const ClientArena& arena);
    /// The process id.
    int process() const { return m_process; }
    /// Waits for the end: the exit code, or minus the number of the signal that ended it.
    int wait();

private:
    std::vector<nlohmann::json> answers();

    int m_socket = -1;
    int m_process = -1;
    std::int64_t m_id = 0;
    std::string m_buffer;
};

} // namespace support

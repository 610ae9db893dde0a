// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/server.h"

#include "app/runner/arena.h"
#include "app/runner/failure.h"
#include "app/runner/operators.h"
#include "core/error.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace runner {

using nlohmann::json;

Server::Server(Channel& channel, std::string noCuda) : m_channel(channel), m_noCuda(std::move(noCuda)) {}

void Server::send(const json& message)
{
    // What the model printed is told before the answer to what was asked.
    std::fflush(stdout);
    // Nobody is left to work for; the model's own destructors are not worth waiting for.
    if (!m_channel.send(message))
        ::_exit(0);
}

void Server::serve(const json& hello)
{
    send(hello);
    while (auto message = m_channel.receive())
        answer(std::move(*message));
}

void Server::answer(Message message)
{
    std::int64_t id = 0;
    std::string type;
    try {
        const json content = json::parse(message.line);
        id = content.at("id").get<std::int64_t>();
        type = content.at("type").get<std::string>();
        if (type == "open")
            open(content, std::move(message.descriptors));
        else if (type == "run")
            run(content, message.descriptors);
        else
            throw core::Error("the runner knows no message of type " + type + ": program and runner are of different versions");
    } catch (const std::exception& error) {
        send(failedMessage(id, type, "", explain(error)));
    }
}

void Server::open(const json& message, std::vector<Descriptor> descriptors)
{
    m_model.reset();
    const std::vector<std::string> missing = missingOperators(message.value("operators", std::vector<std::string>()));
    if (!missing.empty()) {
        const Failure failure{"the model needs " + missing.front() +
                                  ": give its library with --op-library FILE when the program is started",
                              "", missing};
        send(failedMessage(message.at("id").get<std::int64_t>(), "open", "", failure));
        return;
    }
    if (descriptors.size() != 1)
        throw core::Error("the model came without an open file: send one with the message");
    const std::string device = message.value("device", "cpu");
    if (device == "cuda" && !m_noCuda.empty())
        throw core::Error(m_noCuda);
    m_model = openTorchScript(std::move(descriptors.front()), device);
    json answer = m_model->describe();
    answer["type"] = "opened";
    answer["id"] = message.at("id");
    send(answer);
}

void Server::run(const json& message, const std::vector<Descriptor>& descriptors)
{
    if (!m_model)
        throw core::Error("no model is open: open one first");
    RunRequest request;
    request.id = message.at("id").get<std::int64_t>();
    request.seed = message.value("seed", std::uint64_t{0});
    request.arguments = message.value("arguments", json::array());
    request.choice.operators = message.value("operators", false);
    const json layers = message.value("layers", json::array());
    request.choice.all = layers == "*";
    if (!request.choice.all)
        request.choice.layers = layers.get<std::vector<std::string>>();
    std::ranges::sort(request.choice.layers);
    const auto size = message.value("arena", std::uint64_t{0});
    if (size == 0) {
        Arena none;
        m_model->run(request, none, [this](const json& answer) { send(answer); });
        return;
    }
    if (descriptors.size() != 1)
        throw core::Error("the run came without its capture arena: send one with the message");
    Arena arena(descriptors.front(), size, message.value("used", std::uint64_t{0}));
    m_model->run(request, arena, [this](const json& answer) { send(answer); });
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
// Stands for actiscope-runner without LibTorch: plays what the model's name (on open) or the first layer (on run) says, so that
// tests can see what the parent makes of crashes, silence and lies.
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using nlohmann::json;
constexpr int channel = 3;

/// A line and the descriptor that came with it, or -1.
bool receive(std::string& line, int& descriptor)
{
    line.clear();
    descriptor = -1;
    for (;;) {
        char letter = 0;
        iovec part{&letter, 1};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        if (::recvmsg(channel, &message, 0) <= 0)
            return false;
        if (const auto* header = CMSG_FIRSTHDR(&message))
            std::memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
        if (letter == '\n')
            return true;
        line += letter;
    }
}

void send(const std::string& text)
{
    if (::send(channel, text.data(), text.size(), MSG_NOSIGNAL) < 0)
        std::exit(9);
}

void send(const json& message)
{
    send(message.dump() + "\n");
}

/// Ends or hangs where `word` says so.
void act(const std::string& word)
{
    std::cerr << "doing " << word << std::endl;
    if (word == "segv" || word == "fpe" || word == "abort" || word == "kill")
        std::raise(word == "segv" ? SIGSEGV : word == "fpe" ? SIGFPE : word == "abort" ? SIGABRT : SIGKILL);
    if (word == "exit")
        std::exit(7);
    if (word == "hang")
        for (;;)
            ::pause();
    if (word == "chatty")
        for (int i = 0; i < 20000; ++i)
            std::cerr << "line " << i << " of many\n";
    if (word == "garbage")
        send(std::string("this is no message\n"));
    if (word == "endless")
        for (const std::string text(1 << 20, 'x');;)
            send(text);
}

/// One that works, and some that are named for what happens when they run.
json layers()
{
    auto list = json::array();
    for (const auto* name : {"ok", "segv", "hang", "failed"})
        list.push_back({{"name", name}, {"type", "torch.nn.modules.Named"}, {"parameters", 3}, {"same", nullptr}});
    return list;
}

void answerOpen(const json& message)
{
    const auto name = message["name"].get<std::string>();
    const auto word = name.substr(0, name.find('.'));
    act(word);
    if (word == "missing") {
        send({{"type", "failed"}, {"id", message["id"]}, {"stage", "open"}, {"message", "x"}, {"missing", {"mylib::op"}}});
        return;
    }
    send({{"type", "opened"},
          {"id", message["id"]},
          {"model", "Net"},
          {"training", false},
          {"arguments", {{{"name", "x"}, {"type", "Tensor"}, {"default", nullptr}, {"required", true}}}},
          {"layers", layers()},
          {"hints", {{"channels", 3}, {"features", nullptr}}},
          {"warnings", json::array()}});
}

json captured(const json& message, const std::string& layer, const json& tensor)
{
    return {{"type", "captured"},  {"id", message["id"]},           {"layer", layer},        {"call", 0}, {"member", ""},
            {"operator", nullptr}, {"value", {{"tensor", tensor}}}, {"notes", json::array()}};
}

/// A tensor whose place or form is a lie, or nothing.
json lie(const std::string& word, std::int64_t bytes)
{
    json tensor{{"dtype", "float32"}, {"shape", {4}}, {"offset", 0}};
    if (word == "outside")
        tensor["offset"] = bytes / 64 * 64;
    else if (word == "unaligned")
        tensor["offset"] = 4;
    else if (word == "negative")
        tensor["offset"] = -64;
    else if (word == "overflow")
        tensor["shape"] = {std::int64_t{1} << 62, 8};
    else if (word == "dtype")
        tensor["dtype"] = "float12";
    else if (word == "fraction")
        tensor["shape"] = {1.5};
    else
        return nullptr;
    return tensor;
}

json done(const json& message)
{
    return {{"type", "done"}, {"id", message["id"]}, {"elapsedMs", 1.5},  {"notExecuted", {"aux"}},
            {"dropped", 0},   {"droppedBytes", 0},   {"truncated", false}};
}

/// A run that keeps nothing: what the layer would have given.
void answerDryRun(const json& message)
{
    const json statistics{{"dtype", "float32"}, {"shape", {1, 1, 2, 2}}, {"elements", 4}, {"min", 7.5},
                          {"max", 10.5},        {"mean", 9.0},           {"std", 1.1},    {"nan", 0},
                          {"posinf", 0},        {"neginf", 0},           {"zeros", 0}};
    auto capture = captured(message, "ok", nullptr);
    capture["value"] = {{"statistics", statistics}};
    send(capture);
    // One whose shape tells how large the input is.
    capture["layer"] = "hang";
    capture["value"]["statistics"]["shape"] = {message["used"].get<std::int64_t>() / 4};
    send(capture);
    send(done(message));
}

void answerRun(const json& message, int descriptor)
{
    const auto word =
        message["layers"].is_array() && !message["layers"].empty() ? message["layers"][0].get<std::string>() : "ok";
    const auto bytes = message["arena"].get<std::int64_t>();
    const auto used = message["used"].get<std::int64_t>();
    if (bytes - used < 64)
        return answerDryRun(message);
    auto* arena = static_cast<float*>(
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
    send({{"type", "progress"}, {"id", message["id"]}, {"layer", word}, {"done", 1}, {"total", 2}});
    // The first number of the input comes back, so that a test sees both directions of the arena.
    for (int i = 0; i < 4; ++i)
        arena[used / 4 + i] = arena[0] + static_cast<float>(i);
    send(captured(message, "ok", {{"dtype", "float32"}, {"shape", {1, 1, 2, 2}}, {"offset", used}}));
    act(word);
    if (word == "oddprogress")
        send({{"type", "progress"}, {"id", message["id"]}, {"layer", word}, {"done", -1}, {"total", "many"}});
    if (const auto tensor = lie(word, bytes); !tensor.is_null())
        send(captured(message, word, tensor));
    if (word == "failed")
        send({{"type", "failed"},
              {"id", message["id"]},
              {"stage", "run"},
              {"layer", "fc"},
              {"message", "shapes do not fit"},
              {"detail", "traceback"},
              {"missing", json::array()}});
    else
        send(done(message));
    ::munmap(arena, static_cast<std::size_t>(bytes));
}

} // namespace

int main()
{
    send({{"type", "hello"}, {"protocol", 1}, {"libtorch", "2.11.0"}, {"sandbox", {{"landlock", 3}, {"seccomp", true}}}});
    std::string line;
    int descriptor = -1;
    while (receive(line, descriptor)) {
        const auto message = json::parse(line);
        if (message["type"] == "open")
            answerOpen(message);
        else
            answerRun(message, descriptor);
        if (descriptor >= 0)
            ::close(descriptor);
    }
    return 0;
}

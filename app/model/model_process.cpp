// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/model_process.h"

#include "app/model/messages.h"
#include "core/error.h"
#include "core/io/script_scan.h"
#include "core/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace app {

namespace {

using nlohmann::json;

/// A file opened for reading, for as long as it is handed over.
class ReadDescriptor
{
public:
    explicit ReadDescriptor(const std::filesystem::path& file) : m_descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (m_descriptor < 0)
            throw core::Error(fmt::format("{} cannot be opened: {}", file.string(), std::strerror(errno)));
    }
    ~ReadDescriptor() { ::close(m_descriptor); }
    ReadDescriptor(const ReadDescriptor&) = delete;
    ReadDescriptor& operator=(const ReadDescriptor&) = delete;
    int get() const { return m_descriptor; }

private:
    int m_descriptor;
};

std::string lineOf(const json& message)
{
    // File names and texts of users need not be UTF-8.
    return message.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::string joined(const std::vector<std::string>& texts)
{
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// What a file needs that nobody has.
std::string needText(const std::string& file, const std::string& what, std::size_t count)
{
    return fmt::format("{} needs {}: give {} library with --op-library FILE when the program is started", file, what,
                       count == 1 ? "its" : "their");
}

/// Why an open failed, as one sentence. `classes` are those that the file names and LibTorch lacks.
std::string openFailure(const json& message, const std::string& file, const std::vector<std::string>& classes)
{
    const auto missing = textsOf(message, "missing");
    if (!missing.empty())
        return needText(file, joined(missing), missing.size());
    // What LibTorch says of a class that is not registered ("Class Namespace cannot be used as a value") names none.
    const auto text = textOf(message, "message") + textOf(message, "detail");
    const bool isAboutClasses = text.find("Class Namespace") != text.npos || text.find("torch.classes") != text.npos;
    if (isAboutClasses && !classes.empty())
        return needText(file, fmt::format("the {} {}", classes.size() == 1 ? "class" : "classes", joined(classes)),
                        classes.size());
    return fmt::format("{} cannot be loaded: {}", file, textOf(message, "message"));
}

std::string runFailure(const json& message)
{
    const auto layer = layerOfModule(textOf(message, "layer"));
    return fmt::format("the model failed{}: {}", layer.empty() ? "" : " in layer " + layer, textOf(message, "message"));
}

/// Why there is no answer.
std::string reasonOf(const core::Error& error, std::chrono::seconds limit)
{
    if (!dynamic_cast<const TimeLimitPassed*>(&error))
        return error.what();
    return fmt::format("the model took longer than the time limit of {} s; it was ended", limit.count());
}

std::string sandboxLackOf(const json& hello)
{
    const auto sandbox = hello.find("sandbox");
    if (sandbox == hello.end() || !sandbox->is_object())
        return "not sandboxed";
    std::string lack;
    if (sandbox->value("landlock", json(0)) == 0)
        lack = "without Landlock, which this kernel lacks";
    if (sandbox->value("seccomp", json(false)) != true)
        lack = "not sandboxed";
    return lack;
}

/// Bytes that the tensors of a value take in an arena.
std::int64_t inputBytes(const ModelValue& value)
{
    std::int64_t bytes = 0;
    if (const auto* tensor = std::get_if<core::Tensor>(&value.value))
        bytes = arenaBytes(tensor->bytes());
    else if (const auto* list = std::get_if<ModelList>(&value.value))
        for (const auto& item : list->items)
            bytes += inputBytes(item);
    else if (const auto* dict = std::get_if<ModelDict>(&value.value))
        for (const auto& [key, item] : dict->items)
            bytes += inputBytes(item);
    return bytes;
}

/// Shared memory for inputs and captures; none for a run that keeps nothing and is given nothing.
std::shared_ptr<CaptureArena> takeArena(ArenaPool& arenas, const RunRequest& request)
{
    std::int64_t bytes = request.budgetBytes;
    for (const auto& [name, value] : request.arguments)
        bytes += inputBytes(value);
    return bytes > 0 ? arenas.take(bytes) : nullptr;
}

} // namespace

ModelProcess::Deadline ModelProcess::deadline() const
{
    if (m_settings.timeLimit.count() == 0)
        return std::nullopt;
    return std::chrono::steady_clock::now() + m_settings.timeLimit;
}

void ModelProcess::launch()
{
    m_loaded = false;
    m_greeted = false;
    m_arenas = std::make_unique<ArenaPool>();
    m_process = std::make_unique<RunnerProcess>(m_settings);
}

void ModelProcess::greet(const core::Job& job)
{
    constexpr std::chrono::seconds startLimit{60};
    const auto hello = parseMessage(m_process->receive(job.stop, std::chrono::steady_clock::now() + startLimit));
    if (hello["type"] == "failed")
        throw core::Error(fmt::format("the model's runner cannot start: {}", textOf(hello, "message")));
    if (hello["type"] != "hello" || countOf(hello, "protocol") != runnerProtocol)
        throw core::Error("actiscope-runner is of another version than this program: install both anew");
    m_sandboxLack = sandboxLackOf(hello);
    m_libTorch = textOf(hello, "libtorch");
    m_greeted = true;
}

void ModelProcess::start(const core::Job& job)
{
    if (m_process && m_process->isAlive()) {
        if (m_greeted)
            return;
        try {
            return greet(job);
        } catch (const core::Error&) {
            // Started ahead, it died while it waited; a new one says why if it dies too.
        }
    }
    launch();
    greet(job);
}

void ModelProcess::startAhead() noexcept
{
    try {
        if (!m_process || !m_process->isAlive())
            launch();
    } catch (const std::exception&) {
        m_process.reset();
    }
}

void ModelProcess::end() noexcept
{
    m_process.reset();
    m_loaded = false;
    if (m_settings.startsAhead)
        startAhead();
}

ModelInfo ModelProcess::open(const std::filesystem::path& file, const core::Job& job)
{
    const auto scan = core::io::scanScript(file, job);
    m_file = file;
    m_operators = scan.customOperators;
    m_classes = scan.customClasses;
    // A process that has held another model may hold what that one left behind.
    if (m_loaded)
        m_process.reset();
    auto info = load(job);
    info.warnings.insert(info.warnings.end(), scan.warnings.begin(), scan.warnings.end());
    if (!m_sandboxLack.empty())
        info.warnings.push_back(fmt::format("the model runs {}", m_sandboxLack));
    return info;
}

ModelInfo ModelProcess::load(const core::Job& job)
{
    start(job);
    const ReadDescriptor archive(m_file);
    try {
        // Of GPUs the process sees the one that it was started for.
        const std::string device = m_settings.device.starts_with("cuda") ? "cuda" : m_settings.device;
        m_process->send(lineOf(openMessage(++m_lastId, m_file.filename().string(), m_operators, device)), archive.get());
        const auto answer = parseMessage(m_process->receive(job.stop, deadline()));
        if (answer["type"] == "failed") {
            // What loading left behind may be anything.
            m_process.reset();
            throw core::Error(openFailure(answer, m_file.string(), m_classes));
        }
        if (answer["type"] != "opened")
            throw core::Error("the model's runner sent what it should not while opening");
        auto info = readOpened(answer);
        m_loaded = true;
        return info;
    } catch (const core::Error& error) {
        const auto text = reasonOf(error, m_settings.timeLimit);
        m_process.reset();
        if (text.starts_with(m_file.string()))
            throw;
        throw core::Error(fmt::format("{} cannot be loaded: {}", m_file.string(), text));
    }
}

RunResult ModelProcess::run(const RunRequest& request, const RunEvents& events, const core::Job& job)
{
    if (!m_process || !m_process->isAlive() || !m_loaded)
        load(job);
    const auto arena = takeArena(*m_arenas, request);
    RunResult result;
    std::string layer;
    try {
        const auto until = deadline();
        m_process->send(lineOf(runMessage(++m_lastId, request, arena.get())), arena ? arena->descriptor() : -1);
        for (;;) {
            const auto message = parseMessage(m_process->receive(job.stop, until));
            const auto& type = message["type"].get_ref<const std::string&>();
            if (type == "captured" || type == "output") {
                auto capture = readCapture(message, arena.get());
                // What the model itself gives comes as its output.
                if (!capture.isOutput && !capture.op && capture.layer.empty())
                    continue;
                result.captures.push_back(std::move(capture));
                if (events.captured)
                    events.captured(result.captures.back());
            } else if (type == "progress") {
                layer = layerOfModule(textOf(message, "layer"));
                if (events.progress)
                    events.progress(layer, countOf(message, "done"), countOf(message, "total"));
            } else if (type == "failed") {
                result.failure = runFailure(message);
                result.traceback = textOf(message, "detail");
                break;
            } else if (type == "done") {
                for (auto& path : textsOf(message, "notExecuted"))
                    result.notExecuted.push_back(layerOfModule(std::move(path)));
                result.unkept = countOf(message, "dropped");
                result.unkeptBytes = countOf(message, "droppedBytes");
                result.truncated = message.value("truncated", json(false)) == true;
                const auto elapsed = message.find("elapsedMs");
                result.elapsedMs = elapsed != message.end() && elapsed->is_number() ? elapsed->get<double>() : 0;
                break;
            } else {
                throw core::Error("the model's runner sent what it should not while running");
            }
        }
    } catch (const core::Error& error) {
        result.failure = reasonOf(error, m_settings.timeLimit);
        if (!layer.empty())
            result.failure += fmt::format("; the last layer seen running was {}", layer);
        m_lastLog = m_process->takeLog();
        end();
    } catch (...) {
        // Whoever stopped us, be it in an event: the process is still at work and of no use.
        end();
        throw;
    }
    nameCaptures(result.captures);
    return result;
}

std::int64_t defaultBudgetBytes()
{
    return core::machineBytes() / 4;
}

} // namespace app

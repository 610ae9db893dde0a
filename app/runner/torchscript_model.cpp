// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/archive_reader.h"
#include "app/runner/arguments.h"
#include "app/runner/failure.h"
#include "app/runner/instrument.h"
#include "app/runner/layers.h"
#include "app/runner/model.h"
#include "core/error.h"

#include <algorithm>
#include <set>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>

namespace runner {
namespace {

using nlohmann::json;
using torch::jit::Module;

/// An instrumented program, ready to run.
struct Prepared
{
    explicit Prepared(Instrumented instrumented) : program(std::move(instrumented)), code(program.graph, "actiscope") {}

    Instrumented program;
    torch::jit::Code code;
};

template <class T>
json orNull(const std::optional<T>& value)
{
    return value ? json(*value) : json();
}

double millisecondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

class TorchScriptModel : public Model
{
public:
    TorchScriptModel(Module module, bool onCpu);
    json describe() const override;
    void run(const RunRequest& request, Arena& arena, const Session::Send& send) override;

private:
    const Prepared& prepare(bool operators);
    void requireLayers(const Choice& choice) const;
    json warnings() const;
    json describeLayers() const;
    c10::IValue forward(const Prepared& prepared, torch::jit::Stack stack) const;
    std::vector<std::string> notExecuted(const Session& session, const Prepared& prepared, const Choice& choice) const;

    Module m_module;
    bool m_onCpu;
    LayerList m_layers;
    std::unique_ptr<Prepared> m_prepared;
    std::unique_ptr<Prepared> m_preparedWithOperators;
    /// How many places of the program call each layer.
    std::map<std::string, int> m_calls;
};

TorchScriptModel::TorchScriptModel(Module module, bool onCpu)
    : m_module(std::move(module)), m_onCpu(onCpu), m_layers(listLayers(m_module))
{
    for (const Site& site : prepare(false).program.sites)
        ++m_calls[site.layer];
}

const Prepared& TorchScriptModel::prepare(bool operators)
{
    std::unique_ptr<Prepared>& prepared = operators ? m_preparedWithOperators : m_prepared;
    if (!prepared)
        prepared = std::make_unique<Prepared>(instrument(m_module, {.operators = operators, .onCpu = m_onCpu}));
    return *prepared;
}

json TorchScriptModel::describe() const
{
    const Hints& hints = m_layers.hints;
    json methods = json::array();
    for (const auto& method : m_module.get_methods())
        methods.push_back(method.name());
    return {{"model", typeName(m_module)},
            {"training", m_module.hasattr("training") && m_module.attr("training").isBool() && m_module.is_training()},
            {"arguments", describeArguments(m_module.get_method("forward").function().getSchema())},
            {"layers", describeLayers()},
            {"hints",
             {{"channels", orNull(hints.channels)},
              {"axes", orNull(hints.axes)},
              {"features", orNull(hints.features)},
              {"vocabulary", orNull(hints.vocabulary)}}},
            {"methods", methods},
            {"warnings", warnings()}};
}

json TorchScriptModel::describeLayers() const
{
    json out = json::array();
    for (const Layer& layer : m_layers.layers) {
        const auto calls = m_calls.find(layer.name);
        out.push_back({{"name", layer.name},
                       {"type", layer.type},
                       {"parameters", layer.parameters},
                       {"same", orNull(layer.same)},
                       {"calls", calls == m_calls.end() ? 0 : calls->second}});
    }
    return out;
}

json TorchScriptModel::warnings() const
{
    json out = json::array();
    if (m_layers.layers.empty() && m_module.parameters(true).size() == 0)
        out.push_back("the model has no layers within it (a frozen file, or a single module): its output and its operators can "
                      "be captured");
    if (!m_layers.layers.empty() && m_calls.empty())
        out.push_back(
            "none of the model's layers is called (a frozen file keeps some by name): only its output and its operators "
            "can be captured");
    if (m_layers.cut)
        out.push_back("the model has too many layers: only the first are listed");
    if (m_prepared->program.truncated)
        out.push_back("the model's calls branch so often that some inner layers cannot be seen");
    return out;
}

void TorchScriptModel::requireLayers(const Choice& choice) const
{
    for (const std::string& name : choice.layers) {
        if (!name.empty() && std::ranges::find(m_layers.layers, name, &Layer::name) == m_layers.layers.end())
            throw core::Error("the model has no layer named " + name + ": choose one that it lists");
    }
}

c10::IValue TorchScriptModel::forward(const Prepared& prepared, torch::jit::Stack stack) const
{
    const at::NoGradGuard noGrad;
    m_module.get_method("forward").function().getSchema().checkAndNormalizeInputs(stack, {});
    // Forked tasks run at once, so that layers come in the order of the program.
    torch::jit::InterpreterState state(prepared.code, [](const std::function<void()>& task) { task(); });
    state.run(stack);
    return stack.back();
}

std::vector<std::string> TorchScriptModel::notExecuted(const Session& session, const Prepared& prepared,
                                                       const Choice& choice) const
{
    std::set<std::string> seen;
    for (const Site& site : prepared.program.sites)
        seen.insert(site.layer);
    for (const std::string& name : session.notEntered())
        seen.erase(name);
    std::vector<std::string> names;
    for (const Layer& layer : m_layers.layers) {
        const bool isNamed = std::ranges::binary_search(choice.layers, layer.name);
        if ((isNamed || (choice.all && layer.callable)) && !seen.contains(layer.name))
            names.push_back(layer.name);
    }
    return names;
}

void TorchScriptModel::run(const RunRequest& request, Arena& arena, const Session::Send& send)
{
    std::string running;
    try {
        requireLayers(request.choice);
        const Prepared& prepared = prepare(request.choice.operators);
        Session session(prepared.program.sites, request.choice, request.id, arena, send);
        torch::jit::Stack stack{m_module._ivalue()};
        for (c10::IValue& value :
             readArguments(request.arguments, m_module.get_method("forward").function().getSchema(), arena, request.seed))
            stack.push_back(m_onCpu ? std::move(value) : value.deepcopy(c10::Device(c10::kCUDA)));
        const CurrentSession current(session);
        const auto start = std::chrono::steady_clock::now();
        try {
            const c10::IValue result = forward(prepared, std::move(stack));
            const double elapsedMs = millisecondsSince(start);
            session.finish(result);
            send({{"type", "done"},
                  {"id", request.id},
                  {"elapsedMs", elapsedMs},
                  {"notExecuted", notExecuted(session, prepared, request.choice)},
                  {"dropped", session.writer().dropped()},
                  {"droppedBytes", session.writer().droppedBytes()},
                  {"truncated", prepared.program.truncated}});
        } catch (const std::exception&) {
            running = session.runningLayer();
            throw;
        }
    } catch (const std::exception& error) {
        send(failedMessage(request.id, "run", running, explain(error)));
    }
}

} // namespace

std::unique_ptr<Model> openTorchScript(Descriptor file, const std::string& device)
{
    // Nothing is fused or removed in what is not instrumented either.
    torch::jit::getProfilingMode() = false;
    const auto reader = std::make_shared<ArchiveReader>(std::move(file));
    Module module = torch::jit::load(reader, c10::Device(device));
    if (!module.find_method("forward"))
        throw core::Error("the model has no method forward, so it cannot be run: save a module that has one");
    return std::make_unique<TorchScriptModel>(std::move(module), device == "cpu");
}

} // namespace runner

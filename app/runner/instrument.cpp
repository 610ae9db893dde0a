// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/instrument.h"

#include "app/runner/capture_operators.h"
#include "app/runner/container_call.h"
#include "app/runner/cpu_devices.h"
#include "app/runner/module_paths.h"

#include <algorithm>
#include <array>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

namespace runner {
namespace {

namespace attr = torch::jit::attr;
namespace prim = torch::jit::prim;
using torch::jit::Block;
using torch::jit::GraphFunction;
using torch::jit::Node;
using torch::jit::Value;
using torch::jit::WithInsertPoint;

/// Names of methods whose calls an eager forward hook sees: "forward", "forward1" (a traced module called again), "forward__0"
/// (an overload), and the overloads of the dynamically quantized LSTM and GRU.
bool isForward(std::string_view name)
{
    if (name == "forward_tensor" || name == "forward_packed")
        return true;
    if (!name.starts_with("forward"))
        return false;
    name.remove_prefix(7);
    if (name.starts_with("__"))
        name.remove_prefix(2);
    return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

bool mayHoldTensor(const c10::TypePtr& type)
{
    switch (type->kind()) {
    case c10::TypeKind::TensorType:
    case c10::TypeKind::AnyType:
        return true;
    case c10::TypeKind::ClassType:
    case c10::TypeKind::InterfaceType:
    case c10::TypeKind::FunctionType:
    case c10::TypeKind::FutureType:
        return false;
    default:
        return std::ranges::any_of(type->containedTypes(), mayHoldTensor);
    }
}

/// Nodes that make no value of their own.
bool isPlumbing(const Node* node)
{
    static const std::array kinds{prim::Constant,      prim::GetAttr,       prim::ListConstruct,  prim::TupleConstruct,
                                  prim::DictConstruct, prim::Uninitialized, prim::ListUnpack,     prim::TupleUnpack,
                                  prim::CreateObject,  prim::fork,          prim::unchecked_cast, prim::Param};
    return std::ranges::find(kinds, node->kind()) != kinds.end() || node->kind() == enterOperator() ||
           node->kind() == captureOperator();
}

/// A traced call of a module that returned its input: the trace keeps neither input nor output, so an eager hook's view is
/// lost.
bool isEmptyTrace(const Node* call)
{
    return call->inputs().size() == 1 && call->output()->type()->kind() == c10::TypeKind::NoneType;
}

bool isForked(const Node* node)
{
    return (node->kind() == prim::fork || node->kind() == prim::awaitable) && node->hasAttribute(attr::Subgraph);
}

std::string lineOf(const Node* node)
{
    // The Python line, which files keep beside their own code's.
    const auto written = node->sourceRange().findSourceRangeThatGenerated();
    const auto place = (written ? *written : node->sourceRange()).file_line_col();
    return place ? std::get<0>(*place) + ":" + std::to_string(std::get<1>(*place)) : "";
}

class Instrumenter
{
public:
    Instrumenter(const torch::jit::Module& model, const InstrumentOptions& options) : m_options(options)
    {
        m_out.graph = torch::jit::toGraphFunction(model.get_method("forward").function()).graph()->copy();
        const Owner owner = std::make_shared<NamedModule>(NamedModule{"", model});
        m_paths.set(m_out.graph->inputs()[0], *owner);
        own(m_out.graph->block(), owner);
    }

    Instrumented run()
    {
        openCalls(m_out.graph->block());
        if (m_options.onCpu)
            useCpuDevices(m_out.graph->block());
        if (m_options.operators)
            addOperatorSites(m_out.graph->block());
        return std::move(m_out);
    }

private:
    /// The module whose method a node belongs to.
    using Owner = std::shared_ptr<const NamedModule>;

    struct Callee
    {
        GraphFunction* function = nullptr;
        std::optional<NamedModule> module;
    };

    void own(Node* node, const Owner& owner)
    {
        m_owners[node] = owner;
        ++m_nodes;
        for (Block* block : node->blocks())
            own(block, owner);
    }

    void own(Block* block, const Owner& owner)
    {
        for (Node* node : block->nodes())
            own(node, owner);
    }

    void openCalls(Block* block)
    {
        Node* node = block->param_node()->next();
        while (node != block->return_node())
            node = visit(node);
    }

    /// Opens one node and answers the next to visit.
    Node* visit(Node* node)
    {
        if (node->kind() == prim::CallMethod || node->kind() == prim::CallFunction)
            return openCall(node);
        if (isForked(node))
            openFork(node);
        for (Block* block : node->blocks())
            openCalls(block);
        return node->next();
    }

    Node* openCall(Node* call)
    {
        const Owner owner = m_owners[call];
        Node* next = call->next();
        if (Node* first = splitContainerCall(call, m_paths)) {
            for (Node* node = first; node != next; node = node->next())
                own(node, owner);
            return first;
        }
        const Callee callee = resolve(call);
        if (callee.function && closeFastPath(call, *callee.function, *owner))
            return next;
        if (callee.module && isForward(call->s(attr::name)) && callee.module->path != owner->path && !isEmptyTrace(call))
            addLayerSite(call, callee.module->path);
        if (!callee.function)
            return call->next();
        if (m_nodes > m_options.nodeBudget) {
            m_out.truncated = true;
            return call->next();
        }
        return inlineCall(call, *callee.function, callee.module ? std::make_shared<NamedModule>(*callee.module) : owner);
    }

    Callee resolve(Node* call) const
    {
        if (call->kind() == prim::CallFunction)
            return {torch::jit::tryToGraphFunction(call), std::nullopt};
        Callee callee{nullptr, m_paths.find(call->input(0))};
        if (callee.module) {
            // Values of an interface type get the type of what they really are.
            call->input(0)->setType(callee.module->module.type());
            if (const auto method = callee.module->module.find_method(call->s(attr::name)))
                callee.function = torch::jit::tryToGraphFunction(method->function());
        } else if (call->input(0)->type()->kind() != c10::TypeKind::InterfaceType) {
            callee.function = torch::jit::tryToGraphFunction(call);
        }
        return callee;
    }

    /// Inside an encoder layer `torch.backends.mha.get_fastpath_enabled()` becomes False: eager does so where hooks are
    /// attached, and the fused operator would hide all inner layers. MultiheadAttention's own fused operator hides none, and
    /// eager keeps it.
    static bool closeFastPath(Node* call, const GraphFunction& function, const NamedModule& owner)
    {
        if (call->kind() != prim::CallFunction || function.name() != "get_fastpath_enabled")
            return false;
        const auto name = owner.module.type()->name();
        if (!name || name->name().find("TransformerEncoderLayer") == std::string::npos)
            return false;
        const WithInsertPoint here(call);
        call->output()->replaceAllUsesWith(call->owningGraph()->insertConstant(false));
        call->destroy();
        return true;
    }

    Node* inlineCall(Node* call, GraphFunction& function, const Owner& owner)
    {
        if (call->kind() == prim::CallFunction)
            call->removeInput(0);
        Node* before = call->prev();
        const Node* after = call->next();
        torch::jit::inlineCallTo(call, &function, function.graph().get());
        for (Node* node = before->next(); node != after; node = node->next())
            own(node, owner);
        return before->next();
    }

    void openFork(Node* node)
    {
        const auto task = node->g(attr::Subgraph)->copy();
        const std::size_t count = std::min(task->inputs().size(), node->inputs().size());
        for (std::size_t i = 0; i < count; ++i) {
            if (auto module = m_paths.find(node->input(i)))
                m_paths.set(task->inputs()[i], std::move(*module));
        }
        own(task->block(), m_owners[node]);
        node->g_(attr::Subgraph, task);
        openCalls(task->block());
    }

    void addLayerSite(Node* call, const std::string& layer)
    {
        torch::jit::Graph& graph = *call->owningGraph();
        {
            const WithInsertPoint before(call);
            Value* site = graph.insertConstant(static_cast<std::int64_t>(m_out.sites.size()));
            graph.insertNode(graph.create(enterOperator(), {site}, 0));
        }
        addSite(call, call->output(), {layer, std::nullopt});
    }

    /// Captures a node's output right after it.
    void addSite(Node* node, Value* value, Site site)
    {
        torch::jit::Graph& graph = *node->owningGraph();
        const WithInsertPoint after(node->next());
        Value* index = graph.insertConstant(static_cast<std::int64_t>(m_out.sites.size()));
        graph.insertNode(graph.create(captureOperator(), {value, index}, 0));
        m_out.sites.push_back(std::move(site));
    }

    void addOperatorSites(Block* block)
    {
        const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
        for (Node* node : nodes) {
            if (isForked(node))
                addOperatorSites(node->g(attr::Subgraph)->block());
            for (Block* inner : node->blocks())
                addOperatorSites(inner);
            if (isPlumbing(node))
                continue;
            const auto owner = m_owners.find(node);
            for (Value* output : node->outputs()) {
                if (mayHoldTensor(output->type()))
                    addSite(node, output,
                            {owner == m_owners.end() ? "" : owner->second->path,
                             OperatorSource{node->kind().toQualString(), output->debugName(), lineOf(node)}});
            }
        }
    }

    InstrumentOptions m_options;
    Instrumented m_out;
    ModulePaths m_paths;
    std::unordered_map<const Node*, Owner> m_owners;
    std::size_t m_nodes = 0;
};

} // namespace

Instrumented instrument(const torch::jit::Module& module, const InstrumentOptions& options)
{
    return Instrumenter(module, options).run();
}

} // namespace runner

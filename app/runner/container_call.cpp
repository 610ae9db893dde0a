// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/container_call.h"

#include "app/runner/module_paths.h"

#include <torch/csrc/jit/ir/ir.h>

namespace runner {
namespace {

namespace aten = torch::jit::aten;
namespace attr = torch::jit::attr;
namespace prim = torch::jit::prim;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;
using torch::jit::WithInsertPoint;

/// Longer lists stay as they are: the chain nests as deep as the list is long.
constexpr std::size_t mostChildren = 256;

struct Chain
{
    Node* call;
    Value* container;
    Value* index;
    std::vector<std::pair<std::string, torch::jit::Module>> children;

    torch::jit::Graph& graph() const { return *call->owningGraph(); }
    bool isList() const { return index->type()->kind() == c10::TypeKind::IntType; }

    /// Calls child k at the insertion point.
    at::ArrayRef<Value*> insertCall(std::size_t k) const
    {
        Node* child = graph().insertNode(graph().createGetAttr(container, children[k].first));
        child->output()->setType(children[k].second.type());
        Node* node = graph().create(prim::CallMethod, child->output(), call->outputs().size());
        for (std::size_t i = 1; i < call->inputs().size(); ++i)
            node->addInput(call->input(i));
        node->s_(attr::name, call->s(attr::name));
        node->setSourceRange(call->sourceRange());
        copyTypes(node);
        return graph().insertNode(node)->outputs();
    }

    /// Chooses among child k and those behind it at the insertion point.
    at::ArrayRef<Value*> insertChoice(std::size_t k) const
    {
        if (k + 1 == children.size())
            return insertCall(k);
        Value* key =
            isList() ? graph().insertConstant(static_cast<std::int64_t>(k)) : graph().insertConstant(children[k].first);
        Value* same = graph().insert(aten::eq, {index, key});
        Node* branch = graph().insertNode(graph().create(prim::If, {same}, call->outputs().size()));
        branch->setSourceRange(call->sourceRange());
        copyTypes(branch);
        fill(branch->addBlock(), [&] { return insertCall(k); });
        fill(branch->addBlock(), [&] { return insertChoice(k + 1); });
        return branch->outputs();
    }

    void copyTypes(Node* node) const
    {
        for (std::size_t i = 0; i < call->outputs().size(); ++i)
            node->output(i)->setType(call->output(i)->type());
    }

    template <class Insert>
    static void fill(Block* block, const Insert& insert)
    {
        const WithInsertPoint inside(block);
        for (Value* output : insert())
            block->registerOutput(output);
    }
};

} // namespace

Node* splitContainerCall(Node* call, const ModulePaths& paths)
{
    if (call->kind() != prim::CallMethod || call->input(0)->node()->kind() != prim::ModuleContainerIndex)
        return nullptr;
    const Node* indexing = call->input(0)->node();
    const auto container = paths.find(indexing->input(0));
    if (!container)
        return nullptr;
    Chain chain{call, indexing->input(0), indexing->input(1), {}};
    for (const auto& child : container->module.named_children())
        chain.children.emplace_back(child.name, child.value);
    if (chain.children.empty() || chain.children.size() > mostChildren)
        return nullptr;
    Node* before = call->prev();
    const WithInsertPoint here(call);
    if (chain.isList()) {
        // Indices from the end are negative.
        Value* length = chain.graph().insertConstant(static_cast<std::int64_t>(chain.children.size()));
        chain.index = chain.graph().insert(aten::remainder, {chain.index, length});
    }
    const auto outputs = chain.insertChoice(0);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        call->output(i)->replaceAllUsesWith(outputs[i]);
    call->destroy();
    return before->next();
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/cpu_devices.h"

#include <algorithm>
#include <torch/csrc/jit/ir/ir.h>

namespace runner {
namespace {

namespace aten = torch::jit::aten;
namespace attr = torch::jit::attr;
namespace prim = torch::jit::prim;
using torch::jit::Node;

bool namesDevice(const Node* constant)
{
    const auto kind = constant->output()->type()->kind();
    if (kind == c10::TypeKind::DeviceObjType)
        return true;
    static const c10::Symbol device = c10::Symbol::fromQualString("aten::device");
    return kind == c10::TypeKind::StringType &&
           std::ranges::all_of(constant->output()->uses(), [](const auto& use) { return use.user->kind() == device; });
}

void moveConstant(Node* constant)
{
    if (!constant->hasAttribute(attr::value) || constant->kindOf(attr::value) != torch::jit::AttributeKind::s)
        return;
    if (constant->s(attr::value).starts_with("cuda") && namesDevice(constant))
        constant->s_(attr::value, "cpu");
}

} // namespace

void useCpuDevices(torch::jit::Block* block)
{
    static const c10::Symbol toCuda = c10::Symbol::fromQualString("aten::cuda");
    for (Node* node : block->nodes()) {
        if (node->kind() == prim::Constant)
            moveConstant(node);
        else if (node->kind() == toCuda)
            node->output()->replaceAllUsesWith(node->input(0));
        if (node->hasAttribute(attr::Subgraph))
            useCpuDevices(node->g(attr::Subgraph)->block());
        for (torch::jit::Block* inner : node->blocks())
            useCpuDevices(inner);
    }
}

} // namespace runner

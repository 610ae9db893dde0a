// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/module_paths.h"

#include <torch/csrc/jit/ir/ir.h>

namespace runner {

using torch::jit::Node;
using torch::jit::Value;
namespace prim = torch::jit::prim;

void ModulePaths::set(const Value* value, NamedModule module)
{
    m_inputs.insert_or_assign(value, std::move(module));
}

std::optional<NamedModule> ModulePaths::find(const Value* value) const
{
    const auto known = m_inputs.find(value);
    if (known != m_inputs.end())
        return known->second;
    const Node* node = value->node();
    if (node->kind() == prim::unchecked_cast)
        return find(node->input(0));
    if (node->kind() != prim::GetAttr)
        return std::nullopt;
    const auto owner = find(node->input(0));
    const std::string& name = node->s(torch::jit::attr::name);
    if (!owner || !owner->module.hasattr(name))
        return std::nullopt;
    const c10::IValue attribute = owner->module.attr(name);
    if (!attribute.isModule())
        return std::nullopt;
    return NamedModule{owner->path.empty() ? name : owner->path + "." + name, attribute.toModule()};
}

} // namespace runner

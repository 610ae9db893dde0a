// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <torch/csrc/jit/api/module.h>
#include <unordered_map>

namespace torch::jit {
struct Node;
struct Value;
} // namespace torch::jit

namespace runner {

/// A module of the model and its attribute path ("" for the model itself).
struct NamedModule
{
    std::string path;
    torch::jit::Module module;
};

/// Tells which module of the model a value of its program is. Saved programs carry no names, and instances of a class share one
/// program: only the chain of attributes from the model's own `self` tells them apart.
class ModulePaths
{
public:
    /// Names a graph's input.
    void set(const torch::jit::Value* value, NamedModule module);
    /// The module that a value always is; empty for what is chosen while running.
    std::optional<NamedModule> find(const torch::jit::Value* value) const;

private:
    std::unordered_map<const torch::jit::Value*, NamedModule> m_inputs;
};

} // namespace runner

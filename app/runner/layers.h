// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
} // namespace torch::jit

namespace runner {

/// A submodule of the model.
struct Layer
{
    /// Attribute path.
    std::string name;
    /// The Python class, as "torch.nn.modules.conv.Conv2d".
    std::string type;
    /// Elements of its own and inner parameters, a shared one counted once.
    std::int64_t parameters = 0;
    /// The earlier layer of the same classes, inside too, with the very same parameters: one module under two names.
    std::optional<std::string> same;
    /// Whether it can be called at all: lists of modules cannot.
    bool callable = false;
};

/// What a file tells of the input it expects.
struct Hints
{
    /// Of the first convolution: input channels and number of spatial axes.
    std::optional<std::int64_t> channels;
    std::optional<std::int64_t> axes;
    /// Input features of the first linear layer.
    std::optional<std::int64_t> features;
    /// Rows of the first embedding.
    std::optional<std::int64_t> vocabulary;
};

struct LayerList
{
    /// Parents before children, in the order in which the model holds them, without the model itself.
    std::vector<Layer> layers;
    Hints hints;
    /// There are more layers than anyone can look at; the rest is left out.
    bool cut = false;
};

LayerList listLayers(const torch::jit::Module& model);
/// The Python class of a module.
std::string typeName(const torch::jit::Module& module);

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/layers.h"

#include <map>
#include <regex>
#include <set>
#include <torch/csrc/jit/api/module.h>
#include <unordered_map>

namespace runner {
namespace {

constexpr std::size_t mostLayers = 100'000;
/// Deeper than any network; a damaged file may hold a module inside itself.
constexpr int deepest = 200;

/// What a module and those within it hold: elements of each parameter tensor, and a hash of their classes and names.
struct Inside
{
    std::unordered_map<const void*, std::int64_t> parameters;
    std::size_t classes = 0;

    void mix(const std::string& text) { classes = classes * 31 + std::hash<std::string>()(text); }
    void add(const std::string& name, Inside child)
    {
        parameters.merge(child.parameters);
        mix(name);
        classes = classes * 31 + child.classes;
    }
};

class Walk
{
public:
    LayerList run(const torch::jit::Module& model)
    {
        visitChildren(model, "", 0);
        return std::move(m_out);
    }

private:
    Inside visitChildren(const torch::jit::Module& module, const std::string& path, int depth)
    {
        Inside inside;
        for (const at::Tensor& parameter : module.parameters(false))
            inside.parameters.emplace(parameter.unsafeGetTensorImpl(), parameter.numel());
        if (depth == deepest) {
            m_out.cut = true;
            return inside;
        }
        for (const auto& child : module.named_children())
            inside.add(child.name, visit(child.value, path.empty() ? child.name : path + "." + child.name, depth + 1));
        return inside;
    }

    Inside visit(const torch::jit::Module& module, const std::string& path, int depth)
    {
        if (m_out.layers.size() == mostLayers) {
            m_out.cut = true;
            return {};
        }
        const std::size_t index = m_out.layers.size();
        Layer layer;
        layer.name = path;
        layer.type = typeName(module);
        layer.callable =
            module.find_method("forward") || module.find_method("forward_tensor") || module.find_method("forward__0");
        readHints(module, layer.type);
        m_out.layers.push_back(std::move(layer));
        Inside inside = visitChildren(module, path, depth);
        inside.mix(m_out.layers[index].type);
        for (const auto& [tensor, elements] : inside.parameters)
            m_out.layers[index].parameters += elements;
        m_out.layers[index].same = sameBefore(inside, index);
        return inside;
    }

    /// Saving makes two modules of one that has two names, but they still share their parameters.
    std::optional<std::string> sameBefore(const Inside& inside, std::size_t index)
    {
        if (inside.parameters.empty())
            return std::nullopt;
        std::set<const void*> tensors;
        for (const auto& [tensor, elements] : inside.parameters)
            tensors.insert(tensor);
        const auto [first, isNew] = m_first.emplace(std::pair(inside.classes, std::move(tensors)), index);
        return isNew ? std::nullopt : std::optional(m_out.layers[first->second].name);
    }

    void readHints(const torch::jit::Module& module, const std::string& type)
    {
        if (!module.hasattr("weight") || !module.attr("weight").isTensor())
            return;
        const at::Tensor weight = module.attr("weight").toTensor();
        if (!weight.defined())
            return;
        const bool isConvolution = type.find("Conv") != std::string::npos && weight.dim() >= 3;
        if (isConvolution && !m_out.hints.channels) {
            const bool isTransposed = type.find("Transpose") != std::string::npos;
            m_out.hints.channels = isTransposed ? weight.size(0) : weight.size(1) * groups(module);
            m_out.hints.axes = weight.dim() - 2;
        } else if (weight.dim() == 2 && type.ends_with("Linear") && !m_out.hints.features) {
            m_out.hints.features = weight.size(1);
        } else if (weight.dim() == 2 && type.ends_with("Embedding") && !m_out.hints.vocabulary) {
            m_out.hints.vocabulary = weight.size(0);
        }
    }

    static std::int64_t groups(const torch::jit::Module& module)
    {
        const auto found = module.type()->findConstant("groups");
        return found && found->isInt() ? found->toInt() : 1;
    }

    LayerList m_out;
    /// By classes and parameters: the first such layer.
    std::map<std::pair<std::size_t, std::set<const void*>>, std::size_t> m_first;
};

} // namespace

LayerList listLayers(const torch::jit::Module& model)
{
    return Walk().run(model);
}

std::string typeName(const torch::jit::Module& module)
{
    const auto name = module.type()->name();
    if (!name)
        return "";
    // "__torch__.torch.nn.modules.conv.___torch_mangle_3.Conv2d"
    static const std::regex mangling("(^__torch__\\.)|(___torch_mangle_[0-9]+\\.)");
    return std::regex_replace(name->qualifiedName(), mangling, "");
}

} // namespace runner

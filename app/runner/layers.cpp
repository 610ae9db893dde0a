// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/layers.h"

#include <regex>
#include <torch/csrc/jit/api/module.h>
#include <unordered_map>
#include <unordered_set>

namespace runner {
namespace {

constexpr std::size_t mostLayers = 100'000;
/// Deeper than any network; a damaged file may hold a module inside itself.
constexpr int deepest = 200;

using Parameters = std::unordered_map<const void*, std::int64_t>;

class Walk
{
public:
    LayerList run(const torch::jit::Module& model)
    {
        visitChildren(model, "", 0);
        return std::move(m_out);
    }

private:
    Parameters visitChildren(const torch::jit::Module& module, const std::string& path, int depth)
    {
        Parameters parameters;
        for (const at::Tensor& parameter : module.parameters(false))
            parameters.emplace(parameter.unsafeGetTensorImpl(), parameter.numel());
        if (depth == deepest)
            m_out.cut = true;
        else
            for (const auto& child : module.named_children())
                parameters.merge(visit(child.value, path.empty() ? child.name : path + "." + child.name, depth + 1));
        return parameters;
    }

    Parameters visit(const torch::jit::Module& module, const std::string& path, int depth)
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
        const auto [first, isNew] = m_first.emplace(module._ivalue().get(), index);
        if (!isNew)
            layer.same = m_out.layers[first->second].name;
        readHints(module, layer.type);
        m_out.layers.push_back(std::move(layer));
        const Parameters parameters = visitChildren(module, path, depth);
        for (const auto& [tensor, elements] : parameters)
            m_out.layers[index].parameters += elements;
        return parameters;
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
    std::unordered_map<const void*, std::size_t> m_first;
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace app {

/// One module of a model.
struct ModelLayer
{
    /// Attribute path: "layer1.0.conv1"; outputLayerName stands for "output".
    std::string name;
    /// Python class, without TorchScript's mangling: "torch.nn.modules.conv.Conv2d".
    std::string type;
    /// Elements of its own parameters and those of the layers within.
    std::int64_t parameters = 0;
    /// The name of an earlier layer that is the same object; usually empty.
    std::string same;
    /// Places of the program that call it; one that none calls cannot be captured.
    std::int64_t calls = 0;
};

/// One argument of a model's forward method.
struct ModelArgument
{
    std::string name;
    /// TorchScript's words: "Tensor", "Optional[Tensor]", "List[int]".
    std::string type;
    /// The default value as text.
    std::optional<std::string> defaultText;
    bool required = true;
};

/// What a loaded model tells of itself.
struct ModelInfo
{
    std::string type;
    /// The file was saved in training mode: dropout and batch norms act so.
    bool training = false;
    std::vector<ModelArgument> arguments;
    /// Parents before children, in the order in which the model holds them.
    std::vector<ModelLayer> layers;
    /// Input channels and spatial axes of the first convolution.
    std::optional<std::int64_t> channels;
    std::optional<std::int64_t> axes;
    /// Input features of the first linear layer.
    std::optional<std::int64_t> features;
    /// Rows of the first embedding.
    std::optional<std::int64_t> vocabulary;
    std::vector<std::string> warnings;

    const ModelLayer* layer(std::string_view name) const;
};

/// A tensor that the runner makes: as torch.randn (integers and bool: torch.randint(0, high)) or torch.ones.
struct GeneratedTensor
{
    bool random = true;
    core::DType dtype = core::DType::f32;
    core::Shape shape;
    /// 0: the runner's own, 2.
    std::int64_t high = 0;
};

struct ModelValue;
/// A list or tuple of values.
struct ModelList
{
    std::vector<ModelValue> items;
    bool isTuple = false;
};
/// A dict with text keys.
struct ModelDict
{
    std::vector<std::pair<std::string, ModelValue>> items;
};
/// A value given to a model; nothing stands for None.
struct ModelValue
{
    std::variant<std::monostate, core::Tensor, GeneratedTensor, std::int64_t, double, bool, std::string, ModelList, ModelDict>
        value;
};

/// An operator inside a layer.
struct OperatorSite
{
    /// "aten::relu_".
    std::string name;
    /// Name of the value in the model's code: "input.5".
    std::string value;
    /// "torch/nn/modules/conv.py:456"; empty when the file keeps none.
    std::string line;
};

/// Statistics of a value that was not kept: over finite values, as float64; nothing where there are none.
struct UnkeptTensor
{
    std::string dtype;
    core::Shape shape;
    std::int64_t elements = 0;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> mean;
    std::optional<double> std;
    std::int64_t nan = 0;
    std::int64_t positiveInf = 0;
    std::int64_t negativeInf = 0;
    std::int64_t zeros = 0;
};

/// A value seen at one place of the model in one run.
struct Capture
{
    /// Empty for the model's own output.
    std::string layer;
    /// Set for the model's own output.
    bool isOutput = false;
    /// Which call of the layer, from 0.
    std::int64_t call = 0;
    /// Part of a tuple, list or dict: "[1][0]", ".key"; usually empty.
    std::string member;
    std::optional<OperatorSite> op;
    /// Nothing for a Python None.
    std::variant<std::monostate, core::Tensor, core::SparseTensor, UnkeptTensor> value;
    std::vector<std::string> notes;

    /// Unique in its run once nameCaptures() has filled it.
    std::string name;
};

/// What to run, and what to keep of it.
struct RunRequest
{
    /// Arguments of forward by name; the others take their defaults.
    std::vector<std::pair<std::string, ModelValue>> arguments;
    /// Layers by exact name ("" is the model itself); ignored with allLayers.
    std::vector<std::string> layers;
    bool allLayers = false;
    /// Also every operator's output inside the chosen layers.
    bool operators = false;
    /// Bytes that captures may take; 0: statistics only.
    std::int64_t budgetBytes = 0;
    /// torch.manual_seed before anything random.
    std::int64_t seed = 0;
};

/// What a run gave. Tensors share the run's arena and stay as they are whatever runs next.
struct RunResult
{
    /// In the order in which they came to be; the model's output last.
    std::vector<Capture> captures;
    /// Layers that were asked for and did not run.
    std::vector<std::string> notExecuted;
    /// Captures that did not fit the budget.
    std::int64_t unkept = 0;
    std::int64_t unkeptBytes = 0;
    /// Some inner layers could not be looked into: the model has too many nodes.
    bool truncated = false;
    double elapsedMs = 0;
    /// Why the model failed (one sentence with the layer); what was captured before is above. Empty when it did not.
    std::string failure;
    /// TorchScript's traceback; may be empty.
    std::string traceback;
};

/// The model's own output among the names of its layers.
inline constexpr std::string_view outputName = "output";
/// What a module of the model that is itself called `output` is called: the model's own output keeps that name.
inline constexpr std::string_view outputLayerName = "output~2";
/// The name of the layer at an attribute path of the model, and the attribute path of a layer.
std::string layerOfModule(std::string path);
std::string moduleOfLayer(std::string name);

/// Gives each capture its name: `layer`, `layer#k` where it ran more than once, then the member; operators add `%value@line`;
/// the model's output is `output`. A name met again gets "~2" ..., but never the model's output.
void nameCaptures(std::vector<Capture>& captures);

} // namespace app

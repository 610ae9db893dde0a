// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/model.h"
#include "app/model/prepare_input.h"
#include "core/progress.h"

#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace app {

/// One input as the user gave it.
struct InputSource
{
    /// The argument that it is for; empty: the next one that takes a tensor.
    std::string argument;
    /// A picture or tensor file ("FILE:NAME" for one of several tensors), or a tensor to make.
    std::variant<std::filesystem::path, GeneratedTensor> source;
};

/// A plain value: `NAME=VALUE`.
struct ArgumentText
{
    std::string name;
    std::string text;
};

/// Everything that the user gave a model.
struct ModelInput
{
    std::vector<InputSource> sources;
    std::vector<ArgumentText> texts;
    InputPreparation preparation;
    /// How a missing argument is given, for messages: "--input FILE or --random SHAPE".
    std::string howToGive;
};

/// Decodes a picture file for people: colours of a palette, ink turned to light. Throws core::Error.
using PictureDecoder = std::function<core::Tensor(const std::filesystem::path&)>;

/// An input that lies on a plane.
struct InputPicture
{
    /// What the model gets: [N, C, H, W].
    core::Tensor given;
    /// The picture as it was decoded, [H, W] or [H, W, channels]; nothing for a tensor.
    std::optional<core::Tensor> original;
    core::InputGeometry geometry;
};

/// Arguments ready for a run.
struct PreparedArguments
{
    std::vector<std::pair<std::string, ModelValue>> values;
    /// The first picture among the inputs, or tensor that was prepared like one.
    std::optional<InputPicture> picture;
};

/// Reads, prepares and assigns the inputs to the arguments of forward: named ones first, the others in order to the arguments
/// that take tensors; a List[Tensor] takes all that are left (pictures without the batch axis there, as torchvision's detection
/// models want them). Throws core::Error for files, core::UsageError for a missing, unknown or surplus input and for a value
/// that its argument cannot take.
PreparedArguments makeArguments(const ModelInfo& model, const ModelInput& input, const PictureDecoder& decode,
                                const core::Job& job);

/// "1x3x224x224" or "1,3,224,224". Throws core::UsageError that names the option.
core::Shape parseShape(std::string_view text, std::string_view option);

} // namespace app

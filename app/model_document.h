// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/model.h"
#include "core/document.h"

#include <memory>
#include <string>
#include <vector>

namespace app {

/// What a model's entry in Contents is made from.
struct ModelParts
{
    /// The file's own document: parameters and buffers.
    std::shared_ptr<const core::Document> file;
    std::shared_ptr<const ModelInfo> info;
    /// Shapes of all layers, from a run that kept nothing; may be empty.
    std::vector<Capture> shapes;
    /// Layers that this run did not reach.
    std::vector<std::string> notExecuted;
    /// What the last runs kept.
    std::vector<Capture> captures;
};

/// The file's document with the model's layers before its parameters, and what they gave. A layer whose output was captured
/// holds values; one with several (calls, members of a tuple) holds them as entries beneath it, and what operators within it
/// gave; "output" is the last, with the operators of the model itself.
std::shared_ptr<const core::Document> modelDocument(const ModelParts& parts);

/// The layer to be shown when nobody chose one: the last with rows and columns, or the last with values at all. "output" when
/// there is none.
std::string usualLayer(const ModelParts& parts);

/// The layer (or "output") whose run gave an entry; empty for one that no run gave.
std::string layerOf(const ModelParts& parts, const std::string& entry);

/// The entry that stands for a layer after a run: its own, or the first of those beneath it; empty when it gave no values.
std::string shownEntry(const ModelParts& parts, const std::string& layer);

} // namespace app

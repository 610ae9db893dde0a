// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "app/cli/session.h"
#include "core/document.h"
#include "core/engine/engine.h"

#include <memory>
#include <optional>
#include <string>

namespace app::cli {

/// Opens a file or folder and tells its warnings. Throws core::Error.
core::Document openDocument(Session& session, const std::string& file);

/// The tensor of a name; without a name the only one. In a folder FILE stands for the only tensor of that file, FILE:NAME for
/// one of several. Throws core::Error with the names there are when none fits, core::UsageError with the choices when several
/// do.
const core::Entry& chooseTensor(const core::Document& document, const std::string& file,
                                const std::optional<std::string>& name);

/// Compares checksums (a mismatch is a warning), loads an entry and hands the selected part to the engine.
std::unique_ptr<core::LoadedTensor> loadEntry(Session& session, const core::Entry& entry, const core::Selection& selection,
                                              const core::Engine& engine);

/// Warns of --per-channel where no rule finds thresholds: all channels have the same T anyway.
void warnWithoutRule(Session& session, const core::Where& where);

/// Opens the file and chooses the tensor, or runs the model and takes the layer's output; loads it: what `analyze`, `coords`
/// and `render` begin with.
struct Source
{
    core::Document document;
    const core::Entry* entry = nullptr;
    std::unique_ptr<core::LoadedTensor> loaded;
};
Source openSource(Session& session, const SelectOptions& options);

/// The layout's letters; "W" for a tensor without axes.
std::string layoutText(const core::Layout& layout);

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "app/cli/session.h"
#include "app/model/model_process.h"
#include "core/document.h"

#include <optional>
#include <string>
#include <vector>

namespace app::cli {

/// A model in its process, and what it tells of itself. Tells its warnings. Throws core::Error, core::UsageError.
class ModelSession
{
public:
    ModelSession(Session& session, const SelectOptions& options);

    const ModelInfo& info() const { return m_info; }
    /// Runs it on the input that the options give, and keeps what is asked. What the model prints goes to stderr. Throws
    /// core::Error when the model fails, core::UsageError for inputs that do not fit its arguments.
    RunResult run(const std::vector<std::string>& layers, bool allLayers, bool operators);

private:
    Session& m_session;
    const SelectOptions& m_options;
    ModelInput m_input;
    ModelProcess m_process;
    ModelInfo m_info;
};

/// A warning about a file, with its name once.
std::string ofFile(const std::string& file, const std::string& warning);

/// A list or dict of layers, which nobody calls.
bool isContainer(const ModelLayer& layer);

/// The layer that the name of a capture belongs to ("rnn" of "rnn#1[0]"), or "output"; nothing when the model has none.
std::optional<std::string> layerOf(const ModelInfo& model, std::string_view capture);

/// Runs the model and returns a document with the one value that --layer names. Throws core::Error when the model has no such
/// layer, it did not run, or gave no tensor; core::UsageError with the choices when it gave several, or none is named.
core::Document captureLayer(Session& session, const SelectOptions& options);
/// Runs the model and returns a document with all that its layers gave.
core::Document captureAll(Session& session, const SelectOptions& options);

} // namespace app::cli

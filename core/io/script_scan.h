// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core::io {

/// What the sources and constants of a TorchScript archive tell before anything of it is run.
struct ScriptScan
{
    /// Operators named in the code as "namespace::name", each once, sorted. Those of PyTorch's own namespaces are left out.
    std::vector<std::string> customOperators;
    /// Classes named in the code as "namespace::Name", each once, sorted: those that a library of its own must bring. Those of
    /// PyTorch's own namespaces are left out.
    std::vector<std::string> customClasses;
    /// Facts worth a warning: files that the code reads or writes, devices written into it.
    std::vector<std::string> warnings;
};

/// Reads `code/` as text and checks every record of the weights and constants against its declared size (LibTorch loads a short
/// record as whatever lies in memory). Throws Error for a damaged archive and for one that is no TorchScript program;
/// Cancelled.
ScriptScan scanScript(const std::filesystem::path& file, const Job& job);

/// The part of scanScript() that looks at one source file; adds to `scan`.
void scanSource(std::string_view source, std::string_view name, ScriptScan& scan);

} // namespace core::io

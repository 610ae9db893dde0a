// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core::io {

/// A module of an exported program.
struct ExportedModule
{
    /// Attribute path: "layer1.0.conv1"; empty for the program itself.
    std::string name;
    /// Python class; empty where no operator names the module: the file tells it only with operators.
    std::string type;
    /// How many times it was called while the program was exported.
    std::int64_t calls = 0;
};

/// The modules that the text of models/NAME.json tells of (torch/_export/serde/schema.py): first those of the module call
/// graph, in its order, then those that only operators name, by their nn_module_stack. `subject` names the text in messages.
/// Throws Error for text that is no such program, is nested too deeply, or names more modules than there can be; Cancelled.
std::vector<ExportedModule> readExportedModules(std::string_view text, const std::string& subject, const Job& job);

} // namespace core::io

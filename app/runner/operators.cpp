// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/operators.h"

#include <torch/csrc/jit/frontend/builtin_functions.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace runner {
namespace {

bool isKnown(const std::string& name)
{
    if (name.find("::") == std::string::npos || name.starts_with("prim::"))
        return true;
    const c10::Symbol symbol = c10::Symbol::fromQualString(name);
    return !torch::jit::getAllOperatorsFor(symbol).empty() || !torch::jit::getAllBuiltinFunctionsFor(symbol).empty();
}

} // namespace

std::vector<std::string> missingOperators(const std::vector<std::string>& names)
{
    std::vector<std::string> missing;
    for (const std::string& name : names) {
        if (!isKnown(name))
            missing.push_back(name);
    }
    return missing;
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/arguments.h"

#include <string>

namespace app::cli {

/// What to add to the reason why a model failed: which input it got where shapes or dtypes did not fit, and the option that may
/// help. Empty when there is nothing to add.
std::string remedyFor(const std::string& failure, const ModelInfo& model, const ModelInput& input,
                      const PreparedArguments& given);

} // namespace app::cli

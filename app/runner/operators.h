// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace runner {

/// Those of the operators ("torchvision::nms") that neither LibTorch nor a loaded library has.
std::vector<std::string> missingOperators(const std::vector<std::string>& names);

} // namespace runner

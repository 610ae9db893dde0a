// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/visible_gpu.h"

#include "core/error.h"

#include <string_view>

namespace runner {

std::string visibleGpu(int number, const char* visible)
{
    if (!visible)
        return std::to_string(number);
    std::string_view rest = visible;
    int count = 0;
    while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find(','));
        if (count++ == number)
            return std::string(name);
        rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : name.size());
    }
    throw core::Error("there is no GPU " + std::to_string(number) + ": CUDA_VISIBLE_DEVICES names " + std::to_string(count) +
                      "; choose another with --device");
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/model.h"
#include "core/io/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace app {

const ModelLayer* ModelInfo::layer(std::string_view name) const
{
    const auto found = std::ranges::find(layers, name, &ModelLayer::name);
    return found == layers.end() ? nullptr : &*found;
}

std::string layerOfModule(std::string path)
{
    return path == outputName ? std::string(outputLayerName) : path;
}

std::string moduleOfLayer(std::string name)
{
    return name == outputLayerName ? std::string(outputName) : name;
}

void nameCaptures(std::vector<Capture>& captures)
{
    const auto placeOf = [](const Capture& capture) {
        return capture.op ? fmt::format("{}%{}@{}", capture.layer, capture.op->value, capture.op->line) : capture.layer;
    };
    std::set<std::string> repeated;
    for (const auto& capture : captures)
        if (capture.call > 0)
            repeated.insert(placeOf(capture));
    core::io::UniqueNames names;
    for (auto& capture : captures)
        if (capture.isOutput)
            capture.name = names.take(std::string(outputName) + capture.member);
    for (auto& capture : captures) {
        if (capture.isOutput)
            continue;
        std::string name = capture.layer;
        if (repeated.contains(placeOf(capture)))
            name += fmt::format("#{}", capture.call);
        if (capture.op)
            name += fmt::format("%{}@{}", capture.op->value, capture.op->line);
        capture.name = names.take(name + capture.member);
    }
}

} // namespace app

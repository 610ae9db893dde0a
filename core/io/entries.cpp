// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/entries.h"

#include <algorithm>

namespace core::io {

Entry tensorEntry(std::string name, DType dtype, Shape shape, Strides strides)
{
    Entry entry;
    entry.path = {name};
    entry.name = std::move(name);
    entry.dtype = dtype;
    entry.bytes = checkedProduct(elementCount(shape), itemSize(dtype));
    entry.shape = std::move(shape);
    entry.strides = std::move(strides);
    return entry;
}

Entry objectEntry(std::string name, std::string type, std::string why)
{
    Entry entry;
    entry.kind = EntryKind::object;
    entry.path = {name};
    entry.name = std::move(name);
    entry.type = std::move(type);
    entry.notes.push_back(std::move(why));
    return entry;
}

std::vector<std::string> dottedPath(const std::string& name)
{
    std::vector<std::string> path;
    for (std::size_t begin = 0; begin <= name.size();) {
        const auto end = std::min(name.find('.', begin), name.size());
        path.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    const bool isPlain = std::any_of(path.begin(), path.end(), [](const auto& segment) { return segment.empty(); });
    return isPlain ? std::vector<std::string>{name} : path;
}

} // namespace core::io

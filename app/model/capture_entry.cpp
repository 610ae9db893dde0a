// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/capture_entry.h"

#include "core/io/entries.h"

#include <fmt/format.h>

namespace app {

namespace {

struct Describer
{
    core::Entry& entry;

    void operator()(std::monostate) const { entry.notes.push_back("gave None"); }
    void operator()(const core::Tensor& tensor) const
    {
        setLoad(tensor);
        entry.shape = tensor.shape();
        entry.strides = tensor.strides();
        entry.bytes = tensor.bytes();
    }
    void operator()(const core::SparseTensor& tensor) const
    {
        setLoad(tensor);
        entry.shape = tensor.shape;
        entry.storage = tensor.kind;
        entry.stored = tensor.stored();
        entry.bytes = tensor.stored() * core::itemSize(tensor.dtype());
    }
    void operator()(const UnkeptTensor& tensor) const
    {
        entry.shape = tensor.shape;
        if (const auto dtype = core::dtypeFromName(tensor.dtype)) {
            entry.dtype = *dtype;
            entry.bytes = tensor.elements * core::itemSize(*dtype);
        }
    }

    template <class Values>
    void setLoad(const Values& tensor) const
    {
        entry.dtype = tensor.dtype();
        entry.load = [tensor](const core::Job&) -> core::Content { return tensor; };
    }
};

} // namespace

core::Entry layerEntry(const ModelLayer& layer)
{
    core::Entry entry;
    entry.name = layer.name;
    entry.path = core::io::dottedPath(layer.name);
    // What lies within it is beneath it, not beneath the model's own output.
    if (!entry.path.empty() && entry.path.front() == outputName)
        entry.path.front() = outputLayerName;
    entry.kind = core::EntryKind::layer;
    entry.type = layer.type;
    if (layer.parameters > 0)
        entry.notes.push_back(fmt::format("{} parameters", layer.parameters));
    if (layer.calls == 0)
        entry.notes.push_back("never called: it gives no values");
    if (!layer.same.empty())
        entry.notes.push_back(fmt::format("the same layer as {}", layer.same));
    return entry;
}

bool isKept(const Capture& capture)
{
    return std::holds_alternative<core::Tensor>(capture.value) || std::holds_alternative<core::SparseTensor>(capture.value);
}

void describeCapture(core::Entry& entry, const Capture& capture)
{
    entry.notes.insert(entry.notes.end(), capture.notes.begin(), capture.notes.end());
    std::visit(Describer{entry}, capture.value);
}

} // namespace app

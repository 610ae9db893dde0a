// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tensor.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace core {

enum class EntryKind { tensor, parameter, layer, value, object };
/// The word of the JSON contract: "tensor", "parameter", ...
std::string_view entryKindName(EntryKind kind);

/// One named thing in a document. Describes itself without reading data; `load` fetches the data.
struct Entry
{
    /// Unique in its document: string keys joined with '.', integer keys and members as "[k]"; repeated names get "~2" ...
    std::string name;
    /// Another name that Document::find takes ("FILE:NAME" of a directory's entry that is listed as FILE); usually empty.
    std::string alias;
    /// The same as a path of segments for a tree ("layer1", "0", "[3]"). Never empty.
    std::vector<std::string> path;
    EntryKind kind = EntryKind::tensor;

    /// For tensors and parameters (strides empty for sparse ones).
    DType dtype = DType::f32;
    Shape shape;
    Strides strides;
    /// Elements x item size; for sparse entries the bytes stored.
    std::int64_t bytes = 0;
    StorageKind storage = StorageKind::strided;
    /// Sparse entries: number of values that the file holds.
    std::optional<std::int64_t> stored;
    /// An image file's picture: its default layout is HWC.
    bool isImage = false;

    /// `value` entries: the value as text. `object` and `layer` entries: the type.
    std::string value;
    std::string type;
    /// Facts worth knowing ("requires grad", "quantized quint8, scale 0.1, zero point 3", "saved on cuda:0").
    std::vector<std::string> notes;

    /// Fetches the data; set for tensors, parameters and layers whose output was captured. Throws Error for a damaged entry,
    /// Cancelled when stopped. Thread safe; mapped data is shared, packed data is inflated at each call (callers keep what they
    /// need).
    std::function<Content(const Job&)> load;
    /// Compares stored checksums with the data; the warning to show, or nothing when they match or there are none.
    std::function<std::optional<std::string>(const Job&)> verify;

    /// Whether it has values to show; a layer has them once a run captured its output.
    bool isTensor() const
    {
        return kind == EntryKind::tensor || kind == EntryKind::parameter || (kind == EntryKind::layer && load);
    }
};

/// An opened file or directory.
struct Document
{
    std::filesystem::path file;
    /// "torch", "torch-legacy", "torchscript", "pt2", "npy", "npz", "safetensors", "image", "directory".
    std::string format;
    std::vector<Entry> entries;
    std::vector<std::string> warnings;
    /// A TorchScript program: it can be run, and its layers captured.
    bool isProgram = false;

    /// The entry of a name (or else of an alias), or null.
    const Entry* find(std::string_view name) const;
};

} // namespace core

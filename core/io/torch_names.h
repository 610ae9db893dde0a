// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"
#include "core/tensor.h"

#include <optional>
#include <string_view>

namespace core::io {

/// Which of PyTorch's quantized kinds a storage holds.
enum class QuantizedKind { quint8, qint8, qint32 };

/// A storage class or dtype by its PyTorch name.
struct TorchType
{
    /// Nothing for kinds that cannot be read (complex32, 4-bit ones ...).
    std::optional<DType> dtype;
    /// Set for quantized kinds, whose stored integers have `dtype`.
    std::optional<QuantizedKind> quantized;
    /// UntypedStorage: bytes whose tensors tell their dtype.
    bool isUntyped = false;
};

/// "torch.FloatStorage", "torch.cuda.HalfStorage", "torch.storage.UntypedStorage" ...; nothing when it is no storage class.
std::optional<TorchType> storageType(std::string_view global);
/// "torch.float32", "torch.quint8" ...; nothing when it is no global of torch itself. Unknown names have no dtype.
std::optional<TorchType> dtypeGlobal(std::string_view global);
/// "quint8", "qint8", "qint32".
std::string_view quantizedName(QuantizedKind kind);
/// The layout of "torch.sparse_coo" ... or of PyTorch's number for it (c10/core/Layout.h).
std::optional<StorageKind> sparseLayout(std::string_view name);
std::optional<StorageKind> sparseLayout(std::int64_t number);

} // namespace core::io

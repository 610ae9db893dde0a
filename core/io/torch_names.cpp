// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_names.h"

namespace core::io {

namespace {

struct StorageName
{
    std::string_view name;
    TorchType type;
};

constexpr StorageName storageNames[] = {
    {"Double", {DType::f64, {}, false}},
    {"Float", {DType::f32, {}, false}},
    {"Half", {DType::f16, {}, false}},
    {"BFloat16", {DType::bf16, {}, false}},
    {"Long", {DType::i64, {}, false}},
    {"Int", {DType::i32, {}, false}},
    {"Short", {DType::i16, {}, false}},
    {"Char", {DType::i8, {}, false}},
    {"Byte", {DType::u8, {}, false}},
    {"Bool", {DType::boolean, {}, false}},
    {"ComplexDouble", {DType::c128, {}, false}},
    {"ComplexFloat", {DType::c64, {}, false}},
    {"QUInt8", {DType::u8, QuantizedKind::quint8, false}},
    {"QInt8", {DType::i8, QuantizedKind::qint8, false}},
    {"QInt32", {DType::i32, QuantizedKind::qint32, false}},
    {"Untyped", {DType::u8, {}, true}},
};

} // namespace

std::optional<TorchType> storageType(std::string_view global)
{
    constexpr std::string_view suffix = "Storage";
    if (!global.starts_with("torch.") || !global.ends_with(suffix))
        return std::nullopt;
    auto name = global.substr(0, global.size() - suffix.size());
    name.remove_prefix(name.rfind('.') + 1);
    for (const auto& [known, type] : storageNames)
        if (name == known)
            return type;
    return TorchType{};
}

std::optional<TorchType> dtypeGlobal(std::string_view global)
{
    constexpr std::string_view prefix = "torch.";
    if (!global.starts_with(prefix))
        return std::nullopt;
    const auto name = global.substr(prefix.size());
    for (const auto kind : {QuantizedKind::quint8, QuantizedKind::qint8, QuantizedKind::qint32})
        if (name == quantizedName(kind))
            return TorchType{kind == QuantizedKind::quint8  ? DType::u8
                             : kind == QuantizedKind::qint8 ? DType::i8
                                                            : DType::i32,
                             kind, false};
    return TorchType{dtypeFromName(name), {}, false};
}

std::string_view quantizedName(QuantizedKind kind)
{
    constexpr std::string_view names[] = {"quint8", "qint8", "qint32"};
    return names[static_cast<std::size_t>(kind)];
}

std::optional<StorageKind> sparseLayout(std::string_view name)
{
    constexpr std::string_view prefix = "torch.sparse_";
    if (!name.starts_with(prefix))
        return std::nullopt;
    for (const auto kind : {StorageKind::coo, StorageKind::csr, StorageKind::csc, StorageKind::bsr, StorageKind::bsc})
        if (name.substr(prefix.size()) == storageKindName(kind))
            return kind;
    return std::nullopt;
}

std::optional<StorageKind> sparseLayout(std::int64_t number)
{
    switch (number) {
    case 1:
        return StorageKind::coo;
    case 2:
        return StorageKind::csr;
    case 4:
        return StorageKind::csc;
    case 5:
        return StorageKind::bsr;
    case 6:
        return StorageKind::bsc;
    default:
        return std::nullopt;
    }
}

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/npz_array.h"

#include "core/io/buffer.h"
#include "core/io/names.h"

#include <cstring>
#include <fmt/format.h>

namespace core::io {

namespace {

template <class T>
void widen(const Tensor& dense, std::span<std::byte> out)
{
    for (std::int64_t i = 0; i < dense.elements(); ++i) {
        T value;
        std::memcpy(&value, dense.data() + i * sizeof(T), sizeof(T));
        const auto wide = static_cast<std::int64_t>(value);
        std::memcpy(out.data() + i * sizeof(wide), &wide, sizeof(wide));
    }
}

} // namespace

NpzArray::NpzArray(std::shared_ptr<const ZipArchive> zip, const ZipMember& zipMember, std::int64_t budget)
    : archive(std::move(zip)), member(&zipMember), budgetBytes(budget)
{
    constexpr std::size_t enoughForMost = 256;
    std::vector<std::byte> bytes(enoughForMost);
    bytes.resize(archive->peek(*member, bytes));
    const auto needed = npyHeaderBytes(bytes);
    if (needed > bytes.size()) {
        bytes.resize(needed);
        bytes.resize(archive->peek(*member, bytes));
    }
    header = readNpyHeader(ByteView(bytes, subject()));
}

std::string NpzArray::subject() const
{
    return fmt::format("{}: member {}", archive->file()->path().string(), repairUtf8(member->name));
}

std::string NpzArray::name() const
{
    constexpr std::string_view suffix = ".npy";
    return repairUtf8(member->name.substr(0, member->name.size() - suffix.size()));
}

Tensor NpzArray::load(const Job& job) const
{
    requireNpyData(header, member->size, subject());
    return npyTensor(header, archive->load(*member, budgetBytes, job), subject(), budgetBytes, job);
}

Tensor NpzArray::loadIntegers(std::size_t rank, const Job& job) const
{
    if (!header.dtype || !isInteger(*header.dtype) || header.shape.size() != rank)
        throw Error(fmt::format("{} should hold integers along {} axes; the file is damaged, save it again", subject(), rank));
    const auto dense = load(job).toContiguous();
    if (dense.dtype() == DType::i64)
        return dense;
    const Buffer wide(static_cast<std::size_t>(checkedProduct(dense.elements(), sizeof(std::int64_t))), subject());
    switch (dense.dtype()) {
    case DType::u8:
        widen<std::uint8_t>(dense, wide.bytes());
        break;
    case DType::i8:
        widen<std::int8_t>(dense, wide.bytes());
        break;
    case DType::u16:
        widen<std::uint16_t>(dense, wide.bytes());
        break;
    case DType::i16:
        widen<std::int16_t>(dense, wide.bytes());
        break;
    case DType::u32:
        widen<std::uint32_t>(dense, wide.bytes());
        break;
    case DType::i32:
        widen<std::int32_t>(dense, wide.bytes());
        break;
    default:
        widen<std::uint64_t>(dense, wide.bytes());
    }
    return Tensor::contiguous(DType::i64, dense.shape(), wide.storage());
}

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/scipy_sparse.h"

#include "core/io/buffer.h"
#include "core/io/entries.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace core::io {

namespace {

constexpr std::size_t betweenChecks = std::size_t{1} << 16;

/// The members of an archive that scipy.sparse.save_npz wrote.
struct Layout
{
    std::string format;
    Shape shape;
    std::optional<NpzArray> data;
    /// csr, csc, bsr: `indices`; coo: `row`, `col` or `coords`; dia: `offsets`.
    std::vector<NpzArray> positions;
    /// csr, csc, bsr.
    std::optional<NpzArray> pointers;
};

std::span<const std::int64_t> numbers(const Tensor& dense)
{
    return {reinterpret_cast<const std::int64_t*>(dense.data()), static_cast<std::size_t>(dense.elements())};
}

[[noreturn]] void fail(const NpzArray& member, const std::string& what)
{
    throw Error(fmt::format("{}: {}; the file is damaged, save it again with scipy.sparse.save_npz", member.subject(), what));
}

const NpzArray* find(const std::vector<NpzArray>& members, std::string_view name)
{
    const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.name() == name; });
    return found == members.end() ? nullptr : &*found;
}

/// The text of a 0-d array of bytes ("|S3") or of characters ("<U3").
std::string textOf(const NpzArray& member)
{
    constexpr std::uint64_t longest = 512;
    if (!member.header.shape.empty() || member.member->size > longest)
        return {};
    const auto storage = member.archive->load(*member.member, member.budgetBytes, {});
    std::string text;
    for (const std::byte letter : storage.bytes.subspan(std::min(member.header.dataOffset, storage.bytes.size())))
        if (letter != std::byte{0})
            text += static_cast<char>(letter);
    return text;
}

/// Nothing when the members are not those of the format.
std::optional<Layout> layoutOf(const std::vector<NpzArray>& members)
{
    const auto* format = find(members, "format");
    const auto* shape = find(members, "shape");
    Layout layout;
    layout.format = format ? textOf(*format) : "";
    if (const auto* data = find(members, "data"))
        layout.data = *data;
    if (!shape || !layout.data || !layout.data->header.dtype)
        return std::nullopt;
    const auto take = [&](std::initializer_list<std::string_view> names) {
        layout.positions.clear();
        for (const auto name : names)
            if (const auto* member = find(members, name))
                layout.positions.push_back(*member);
        return layout.positions.size() == names.size();
    };
    if (const auto* pointers = find(members, "indptr"))
        layout.pointers = *pointers;
    const bool isCompressed = layout.format == "csr" || layout.format == "csc" || layout.format == "bsr";
    const bool isKnown = (isCompressed && layout.pointers && take({"indices"})) ||
                         (layout.format == "coo" && (take({"coords"}) || take({"row", "col"}))) ||
                         (layout.format == "dia" && take({"offsets"}));
    if (!isKnown)
        return std::nullopt;
    const auto extents = shape->loadIntegers(1, {});
    layout.shape.assign(numbers(extents).begin(), numbers(extents).end());
    const auto rank = layout.shape.size();
    if (rank == 0 || rank > maxRank || (rank != 2 && layout.format != "coo" && !(rank == 1 && layout.format == "csr")))
        fail(*shape, fmt::format("{} axes do not fit the format {}", rank, layout.format));
    if (std::any_of(layout.shape.begin(), layout.shape.end(), [](auto extent) { return extent < 0; }))
        fail(*shape, "a negative extent");
    try {
        elementCount(layout.shape);
    } catch (const Error& error) {
        fail(*shape, error.what());
    }
    return layout;
}

void checkIndices(const NpzArray& member, std::span<const std::int64_t> indices, std::int64_t extent, const Job& job)
{
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (i % betweenChecks == 0)
            job.check();
        if (indices[i] < 0 || indices[i] >= extent)
            fail(member, fmt::format("index {} lies outside the {} that the shape has", indices[i], extent));
    }
}

/// The first `count` along axis 0.
Tensor firstOf(const Tensor& tensor, std::int64_t count)
{
    auto shape = tensor.shape();
    shape[0] = count;
    return {tensor.dtype(), std::move(shape), tensor.strides(), tensor.storage(), tensor.byteOffset()};
}

void requireRank(const NpzArray& member, std::size_t rank)
{
    if (member.header.shape.size() != rank)
        fail(member, fmt::format("{} axes where {} are expected", member.header.shape.size(), rank));
}

SparseTensor loadCompressed(const Layout& layout, const Job& job)
{
    const auto& data = *layout.data;
    const bool isBlocked = layout.format == "bsr";
    requireRank(data, isBlocked ? 3 : 1);
    const bool byColumn = layout.format == "csc";
    const auto values = data.load(job);
    const auto pointers = layout.pointers->loadIntegers(1, job);
    const auto plain = layout.positions[0].loadIntegers(1, job);
    auto rows = layout.shape[byColumn ? 1 : 0];
    auto columns = layout.shape[byColumn ? 0 : 1];
    if (isBlocked) {
        const auto& blocks = values.shape();
        if (blocks[1] <= 0 || blocks[2] <= 0 || rows % blocks[1] != 0 || columns % blocks[2] != 0)
            fail(data, fmt::format("blocks of {} x {} do not tile {}", blocks[1], blocks[2], shapeText(layout.shape)));
        rows /= blocks[1];
        columns /= blocks[2];
    }
    const auto starts = numbers(pointers);
    if (static_cast<std::int64_t>(starts.size()) - 1 != rows || starts[0] != 0 || !std::is_sorted(starts.begin(), starts.end()))
        fail(*layout.pointers, fmt::format("the pointers should be one more than {}, begin at 0 and grow", rows));
    const auto count = starts.back();
    if (count > plain.elements() || count > values.shape()[0])
        fail(*layout.pointers, fmt::format("{} values are expected, {} indices and {} values are there", count,
                                           plain.elements(), values.shape()[0]));
    // SciPy may keep room at the end.
    const auto indices = firstOf(plain, count);
    checkIndices(layout.positions[0], numbers(indices), columns, job);
    const auto kind = isBlocked ? StorageKind::bsr : byColumn ? StorageKind::csc : StorageKind::csr;
    return {kind, layout.shape, pointers, indices, firstOf(values, count), false};
}

SparseTensor loadCoordinates(const Layout& layout, const Job& job)
{
    const auto& data = *layout.data;
    requireRank(data, 1);
    const auto values = data.load(job);
    const auto count = static_cast<std::size_t>(values.elements());
    const auto rank = layout.shape.size();
    if (layout.positions.size() == 1 && layout.format == "coo") { // "coords", of any rank
        const auto& member = layout.positions[0];
        const auto indices = member.loadIntegers(2, job);
        if (indices.shape() != Shape{static_cast<std::int64_t>(rank), values.elements()})
            fail(member, fmt::format("shape {} for {} axes and {} values", shapeText(indices.shape()), rank, count));
        for (std::size_t axis = 0; axis < rank; ++axis)
            checkIndices(member, numbers(indices).subspan(axis * count, count), layout.shape[axis], job);
        return {StorageKind::coo, layout.shape, indices, {}, values, false};
    }
    if (rank != layout.positions.size())
        fail(data, fmt::format("{} arrays of indices for {} axes", layout.positions.size(), rank));
    const Buffer buffer(rank * count * sizeof(std::int64_t), data.subject());
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const auto& member = layout.positions[axis];
        const auto indices = member.loadIntegers(1, job);
        if (indices.elements() != values.elements())
            fail(member, fmt::format("{} indices for {} values", indices.elements(), count));
        checkIndices(member, numbers(indices), layout.shape[axis], job);
        const auto bytes = static_cast<std::size_t>(indices.bytes());
        if (bytes > 0)
            std::memcpy(buffer.bytes().data() + axis * bytes, indices.data(), bytes);
    }
    const Shape shape{static_cast<std::int64_t>(rank), values.elements()};
    return {StorageKind::coo, layout.shape, Tensor::contiguous(DType::i64, shape, buffer.storage()), {}, values, false};
}

/// The columns of diagonal `offset` that lie inside the matrix and the data: element [row, column] has row = column - offset.
struct Columns
{
    std::int64_t first;
    std::int64_t count;
};
Columns columnsOf(const Layout& layout, std::int64_t offset, std::int64_t width)
{
    // No diagonal further away touches the matrix; bounded, the sums below cannot overflow.
    if (offset <= -layout.shape[0] || offset >= layout.shape[1])
        return {0, 0};
    const auto first = std::max<std::int64_t>(0, offset);
    const auto rows = layout.shape[0];
    const auto afterRows = offset > 0 && rows > layout.shape[1] - offset ? layout.shape[1] : rows + offset;
    const auto end = std::min({layout.shape[1], width, afterRows});
    return {first, std::max<std::int64_t>(0, end - first)};
}

SparseTensor loadDiagonals(const Layout& layout, const Job& job)
{
    const auto& data = *layout.data;
    requireRank(data, 2);
    const auto values = data.load(job).toContiguous();
    const auto offsets = layout.positions[0].loadIntegers(1, job);
    const auto width = values.shape()[1];
    const auto item = static_cast<std::size_t>(itemSize(values.dtype()));
    if (offsets.elements() != values.shape()[0])
        fail(layout.positions[0], fmt::format("{} offsets for {} diagonals", offsets.elements(), values.shape()[0]));
    std::int64_t count = 0;
    for (const auto offset : numbers(offsets))
        count += columnsOf(layout, offset, width).count;
    const Buffer indices(static_cast<std::size_t>(count) * 2 * sizeof(std::int64_t), data.subject());
    const Buffer kept(static_cast<std::size_t>(count) * item, data.subject());
    auto* row = reinterpret_cast<std::int64_t*>(indices.bytes().data());
    auto* column = row + count;
    std::byte* to = kept.bytes().data();
    for (std::int64_t k = 0; k < offsets.elements(); ++k) {
        const auto offset = numbers(offsets)[static_cast<std::size_t>(k)];
        const auto columns = columnsOf(layout, offset, width);
        for (std::int64_t j = columns.first; j < columns.first + columns.count; ++j, to += item) {
            if (j % static_cast<std::int64_t>(betweenChecks) == 0)
                job.check();
            *row++ = j - offset;
            *column++ = j;
            std::memcpy(to, values.data() + (k * width + j) * static_cast<std::int64_t>(item), item);
        }
    }
    return {StorageKind::coo,
            layout.shape,
            Tensor::contiguous(DType::i64, {2, count}, indices.storage()),
            {},
            Tensor::contiguous(values.dtype(), {count}, kept.storage()),
            false};
}

/// Bytes of the values and of what tells their places, as the file holds them.
std::int64_t storedBytes(const Layout& layout)
{
    auto bytes = static_cast<__int128>(layout.data->header.dataBytes());
    for (const auto& member : layout.positions)
        bytes += member.header.dtype ? member.header.dataBytes() : 0;
    if (layout.pointers && layout.pointers->header.dtype)
        bytes += layout.pointers->header.dataBytes();
    return static_cast<std::int64_t>(std::min<__int128>(bytes, std::numeric_limits<std::int64_t>::max()));
}

std::int64_t storedOf(const Layout& layout)
{
    const auto& data = *layout.data;
    if (layout.format != "dia")
        return elementCount(data.header.shape);
    requireRank(data, 2);
    requireNpyData(data.header, data.member->size, data.subject());
    const auto offsets = layout.positions[0].loadIntegers(1, {});
    if (offsets.elements() != data.header.shape[0])
        fail(layout.positions[0], fmt::format("{} offsets for {} diagonals", offsets.elements(), data.header.shape[0]));
    std::int64_t count = 0;
    for (const auto offset : numbers(offsets))
        count += columnsOf(layout, offset, data.header.shape[1]).count;
    return count;
}

} // namespace

std::optional<Entry> scipySparseEntry(const std::vector<NpzArray>& members, const std::string& name)
{
    const auto layout = layoutOf(members);
    if (!layout)
        return std::nullopt;
    const bool isCompressed = layout->pointers && layout->shape.size() == 2;
    Entry entry;
    entry.name = name;
    entry.path = {name};
    entry.dtype = *layout->data->header.dtype;
    entry.shape = layout->shape;
    entry.storage = !isCompressed             ? StorageKind::coo
                    : layout->format == "csr" ? StorageKind::csr
                    : layout->format == "csc" ? StorageKind::csc
                                              : StorageKind::bsr;
    entry.stored = storedOf(*layout);
    entry.bytes = storedBytes(*layout);
    entry.notes.push_back(fmt::format("scipy.sparse {}", layout->format));
    entry.load = [layout = *layout, isCompressed](const Job& job) -> Content {
        if (layout.format == "dia")
            return loadDiagonals(layout, job);
        return isCompressed ? loadCompressed(layout, job) : loadCoordinates(layout, job);
    };
    entry.verify = [members](const Job& job) -> std::optional<std::string> {
        for (const auto& member : members)
            if (auto warning = member.archive->verify(*member.member, job))
                return warning;
        return std::nullopt;
    };
    return entry;
}

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/npy_header.h"

#include "core/io/byte_swap.h"
#include "core/io/python_literal.h"

#include <algorithm>
#include <fmt/format.h>

namespace core::io {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t highestHeaderBytes = 1 << 20;

struct Description
{
    std::string_view letters;
    DType dtype;
};
/// The part of a description after its byte order.
constexpr Description descriptions[] = {
    {"b1", DType::boolean}, {"?", DType::boolean}, {"u1", DType::u8},  {"i1", DType::i8},  {"u2", DType::u16},
    {"i2", DType::i16},     {"u4", DType::u32},    {"i4", DType::i32}, {"u8", DType::u64}, {"i8", DType::i64},
    {"f2", DType::f16},     {"f4", DType::f32},    {"f8", DType::f64}, {"c8", DType::c64}, {"c16", DType::c128},
};

std::string_view withoutOrder(std::string_view descr)
{
    const bool hasOrder = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
    return descr.substr(hasOrder ? 1 : 0);
}

/// Whether a description, or a field of a structure, is of Python objects.
bool hasObjects(const PythonLiteral& descr)
{
    using Kind = PythonLiteral::Kind;
    if (descr.kind == Kind::string)
        return withoutOrder(descr.text).starts_with('O');
    if (descr.kind == Kind::tuple) // (dtype, shape)
        return !descr.members.empty() && hasObjects(descr.members[0]);
    return std::any_of(descr.members.begin(), descr.members.end(),
                       [](const auto& field) { return field.members.size() > 1 && hasObjects(field.members[1]); });
}

/// Fills in dtype, byte order and whether there are objects.
void describe(NpyHeader& header, const PythonLiteral& descr)
{
    header.hasObjects = hasObjects(descr);
    if (descr.kind != PythonLiteral::Kind::string) {
        header.descr = descr.source;
        return;
    }
    header.descr = descr.text;
    const auto letters = withoutOrder(header.descr);
    header.order = header.descr.starts_with('>') ? ByteOrder::big : ByteOrder::little;
    for (const auto& [known, dtype] : descriptions)
        if (letters == known)
            header.dtype = dtype;
    if (letters == header.descr && !header.dtype) // numpy.dtype also takes full names
        header.dtype = dtypeFromName(letters);
}

Shape shapeOf(const PythonLiteral& literal, const ByteView& view)
{
    using Kind = PythonLiteral::Kind;
    if (literal.kind != Kind::tuple && literal.kind != Kind::list)
        view.fail("the shape in the header is not a tuple");
    if (literal.members.size() > maxRank)
        view.fail(fmt::format("the header has a shape of {} axes, more than {}", literal.members.size(), maxRank));
    Shape shape;
    for (const auto& extent : literal.members) {
        if (extent.kind != Kind::integer || extent.number < 0)
            view.fail(fmt::format("the header has the extent {}", extent.source.substr(0, 30)));
        shape.push_back(extent.number);
    }
    return shape;
}

} // namespace

Strides NpyHeader::strides() const
{
    if (!fortranOrder)
        return contiguousStrides(shape);
    auto reversed = contiguousStrides(Shape(shape.rbegin(), shape.rend()));
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

std::int64_t NpyHeader::dataBytes() const
{
    return checkedProduct(elementCount(shape), itemSize(*dtype));
}

bool isNpy(std::span<const std::byte> bytes)
{
    return ByteView(bytes).peek(magic.size()) == magic;
}

std::size_t npyHeaderBytes(std::span<const std::byte> first)
{
    ByteView view(first);
    if (!isNpy(first) || view.size() < 12)
        return view.size();
    view.skip(magic.size());
    const auto version = view.little<std::uint8_t>();
    view.skip(1);
    const std::size_t prefix = version == 1 ? 10 : 12;
    const std::size_t length = version == 1 ? view.little<std::uint16_t>() : view.little<std::uint32_t>();
    return prefix + std::min(length, highestHeaderBytes);
}

NpyHeader readNpyHeader(ByteView view)
{
    using Kind = PythonLiteral::Kind;
    const std::string subject = view.subject();
    if (view.text(magic.size()) != magic)
        throw Error(subject + ": does not begin as .npy data does; save it again with numpy.save");
    const auto version = view.little<std::uint8_t>();
    const auto minor = view.little<std::uint8_t>();
    if (version < 1 || version > 3 || minor != 0)
        throw Error(fmt::format("{}: version {}.{} of the npy format is not known; save it again as 1.0, 2.0 or 3.0", subject,
                                version, minor));
    const std::size_t length = version == 1 ? view.little<std::uint16_t>() : view.little<std::uint32_t>();
    if (length > highestHeaderBytes)
        view.fail(fmt::format("a header of {} bytes, more than the {} that are believed,", length, highestHeaderBytes));
    const ByteView text = view.part(view.offset(), length, subject);
    const auto literal = parsePythonLiteral(text);
    const auto* descr = literal.find("descr");
    const auto* fortran = literal.find("fortran_order");
    const auto* shape = literal.find("shape");
    if (!descr || !fortran || !shape || literal.members.size() != 6 || fortran->kind != Kind::boolean)
        view.fail("the header is not a dictionary of descr, fortran_order and shape");
    NpyHeader header;
    describe(header, *descr);
    header.fortranOrder = fortran->number != 0;
    header.shape = shapeOf(*shape, view);
    header.dataOffset = view.offset() + length;
    try {
        checkedProduct(elementCount(header.shape), header.dtype ? itemSize(*header.dtype) : 1);
        header.strides();
    } catch (const Error& error) {
        view.fail(fmt::format("the shape {} ({})", shapeText(header.shape), error.what()));
    }
    return header;
}

void requireNpyData(const NpyHeader& header, std::uint64_t bytes, const std::string& subject)
{
    const auto present = bytes - std::min<std::uint64_t>(bytes, header.dataOffset);
    const auto needed = static_cast<std::uint64_t>(header.dataBytes());
    if (present < needed)
        throw Error(
            fmt::format("{} is cut off: shape {} of {} needs {} bytes of data, {} are there; fetch or save the file again",
                        subject, shapeText(header.shape), dtypeName(*header.dtype), needed, present));
}

Tensor npyTensor(const NpyHeader& header, const Storage& storage, const std::string& subject, std::int64_t budgetBytes,
                 const Job& job)
{
    requireNpyData(header, storage.bytes.size(), subject);
    const auto unit = swapUnit(*header.dtype);
    if (header.order == ByteOrder::little || unit == 1)
        return {*header.dtype, header.shape, header.strides(), storage, static_cast<std::int64_t>(header.dataOffset)};
    if (header.dataBytes() > budgetBytes)
        throw Error(fmt::format("{}: {} bytes in the other byte order pass the {} that one entry may take; save it in "
                                "little-endian order",
                                subject, header.dataBytes(), budgetBytes));
    const auto data = storage.bytes.subspan(header.dataOffset, static_cast<std::size_t>(header.dataBytes()));
    const auto swapped = swapBytes(data, unit, subject, job);
    return {*header.dtype, header.shape, header.strides(), swapped, 0};
}

} // namespace core::io

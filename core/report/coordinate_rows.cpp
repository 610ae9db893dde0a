// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/coordinate_rows.h"

#include "core/error.h"
#include "core/io/chunks.h"
#include "core/report/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace core::report {

namespace {

template <class T>
void put(std::vector<std::byte>& bytes, T value)
{
    const auto size = bytes.size();
    bytes.resize(size + sizeof value);
    std::memcpy(bytes.data() + size, &value, sizeof value);
}

template <class T>
T as(const Scalar& value)
{
    return std::visit([](auto number) { return static_cast<T>(number); }, value);
}

/// Appends a value in the dtype that .npy files keep it in.
void putScalar(std::vector<std::byte>& bytes, DType dtype, const Scalar& value)
{
    switch (dtype) {
    case DType::boolean:
    case DType::u8:
        return put(bytes, as<std::uint8_t>(value));
    case DType::i8:
        return put(bytes, as<std::int8_t>(value));
    case DType::u16:
        return put(bytes, as<std::uint16_t>(value));
    case DType::i16:
        return put(bytes, as<std::int16_t>(value));
    case DType::u32:
        return put(bytes, as<std::uint32_t>(value));
    case DType::i32:
        return put(bytes, as<std::int32_t>(value));
    case DType::u64:
        return put(bytes, as<std::uint64_t>(value));
    case DType::i64:
        return put(bytes, as<std::int64_t>(value));
    case DType::f16:
        return put(bytes, toHalf(as<double>(value)).bits);
    case DType::f64:
        return put(bytes, as<double>(value));
    default:
        return put(bytes, as<float>(value));
    }
}

/// The stored bytes of an element, for dtypes that a Scalar cannot hold (complex).
const std::byte* elementAt(const Tensor& tensor, std::span<const std::int64_t> indices)
{
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < indices.size(); ++axis)
        offset += indices[axis] * tensor.strides()[axis];
    return tensor.data() + offset * itemSize(tensor.dtype());
}

/// As Python's complex() reads it: "1.0-2.0j".
template <class T>
std::string complexText(const std::byte* element)
{
    T parts[2];
    std::memcpy(parts, element, sizeof parts);
    const auto imaginary = numberText(static_cast<double>(parts[1]));
    return numberText(static_cast<double>(parts[0])) + (imaginary.starts_with('-') ? "" : "+") + imaginary + 'j';
}

const Tensor& complexTensor(const LoadedTensor& tensor)
{
    if (!tensor.dense())
        throw Error("the values of a sparse complex tensor cannot be written: leave --values out");
    return *tensor.dense();
}

std::string valueText(const LoadedTensor& tensor, const RowBlock& block, std::size_t row)
{
    if (!isComplex(tensor.dtype()))
        return numberText(block.values[row]);
    const auto rank = tensor.shape().size();
    const auto* element = elementAt(complexTensor(tensor), block.indices.subspan(row * rank, rank));
    return tensor.dtype() == DType::c64 ? complexText<float>(element) : complexText<double>(element);
}

} // namespace

CoordinateRows::CoordinateRows(const LoadedTensor& tensor, const Where& where, std::int64_t count, const Job& job)
    : m_tensor(tensor), m_where(where), m_count(count), m_job(job)
{
}

void CoordinateRows::forEachBlock(bool values, const std::function<void(const RowBlock&, std::size_t)>& sink) const
{
    const auto rank = m_tensor.shape().size();
    std::int64_t missing = m_count;
    const auto take = [&](const RowBlock& block) {
        const auto rows = static_cast<std::size_t>(
            std::min(missing, static_cast<std::int64_t>(rank > 0 ? block.indices.size() / rank : block.values.size())));
        sink({block.indices.first(rows * rank), block.values.empty() ? block.values : block.values.first(rows)}, rows);
        missing -= static_cast<std::int64_t>(rows);
        return missing > 0;
    };
    // Rows without axes can be counted by their values only.
    if (m_count > 0)
        m_tensor.coordinates(m_where, values || rank == 0, take, m_job);
    if (missing > 0)
        throw Error("the file changed while its coordinates were written: try again once it is complete");
}

void CoordinateRows::indices(const ByteSink& sink) const
{
    forEachBlock(false, [&](const RowBlock& block, std::size_t) { sink(std::as_bytes(block.indices)); });
}

DType CoordinateRows::valueDType() const
{
    return io::npyDType(m_tensor.dtype());
}

void CoordinateRows::values(const ByteSink& sink) const
{
    const auto dtype = valueDType();
    const auto rank = m_tensor.shape().size();
    std::vector<std::byte> bytes;
    forEachBlock(true, [&](const RowBlock& block, std::size_t rows) {
        bytes.clear();
        for (std::size_t row = 0; row < rows; ++row) {
            if (!isComplex(dtype)) {
                putScalar(bytes, dtype, block.values[row]);
                continue;
            }
            const auto* element = elementAt(complexTensor(m_tensor), block.indices.subspan(row * rank, rank));
            bytes.insert(bytes.end(), element, element + itemSize(dtype));
        }
        sink(bytes);
    });
}

void CoordinateRows::csv(bool values, const std::function<void(std::string_view)>& sink) const
{
    const auto rank = m_tensor.shape().size();
    std::string text;
    for (std::size_t axis = 0; axis < rank; ++axis)
        text += fmt::format("{}i{}", axis > 0 ? "," : "", axis);
    if (values)
        text += rank > 0 ? ",value" : "value";
    text += '\n';
    sink(text);
    forEachBlock(values, [&](const RowBlock& block, std::size_t rows) {
        text.clear();
        for (std::size_t row = 0; row < rows; ++row) {
            fmt::format_to(std::back_inserter(text), "{}", fmt::join(block.indices.subspan(row * rank, rank), ","));
            if (values)
                text += (rank > 0 ? "," : "") + valueText(m_tensor, block, row);
            text += '\n';
        }
        sink(text);
    });
}

} // namespace core::report

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <functional>
#include <span>
#include <string_view>

namespace core::report {

/// The first rows of a tensor's coordinate list as the bytes of arrays or the text of a table. Every call runs through the list
/// anew and gives the same; it throws Error when the list turns out shorter (the file changed), Cancelled.
class CoordinateRows
{
public:
    using ByteSink = std::function<void(std::span<const std::byte>)>;

    /// The references must outlive it. `count`: rows taken, at most as many as there are.
    CoordinateRows(const LoadedTensor& tensor, const Where& where, std::int64_t count, const Job& job);

    std::int64_t count() const { return m_count; }
    /// [rows, rank]
    Shape indexShape() const { return {m_count, static_cast<std::int64_t>(m_tensor.shape().size())}; }
    /// int64, row-major.
    void indices(const ByteSink& sink) const;
    /// The dtype of values(): the tensor's, float32 for bfloat16 and 8-bit floats.
    DType valueDType() const;
    void values(const ByteSink& sink) const;
    /// Header `i0,i1,...[,value]` and one line per row.
    void csv(bool values, const std::function<void(std::string_view)>& sink) const;

private:
    /// Hands over blocks with `rows` rows each, count() in all.
    void forEachBlock(bool values, const std::function<void(const RowBlock&, std::size_t rows)>& sink) const;

    const LoadedTensor& m_tensor;
    const Where& m_where;
    std::int64_t m_count;
    const Job& m_job;
};

} // namespace core::report

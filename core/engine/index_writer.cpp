// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/index_writer.h"

#include "core/engine/kernels.h"

#include <array>

namespace core {

IndexWriter::IndexWriter(const Shape& shape, const Selection& selection)
{
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        m_axes.push_back({selection.fixed[axis] ? 1 : shape[axis], selection.fixed[axis].value_or(0)});
}

void IndexWriter::write(std::int64_t position, std::int64_t* row) const
{
    for (std::size_t axis = m_axes.size(); axis-- > 0;) {
        row[axis] = m_axes[axis].first + position % m_axes[axis].extent;
        position /= m_axes[axis].extent;
    }
}

void IndexWriter::write(std::int64_t base, std::span<const std::uint32_t> offsets, std::int64_t* rows) const
{
    const std::size_t rank = m_axes.size();
    const bool hasImages = rank >= 2 && m_axes[rank - 1].first == 0 && m_axes[rank - 2].first == 0;
    const std::int64_t width = hasImages ? m_axes[rank - 1].extent : 1;
    const std::int64_t image = hasImages ? m_axes[rank - 2].extent * width : 1;
    if (!hasImages || image > std::int64_t{1} << 31) {
        for (std::size_t i = 0; i < offsets.size(); ++i)
            write(base + offsets[i], rows + i * rank);
        return;
    }
    std::vector<std::int64_t> first(rank);
    std::array<std::uint32_t, 1024> inImage;
    for (std::size_t i = 0; i < offsets.size();) {
        const std::int64_t begin = (base + offsets[i]) / image * image;
        write(begin, first.data());
        std::size_t n = 0;
        while (n < inImage.size() && i + n < offsets.size() && base + offsets[i + n] < begin + image) {
            inImage[n] = static_cast<std::uint32_t>(base + offsets[i + n] - begin);
            ++n;
        }
        writeRows(std::span<const std::uint32_t>(inImage.data(), n), {std::span(first).first(rank - 2), width, false},
                  rows + i * rank);
        i += n;
    }
}

std::int64_t IndexWriter::position(std::span<const std::int64_t> indices) const
{
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
        position = position * m_axes[axis].extent + (indices[axis] - m_axes[axis].first);
    return position;
}

} // namespace core

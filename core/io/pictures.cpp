// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pictures.h"

#include <fmt/format.h>

#include <utility>

namespace core::io {

namespace {

bool swapsAxes(int orientation)
{
    return orientation >= 5 && orientation <= 8;
}

} // namespace

int exifOrientation(std::span<const std::byte> exif)
{
    constexpr std::uint16_t orientationTag = 0x0112;
    try {
        ByteView view(exif);
        const auto mark = view.text(2);
        if (mark != "II" && mark != "MM")
            return 1;
        const auto order = mark == "II" ? ByteOrder::little : ByteOrder::big;
        view.skip(2);
        view.seek(view.read<std::uint32_t>(order));
        const int count = view.read<std::uint16_t>(order);
        for (int i = 0; i < count; ++i) {
            const auto tag = view.read<std::uint16_t>(order);
            view.skip(6);
            const int value = view.read<std::uint16_t>(order);
            view.skip(2);
            if (tag == orientationTag)
                return value >= 1 && value <= 8 ? value : 1;
        }
    } catch (const Error&) {
        // A damaged block says nothing; the picture itself is fine.
    }
    return 1;
}

Shape turnedShape(Shape shape, int orientation)
{
    if (swapsAxes(orientation))
        std::swap(shape[0], shape[1]);
    return shape;
}

Tensor turned(const Tensor& picture, int orientation)
{
    if (orientation <= 1 || orientation > 8 || picture.elements() == 0)
        return picture;
    const bool flipsRows = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const bool flipsColumns = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    auto strides = picture.strides();
    std::int64_t first = 0;
    for (const auto axis : {0, 1}) {
        if (axis == 0 ? !flipsRows : !flipsColumns)
            continue;
        first += (picture.shape()[axis] - 1) * strides[axis];
        strides[axis] = -strides[axis];
    }
    if (swapsAxes(orientation))
        std::swap(strides[0], strides[1]);
    const auto offset = picture.byteOffset() + first * itemSize(picture.dtype());
    return Tensor(picture.dtype(), turnedShape(picture.shape(), orientation), strides, picture.storage(), offset)
        .toContiguous();
}

void requireBudget(const PictureFile& file, const Shape& shape, std::int64_t bytes)
{
    if (bytes > file.budgetBytes)
        throw Error(
            fmt::format("{}: a picture of {} x {} takes {} bytes, more than the {} that one entry may take; scale it down",
                        file.subject, shape[1], shape[0], bytes, file.budgetBytes));
}

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/byte_view.h"
#include "core/progress.h"
#include "core/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core::io {

/// What the header of a picture tells: [H, W] or [H, W, channels] as it will be shown, turned by its EXIF orientation.
struct PictureInfo
{
    Shape shape;
    DType dtype = DType::u8;
    std::vector<std::string> notes;
};

/// A picture file in memory.
struct PictureFile
{
    std::span<const std::byte> bytes;
    /// Begins the messages: the file's name.
    std::string subject;
    /// Bytes that the decoded picture (and what decoding needs) may take.
    std::int64_t budgetBytes = 0;
};

/// Each format has three functions. is...: by the first bytes. ...Info: reads the header; throws Error for a broken or cut off
/// one, and for a size that the bytes present cannot hold or the budget does not allow. decode...: the picture, integers as
/// stored, palette indices kept; throws Error, Cancelled.
bool isPng(std::span<const std::byte> bytes);
PictureInfo pngInfo(const PictureFile& file);
Tensor decodePng(const PictureFile& file, const Job& job);
/// Compares the checksum of each chunk with its data; the warning, or nothing.
std::optional<std::string> verifyPng(const PictureFile& file, const Job& job);

bool isJpeg(std::span<const std::byte> bytes);
PictureInfo jpegInfo(const PictureFile& file);
Tensor decodeJpeg(const PictureFile& file, const Job& job);

bool isBmp(std::span<const std::byte> bytes);
PictureInfo bmpInfo(const PictureFile& file);
Tensor decodeBmp(const PictureFile& file, const Job& job);

/// Orientation 1 to 8 of an EXIF block (the TIFF header and what follows); 1 when it has none or is damaged.
int exifOrientation(std::span<const std::byte> exif);
/// [H, W] or [H, W, channels] after turning: 5 to 8 swap height and width.
Shape turnedShape(Shape shape, int orientation);
/// The picture turned as its EXIF orientation says (Exif 2.3, tag 274), contiguous.
Tensor turned(const Tensor& picture, int orientation);
/// Throws Error when a picture of this shape takes more than the budget.
void requireBudget(const PictureFile& file, const Shape& shape, std::int64_t bytes);

} // namespace core::io

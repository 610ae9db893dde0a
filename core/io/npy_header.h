// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/byte_view.h"
#include "core/progress.h"
#include "core/tensor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace core::io {

/// What stands before the data of a .npy file or of a member of an .npz (NEP 1 and numpy.lib.format, versions 1.0 to 3.0).
struct NpyHeader
{
    /// NumPy's description of the dtype: "<f4", "[('a', '<i4')]".
    std::string descr;
    /// Nothing for a dtype that is no number: strings, dates, structures, objects.
    std::optional<DType> dtype;
    ByteOrder order = ByteOrder::little;
    bool fortranOrder = false;
    /// Elements are pickled Python objects.
    bool hasObjects = false;
    Shape shape;
    /// Where the data begins, counted from the magic.
    std::size_t dataOffset = 0;

    /// In elements, as the data lies.
    Strides strides() const;
    /// Bytes of the data. Known dtypes only.
    std::int64_t dataBytes() const;
};

/// True when bytes begin with NumPy's magic.
bool isNpy(std::span<const std::byte> bytes);
/// How many bytes hold the whole header, when the first bytes of a file tell: 12 are enough. At most 1 MiB and a little.
std::size_t npyHeaderBytes(std::span<const std::byte> first);
/// Reads the header at the beginning of `view`. Throws Error: unknown version, header above 1 MiB or cut off, no dictionary of
/// exactly descr, fortran_order and shape, negative or overflowing shape, more than 64 axes.
NpyHeader readNpyHeader(ByteView view);
/// Throws Error when a .npy of `bytes` bytes is too short for the data that its header tells of. Known dtypes only.
void requireNpyData(const NpyHeader& header, std::uint64_t bytes, const std::string& subject);
/// A tensor over the data of a whole .npy (`storage` begins at the magic). Shares the storage, or copies it once when the byte
/// order is not the machine's. Throws Error when the data is cut off or the copy passes `budgetBytes`; Cancelled.
Tensor npyTensor(const NpyHeader& header, const Storage& storage, const std::string& subject, std::int64_t budgetBytes,
                 const Job& job);

} // namespace core::io

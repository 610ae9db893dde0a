// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/pickle_value.h"
#include "core/io/strided_source.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core::io {

/// Turns the calls that NumPy pickles for arrays and scalars (numpy/core/src/multiarray/methods.c, array_reduce) into entries.
class NumpyRebuilder
{
public:
    /// `pickle` is the record whose bytes the values' text lies in; `bytes` are those bytes as they were read.
    NumpyRebuilder(std::string file, StorageRecord pickle, Storage bytes, std::int64_t budgetBytes)
        : m_file(std::move(file)), m_pickle(std::move(pickle)), m_bytes(std::move(bytes)), m_budgetBytes(budgetBytes)
    {
    }

    /// The entry (without name and path) of a value that is an array or a scalar; an `object` entry for dtypes that cannot be
    /// shown; nothing for other values. Throws Error for an array whose data does not have its size.
    std::optional<Entry> entryOf(const PickleValue& value) const;

private:
    struct Array
    {
        PickleValue dtype;
        Shape shape;
        bool isFortran = false;
        PickleValue data;
    };

    std::optional<Array> arrayOf(const PickleValue& value) const;
    StorageRecord recordOf(const PickleValue& data, std::uint64_t bytes, ByteOrder order) const;
    [[noreturn]] void fail(const std::string& what) const;

    std::string m_file;
    StorageRecord m_pickle;
    Storage m_bytes;
    std::int64_t m_budgetBytes;
};

/// The bytes that a pickled text stands for when it was encoded as Latin-1 ("_codecs.encode(text, 'latin1')"), written to
/// `out`. False when the text is not Latin-1 or not as long as `out`.
bool decodeLatin1(std::string_view text, std::span<std::byte> out);

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace core::io {

/// The order of the bytes of a number in a file.
enum class ByteOrder { little, big };

/// A cursor over bytes of a file. Every read is checked: no length from the file is believed before it is compared with the
/// bytes present. Copies are independent cursors over the same bytes, which must outlive them.
class ByteView
{
public:
    /// `subject` begins the message of every error and names file and place: "x.pt: data.pkl".
    explicit ByteView(std::span<const std::byte> bytes, std::string subject = {})
        : m_bytes(bytes), m_subject(std::move(subject))
    {
    }

    std::span<const std::byte> bytes() const { return m_bytes; }
    const std::string& subject() const { return m_subject; }
    std::size_t size() const { return m_bytes.size(); }
    /// Position of the next byte to read, from the first byte of this view.
    std::size_t offset() const { return m_offset; }
    /// Number of bytes not read yet.
    std::size_t left() const { return m_bytes.size() - m_offset; }
    bool atEnd() const { return left() == 0; }

    /// The next number in the given order (integers, float, double). Throws Error when the bytes end first.
    template <class T>
    T read(ByteOrder order)
    {
        static_assert(std::is_arithmetic_v<T>);
        std::byte raw[sizeof(T)];
        std::memcpy(raw, take(sizeof(T)).data(), sizeof(T));
        if ((order == ByteOrder::big) != (std::endian::native == std::endian::big))
            for (std::size_t i = 0; i < sizeof(T) / 2; ++i)
                std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        T value;
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }
    /// The next little-endian number.
    template <class T>
    T little()
    {
        return read<T>(ByteOrder::little);
    }
    /// The next big-endian number.
    template <class T>
    T big()
    {
        return read<T>(ByteOrder::big);
    }

    /// The next `count` bytes, not copied. Throws Error when fewer are left.
    std::span<const std::byte> take(std::uint64_t count)
    {
        if (count > left())
            failShort(count);
        const auto part = m_bytes.subspan(m_offset, static_cast<std::size_t>(count));
        m_offset += static_cast<std::size_t>(count);
        return part;
    }
    /// The next `count` bytes as text, not copied.
    std::string_view text(std::uint64_t count)
    {
        const auto part = take(count);
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }
    /// The bytes up to the next line feed, which is read but not returned. Throws Error when there is none.
    std::string_view line()
    {
        const void* found = left() == 0 ? nullptr : std::memchr(m_bytes.data() + m_offset, '\n', left());
        if (!found)
            fail("a line is cut off");
        const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(found) - m_bytes.data()) - m_offset;
        const auto result = text(length);
        ++m_offset;
        return result;
    }
    /// The next `count` bytes without reading them. Empty when fewer are left.
    std::string_view peek(std::size_t count) const
    {
        if (count > left())
            return {};
        return {reinterpret_cast<const char*>(m_bytes.data() + m_offset), count};
    }
    void skip(std::uint64_t count) { take(count); }
    /// Moves to an offset from the start. Throws Error past the end.
    void seek(std::uint64_t offset)
    {
        if (offset > m_bytes.size())
            fail("a place past the end (byte " + std::to_string(offset) + " of " + std::to_string(m_bytes.size()) + ")");
        m_offset = static_cast<std::size_t>(offset);
    }
    /// A view of `count` bytes from `offset` on, with a subject of its own. Throws Error when it leaves this view.
    ByteView part(std::uint64_t offset, std::uint64_t count, std::string subject) const
    {
        ByteView whole(m_bytes, m_subject);
        whole.seek(offset);
        return ByteView(whole.take(count), std::move(subject));
    }

    /// Throws Error "SUBJECT: WHAT at byte N ...": the one sentence for contents that make no sense.
    [[noreturn]] void fail(const std::string& what) const
    {
        throw Error(m_subject + ": " + what + " at byte " + std::to_string(m_offset) +
                    "; the file is damaged, fetch or save it again");
    }

private:
    [[noreturn]] void failShort(std::uint64_t count) const
    {
        throw Error(m_subject + " is cut off: " + std::to_string(count) + " bytes expected at byte " +
                    std::to_string(m_offset) + ", " + std::to_string(left()) + " left; fetch or save the file again");
    }

    std::span<const std::byte> m_bytes;
    std::size_t m_offset = 0;
    std::string m_subject;
};

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct z_stream_s;

namespace core::io {

/// Unpacks a raw deflate stream (RFC 1951) piece by piece.
class Inflater
{
public:
    /// No deflate stream unpacks to more than this many times its own size.
    static constexpr std::uint64_t highestRatio = 1032;

    /// `packed` must outlive the inflater. `subject` begins the messages of errors.
    Inflater(std::span<const std::byte> packed, std::string subject);
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Fills `out` with the next bytes and tells how many they are; fewer than asked only at the end of the stream.
    /// Throws Error when the stream is damaged or cut off.
    std::size_t read(std::span<std::byte> out);

private:
    void refill();

    std::span<const std::byte> m_packed;
    std::string m_subject;
    std::unique_ptr<z_stream_s> m_stream;
    bool m_ended = false;
};

} // namespace core::io

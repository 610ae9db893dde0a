// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/inflate.h"

#include "core/error.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <zlib.h>

namespace core::io {

namespace {

/// zlib counts in 32 bits: larger pieces are passed on in parts.
uInt partOf(std::size_t bytes)
{
    return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

} // namespace

Inflater::Inflater(std::span<const std::byte> packed, std::string subject)
    : m_packed(packed), m_subject(std::move(subject)), m_stream(std::make_unique<z_stream>())
{
    // Negative window bits: no zlib header around the stream.
    if (inflateInit2(m_stream.get(), -MAX_WBITS) != Z_OK)
        throw Error(m_subject + ": not enough memory to unpack it; close other programs");
}

Inflater::~Inflater()
{
    inflateEnd(m_stream.get());
}

void Inflater::refill()
{
    m_stream->next_in = reinterpret_cast<z_const Bytef*>(const_cast<std::byte*>(m_packed.data()));
    m_stream->avail_in = partOf(m_packed.size());
    m_packed = m_packed.subspan(m_stream->avail_in);
}

std::size_t Inflater::read(std::span<std::byte> out)
{
    std::size_t done = 0;
    while (done < out.size() && !m_ended) {
        if (m_stream->avail_in == 0)
            refill();
        m_stream->next_out = reinterpret_cast<Bytef*>(out.data() + done);
        m_stream->avail_out = partOf(out.size() - done);
        const uInt asked = m_stream->avail_out;
        const int state = inflate(m_stream.get(), Z_NO_FLUSH);
        done += asked - m_stream->avail_out;
        m_ended = state == Z_STREAM_END;
        if (!m_ended && state != Z_OK)
            throw Error(m_subject + ": its deflated data is damaged or cut off; fetch or save the file again");
    }
    return done;
}

} // namespace core::io

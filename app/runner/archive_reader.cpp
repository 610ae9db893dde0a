// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/archive_reader.h"

#include "core/error.h"

#include <cerrno>
#include <sys/stat.h>

namespace runner {

ArchiveReader::ArchiveReader(Descriptor file) : m_file(std::move(file))
{
    struct stat status = {};
    if (::fstat(m_file.number(), &status) != 0 || !S_ISREG(status.st_mode))
        throw core::Error("the model came without an open file: send one with the message");
    m_size = static_cast<size_t>(status.st_size);
}

size_t ArchiveReader::read(uint64_t position, void* buffer, size_t count, const char* /*what*/) const
{
    size_t done = 0;
    while (done < count) {
        const ssize_t got =
            ::pread(m_file.number(), static_cast<char*>(buffer) + done, count - done, static_cast<off_t>(position + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += static_cast<size_t>(got);
    }
    return done;
}

} // namespace runner

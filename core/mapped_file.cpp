// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mapped_file.h"

#include "core/error.h"
#include "core/fault_guard.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace core {

namespace {

std::int64_t modifiedNs(const struct stat& status)
{
    return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

[[noreturn]] void fail(const std::filesystem::path& path, int error)
{
    const char* remedy = error == ENOENT || error == ENOTDIR || error == ELOOP ? "check the name"
                         : error == EACCES || error == EPERM                   ? "check its permissions"
                         : error == EMFILE || error == ENFILE                  ? "close other files"
                                                                               : "check the disk";
    throw Error(fmt::format("{}: cannot be opened ({}): {}", path.string(), std::strerror(error), remedy));
}

} // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    const std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    file->m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->m_descriptor < 0)
        fail(path, errno);
    struct stat status = {};
    if (::fstat(file->m_descriptor, &status) != 0)
        fail(path, errno);
    if (S_ISDIR(status.st_mode))
        throw Error(fmt::format("{}: is a directory: give the name of a file", path.string()));
    if (!S_ISREG(status.st_mode))
        throw Error(fmt::format("{}: not a regular file: give the name of a file or a directory", path.string()));
    file->m_modifiedNs = modifiedNs(status);
    file->m_device = status.st_dev;
    file->m_inode = status.st_ino;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return file;
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, file->m_descriptor, 0);
    if (address == MAP_FAILED)
        fail(path, errno);
    file->m_bytes = {static_cast<const std::byte*>(address), size};
    file->m_slot = guardMapping(file->m_bytes, file->m_faulted);
    return file;
}

std::shared_ptr<const MappedFile> MappedFile::fromBytes(const std::filesystem::path& name, std::span<const std::byte> bytes)
{
    const std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = name;
    file->m_owned.assign(bytes.begin(), bytes.end());
    file->m_bytes = file->m_owned;
    return file;
}

MappedFile::~MappedFile()
{
    if (isMapped()) {
        unguardMapping(m_slot);
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    }
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

bool MappedFile::matches(const struct ::stat& status) const
{
    return status.st_dev == m_device && status.st_ino == m_inode &&
           static_cast<std::size_t>(status.st_size) == m_bytes.size() && modifiedNs(status) == m_modifiedNs;
}

void MappedFile::verify() const
{
    if (m_descriptor < 0)
        return;
    struct stat status = {};
    const bool known = ::fstat(m_descriptor, &status) == 0;
    if (m_faulted || !known || static_cast<std::size_t>(status.st_size) < m_bytes.size())
        throw Error(
            fmt::format("{}: became shorter while it was open, so its data cannot be trusted: open it again", m_path.string()));
    if (!matches(status))
        throw Error(fmt::format("{}: was changed by another program while it was open: reload it", m_path.string()));
}

bool MappedFile::changedOnDisk() const
{
    if (m_descriptor < 0)
        return false;
    struct stat status = {};
    return ::stat(m_path.c_str(), &status) != 0 || !matches(status);
}

} // namespace core

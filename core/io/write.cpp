// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/write.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace core::io {

namespace {

constexpr std::size_t bufferBytes = 1 << 20;

/// The number of an open descriptor that a path like /dev/stdout or /dev/fd/3 names.
std::optional<int> namedDescriptor(const std::string& path)
{
    if (path == "/dev/stdout")
        return STDOUT_FILENO;
    if (path == "/dev/stderr")
        return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder))
            continue;
        int number = -1;
        const char* end = path.data() + path.size();
        const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
        if (error == std::errc{} && stop == end && number >= 0)
            return number;
    }
    return std::nullopt;
}

std::filesystem::path followLinks(std::filesystem::path path)
{
    // The kernel gives up after 40 as well; open() then reports the loop.
    for (int links = 0; links < 40; ++links) {
        std::error_code error;
        const auto next = std::filesystem::read_symlink(path, error);
        if (error)
            break;
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    return path;
}

std::string randomLetters()
{
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::string text;
    for (int i = 0; i < 6; ++i)
        text += letters[random() % letters.size()];
    return text;
}

void syncFolder(const std::filesystem::path& folder)
{
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    ::fsync(descriptor);
    ::close(descriptor);
}

std::string reasonOf(int error, const std::filesystem::path& path)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "the disk is full; free some space or choose another folder";
    case ENOENT:
    case ENOTDIR:
        return fmt::format("there is no folder {}; create it first", path.parent_path().string());
    case EISDIR:
        return "it is a folder; add a file name";
    case EACCES:
    case EPERM:
        return "permission denied; choose another folder or change the permissions";
    case EROFS:
        return "the file system is read-only; choose another folder";
    case EPIPE:
        return "whoever was reading it has gone";
    case EBADF:
        return "it is closed";
    case EFBIG:
        return "it grew past the largest file that the file system or your limits allow";
    case ENAMETOOLONG:
        return "its name is too long; choose a shorter one";
    default:
        return std::strerror(error);
    }
}

} // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : m_path(std::move(path))
{
    m_buffer.reserve(bufferBytes);
    if (m_path.empty())
        throw Error("cannot write: the name of the file is empty");
    if (const auto number = namedDescriptor(m_path.string())) {
        m_descriptor = ::fcntl(*number, F_DUPFD_CLOEXEC, 3);
        if (m_descriptor < 0)
            fail(errno);
        return;
    }
    struct stat status = {};
    const bool exists = ::stat(m_path.c_str(), &status) == 0;
    if (!exists && errno != ENOENT)
        fail(errno);
    if (exists && S_ISDIR(status.st_mode))
        fail(EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
        m_descriptor = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
        if (m_descriptor < 0)
            fail(errno);
        return;
    }
    if (exists && ::access(m_path.c_str(), W_OK) != 0)
        fail(errno);
    m_target = followLinks(m_path);
    if (!m_target.has_filename())
        fail(EISDIR);
    openTemporary();
    if (exists) {
        // Best effort: only root may give files away. The mode comes second because chown clears parts of it.
        [[maybe_unused]] const int owned = ::fchown(m_descriptor, status.st_uid, status.st_gid);
        ::fchmod(m_descriptor, status.st_mode & 07777);
    }
}

void AtomicFile::openTemporary()
{
    constexpr std::size_t longestName = 255;
    constexpr std::size_t added = 8; // two dots and six letters
    const auto name = m_target.filename().string();
    if (name.size() > longestName)
        fail(ENAMETOOLONG);
    for (int attempt = 0; attempt < 100; ++attempt) {
        auto candidate = m_target;
        candidate.replace_filename("." + name.substr(0, longestName - added) + "." + randomLetters());
        m_descriptor = ::open(candidate.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (m_descriptor >= 0) {
            m_temporary = candidate;
            return;
        }
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    fail(errno);
}

AtomicFile::~AtomicFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    if (!m_committed && !m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

void AtomicFile::fail(int error) const
{
    const auto text =
        fmt::format("cannot write {}: {}", m_path.string(), reasonOf(error, m_target.empty() ? m_path : m_target));
    if (error == EPIPE)
        throw ReaderGone(text);
    throw Error(text);
}

void AtomicFile::writeAll(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const auto written = ::write(m_descriptor, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
        if (written < 0 && errno != EINTR)
            fail(errno);
        if (written > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void AtomicFile::flush()
{
    writeAll(m_buffer);
    m_buffer.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes)
{
    if (m_buffer.size() + bytes.size() > bufferBytes)
        flush();
    if (bytes.size() >= bufferBytes)
        writeAll(bytes);
    else
        m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view text)
{
    write(std::as_bytes(std::span(text)));
}

void AtomicFile::rewrite(std::int64_t offset, std::span<const std::byte> bytes)
{
    if (isStream())
        fail(ESPIPE);
    flush();
    while (!bytes.empty()) {
        const auto written = ::pwrite(m_descriptor, bytes.data(), bytes.size(), offset);
        if (written < 0 && errno != EINTR)
            fail(errno);
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
            offset += written;
        }
    }
}

void AtomicFile::commit()
{
    flush();
    if (isStream()) {
        // Closed now, so that whoever reads a pipe sees its end.
        if (::close(std::exchange(m_descriptor, -1)) != 0 && errno != EINTR)
            fail(errno);
        m_committed = true;
        return;
    }
    int result = 0;
    do
        result = ::fsync(m_descriptor);
    while (result != 0 && errno == EINTR);
    // Some file systems cannot sync and say so; the rename is still whole or not at all.
    if (result != 0 && errno != EINVAL && errno != ENOTSUP)
        fail(errno);
    const int closed = ::close(std::exchange(m_descriptor, -1));
    if (closed != 0 && errno != EINTR)
        fail(errno);
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0)
        fail(errno);
    m_committed = true;
    syncFolder(m_target.parent_path());
}

} // namespace core::io

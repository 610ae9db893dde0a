// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/capture_arena.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace app {

namespace {

[[noreturn]] void failArena(std::int64_t bytes)
{
    const int error = errno;
    throw core::Error(fmt::format("the system gives no {} bytes for what the model captures: {}; lower the budget", bytes,
                                  std::strerror(error)));
}

} // namespace

std::unique_ptr<CaptureArena> CaptureArena::make(std::int64_t bytes)
{
    std::unique_ptr<CaptureArena> arena(new CaptureArena);
    arena->m_descriptor = ::memfd_create("actiscope-captures", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (arena->m_descriptor < 0 || ::ftruncate(arena->m_descriptor, bytes) != 0 ||
        ::fcntl(arena->m_descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        failArena(bytes);
    void* address = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                           arena->m_descriptor, 0);
    if (address == MAP_FAILED)
        failArena(bytes);
    arena->m_bytes = {static_cast<std::byte*>(address), static_cast<std::size_t>(bytes)};
    arena->m_size = bytes;
    return arena;
}

CaptureArena::~CaptureArena()
{
    if (!m_bytes.empty())
        ::munmap(m_bytes.data(), m_bytes.size());
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

std::int64_t CaptureArena::put(const core::Tensor& tensor)
{
    const auto dense = tensor.toContiguous();
    if (dense.bytes() > bytes() - m_used)
        throw core::Error(fmt::format("the inputs take more than the {} bytes of the budget; raise it", bytes()));
    const auto offset = m_used;
    if (dense.bytes() > 0)
        std::memcpy(m_bytes.data() + offset, dense.data(), static_cast<std::size_t>(dense.bytes()));
    m_used = std::min(bytes(), offset + arenaBytes(dense.bytes()));
    return offset;
}

void CaptureArena::reset(std::int64_t bytes)
{
    m_size = std::min(bytes, capacity());
    m_used = 0;
}

void CaptureArena::trim(std::int64_t keptBytes)
{
    // Where this fails the memory stays.
    if (keptBytes < capacity())
        ::fallocate(m_descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, keptBytes, capacity() - keptBytes);
}

std::int64_t CaptureArena::residentBytes() const
{
    constexpr std::int64_t blockBytes = 512; // stat(2)
    struct stat status = {};
    return ::fstat(m_descriptor, &status) == 0 ? status.st_blocks * blockBytes : 0;
}

core::Tensor CaptureArena::tensor(core::DType dtype, core::Shape shape, std::int64_t offset) const
{
    if (offset < 0 || offset > bytes() || offset % alignment != 0)
        throw core::Error(fmt::format("offset {} is no place in an arena of {} bytes", offset, bytes()));
    return core::Tensor::contiguous(dtype, std::move(shape),
                                    core::Storage{m_bytes.first(static_cast<std::size_t>(m_size)), shared_from_this(), nullptr},
                                    offset);
}

std::int64_t arenaBytes(std::int64_t tensorBytes)
{
    return (tensorBytes + CaptureArena::alignment - 1) / CaptureArena::alignment * CaptureArena::alignment;
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/descriptor.h"

#include <caffe2/serialize/read_adapter_interface.h>
#include <cstdint>

namespace runner {

/// Lets LibTorch read an archive from an open file, piece by piece, so that it never lies in memory as a whole.
class ArchiveReader : public caffe2::serialize::ReadAdapterInterface
{
public:
    /// Throws core::Error when the descriptor is no regular file.
    explicit ArchiveReader(Descriptor file);
    size_t size() const override { return m_size; }
    /// Reads up to `count` bytes at `position`; fewer only at the end of the file.
    size_t read(uint64_t position, void* buffer, size_t count, const char* what) const override;

private:
    Descriptor m_file;
    size_t m_size = 0;
};

} // namespace runner

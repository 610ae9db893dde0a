// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    return fuzz::readAll(core::io::readPt2, data, size);
}

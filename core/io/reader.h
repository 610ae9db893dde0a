// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/open.h"
#include "core/mapped_file.h"

#include <memory>
#include <optional>

namespace core::io {

/// Reads one format. Decides by content and answers one of three: nothing for "not mine"; the document; Error for "mine but
/// broken" (never handed to the next reader). Reads headers and the index only; entries load from the mapped file.
using Reader = std::optional<Document>(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job& job);

/// PyTorch: zip with `constants.pkl` and `code/` (traced and scripted modules, C++ torch::save): parameters and buffers.
Reader readTorchScript;
/// PyTorch: zip whose `archive_format` is pt2 (torch.export.save).
Reader readPt2;
/// PyTorch: zip with `data.pkl` (torch.save).
Reader readTorchZip;
/// PyTorch: torch.save before 1.6 (a pickle that begins with its magic number).
Reader readTorchLegacy;

Reader readNpy;
Reader readNpz;
Reader readSafetensors;
Reader readImage;

/// Bytes that unpacked data of one entry may take: what Limits says, or a quarter of the machine's memory.
std::int64_t entryBudget(const Limits& limits);

} // namespace core::io

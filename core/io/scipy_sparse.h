// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/npz_array.h"

#include <optional>
#include <vector>

namespace core::io {

/// The one entry of an archive in the layout of scipy.sparse.save_npz (csr, csc, bsr, coo, dia); nothing for other archives.
/// Diagonals (dia) become coo. Throws Error when the members contradict each other.
std::optional<Entry> scipySparseEntry(const std::vector<NpzArray>& members, const std::string& name);

} // namespace core::io

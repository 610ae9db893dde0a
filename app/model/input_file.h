// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/arguments.h"
#include "core/document.h"

namespace app {

/// Reads input files and prepares what is in them.
class InputFiles
{
public:
    /// Keeps references to the first three. Random integers stay below `vocabulary` (0: the runner's own limit).
    InputFiles(const InputPreparation& preparation, const PictureDecoder& decode, const core::Job& job, std::int64_t vocabulary)
        : m_preparation(preparation), m_decode(decode), m_job(job), m_vocabulary(vocabulary)
    {
    }

    /// The tensor of a source; pictures without their batch axis when `single`. Throws core::Error, core::UsageError.
    ModelValue tensorOf(const InputSource& source, bool single);
    /// All tensors of a file by name. Throws core::Error, core::UsageError.
    ModelDict dictOf(const InputSource& source);
    /// The first input read that has rows and columns.
    const std::optional<InputPicture>& picture() const { return m_picture; }

private:
    core::Tensor load(const core::Entry& entry);
    core::Tensor prepared(const core::Document& document, const core::Entry& entry, bool single);

    const InputPreparation& m_preparation;
    const PictureDecoder& m_decode;
    const core::Job& m_job;
    std::int64_t m_vocabulary;
    std::optional<InputPicture> m_picture;
};

} // namespace app

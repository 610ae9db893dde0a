// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader.h"
#include "core/io/torch_archive.h"

#include <utility>

namespace core::io {

std::optional<Document> readTorchScript(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job& job)
{
    Document document;
    document.file = file->path();
    document.format = "torchscript";
    const auto archive = TorchArchive::open(std::move(file), limits);
    if (!archive || !archive->find("data.pkl") || !archive->find("constants.pkl"))
        return std::nullopt;
    archive->listPickle(document, "data.pkl", "data", PickleWalk::Style::script, job);
    document.isProgram = archive->holdsMethods(job);
    if (!document.isProgram && !archive->holdsSources())
        document.warnings.push_back(archive->file() + ": a TorchScript program without its code (no member code/...), so it "
                                                      "cannot be run; save the model again");
    return document;
}

} // namespace core::io

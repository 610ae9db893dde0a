// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/open.h"

#include "core/error.h"
#include "core/io/directory.h"
#include "core/io/foreign.h"
#include "core/io/reader.h"

#include <fmt/format.h>
#include <new>
#include <stdexcept>

namespace core::io {

namespace {

/// In this order: PyTorch's archives before the plainer zip of arrays, formats with a longer magic first.
constexpr Reader* readers[] = {
    readTorchScript, readPt2, readTorchZip, readNpz, readTorchLegacy, readNpy, readImage, readSafetensors,
};

/// Runs `work` on data of a file, so that whatever goes wrong is told in one sentence: a file cut off or changed meanwhile is
/// the reason for every other failure, and comes first.
template <class F>
auto onFile(const MappedFile& file, F&& work)
{
    try {
        auto result = work();
        file.verify();
        return result;
    } catch (const Error&) {
        file.verify();
        throw;
    } catch (const std::bad_alloc&) {
        throw Error(fmt::format("{}: not enough memory to read it; close other programs", file.path().string()));
    } catch (const std::length_error&) {
        throw Error(
            fmt::format("{}: declares more data than any machine can hold; fetch or save it again", file.path().string()));
    }
}

void guardEntries(Document& document, const std::shared_ptr<const MappedFile>& file)
{
    for (auto& entry : document.entries) {
        if (entry.load)
            entry.load = [file, load = std::move(entry.load)](const Job& job) {
                return onFile(*file, [&] { return load(job); });
            };
        if (entry.verify)
            entry.verify = [file, verify = std::move(entry.verify)](const Job& job) {
                return onFile(*file, [&] { return verify(job); });
            };
    }
}

} // namespace

Document open(const std::filesystem::path& path, const Limits& limits, const Job& job)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return openDirectory(path, limits, job);
    const auto file = MappedFile::open(path);
    auto document = onFile(*file, [&] {
        for (auto* const reader : readers) {
            job.check();
            if (auto found = reader(file, limits, job))
                return std::move(*found);
        }
        throw Error(fmt::format("{}: {}", path.string(), describeForeign(file->bytes())));
    });
    guardEntries(document, file);
    return document;
}

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_reader.h"

#include "core/io/byte_view.h"
#include "core/io/pickle.h"
#include "core/io/pickle_walk.h"
#include "core/io/torch_rebuild.h"

#include <memory>

using namespace core::io;

namespace {

/// Records that all keys find: 64 bytes.
StorageRecord smallRecord()
{
    static const std::vector<std::byte> bytes(64, std::byte{1});
    auto source = std::make_shared<RecordSource>();
    source->subject = [](const StorageRecord&) { return std::string("fuzz"); };
    source->load = [](const StorageRecord&, const core::Job&) { return core::Storage{bytes, nullptr, nullptr}; };
    return {source, bytes.size(), 0};
}

} // namespace

/// A bare pickle, as it lies in every PyTorch file, and the walk over what it describes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::int64_t budget = std::int64_t{1} << 22;
    const auto bytes = std::as_bytes(std::span(data, size));
    try {
        Allowance allowance("fuzz", size);
        ByteView view(bytes, "fuzz");
        const Pickle pickle = readPickle(view, allowance, {});
        core::Document document;
        document.file = "fuzz";
        TorchRebuilder torch(
            "fuzz", [](std::string_view) { return smallRecord(); }, budget);
        const StorageRecord whole{smallRecord().source, size, 0};
        const NumpyRebuilder numpy("fuzz", whole, core::Storage{bytes, nullptr, nullptr}, budget);
        PickleWalk(document, allowance, torch, numpy).walk(pickle.root, PickleWalk::Style::saved, {});
    } catch (const core::Error&) {
    }
    return 0;
}

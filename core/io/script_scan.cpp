// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/script_scan.h"

#include "core/io/reader.h"
#include "core/io/torch_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace core::io {

namespace {

/// Namespaces of operators that LibTorch itself registers (the others a program calls as `ops.NAMESPACE.NAME` come from a
/// library of their own).
constexpr std::array ownNamespaces = {
    std::string_view("aten"),
    std::string_view("prim"),
    std::string_view("prims"),
    std::string_view("quantized"),
    std::string_view("_quantized"),
    std::string_view("quantized_decomposed"),
    std::string_view("mkldnn"),
    std::string_view("mkl"),
    std::string_view("mkldnn_prepacked"),
    std::string_view("onednn"),
    std::string_view("prepacked"),
    std::string_view("sparse"),
    std::string_view("cuda"),
    std::string_view("inductor"),
    std::string_view("static_runtime"),
    std::string_view("tensorexpr"),
    std::string_view("profiler"),
    std::string_view("c10d"),
    std::string_view("_c10d_functional"),
    std::string_view("xnnpack"),
    std::string_view("rngprims"),
};

bool isNameLetter(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

/// The name that begins at `at`.
std::string_view nameAt(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end < text.size() && isNameLetter(text[end]))
        ++end;
    return text.substr(at, end - at);
}

std::size_t lineOf(std::string_view text, std::size_t at)
{
    return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

/// Calls `use(position)` for every place where `word` begins a name.
template <class Use>
void forEachWord(std::string_view text, std::string_view word, Use use)
{
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        if (at == 0 || (!isNameLetter(text[at - 1]) && text[at - 1] != '.'))
            use(at);
}

void addOnce(std::vector<std::string>& list, std::string text)
{
    if (std::ranges::find(list, text) == list.end())
        list.push_back(std::move(text));
}

void findOperators(std::string_view source, ScriptScan& scan)
{
    constexpr std::string_view word = "ops.";
    forEachWord(source, word, [&](std::size_t at) {
        const auto space = nameAt(source, at + word.size());
        const auto dot = at + word.size() + space.size();
        if (space.empty() || dot >= source.size() || source[dot] != '.')
            return;
        const auto name = nameAt(source, dot + 1);
        if (!name.empty() && std::ranges::find(ownNamespaces, space) == ownNamespaces.end())
            addOnce(scan.customOperators, fmt::format("{}::{}", space, name));
    });
}

/// Namespaces of classes that LibTorch itself registers (torch::class_ in its sources).
constexpr std::array ownClassNamespaces = {
    std::string_view("quantized"), std::string_view("sparse"),   std::string_view("xnnpack"), std::string_view("mkldnn"),
    std::string_view("rnn"),       std::string_view("_nnapi"),   std::string_view("c10d"),    std::string_view("dist_rpc"),
    std::string_view("profiler"),  std::string_view("inductor"), std::string_view("metal"),   std::string_view("vulkan"),
};

void findClasses(std::string_view source, ScriptScan& scan)
{
    constexpr std::string_view word = "__torch__.torch.classes.";
    forEachWord(source, word, [&](std::size_t at) {
        const auto space = nameAt(source, at + word.size());
        const auto dot = at + word.size() + space.size();
        if (space.empty() || dot >= source.size() || source[dot] != '.')
            return;
        const auto name = nameAt(source, dot + 1);
        if (!name.empty() && std::ranges::find(ownClassNamespaces, space) == ownClassNamespaces.end())
            addOnce(scan.customClasses, fmt::format("{}::{}", space, name));
    });
}

void findFiles(std::string_view source, std::string_view name, ScriptScan& scan)
{
    struct Call
    {
        std::string_view text;
        std::string_view what;
    };
    constexpr Call calls[] = {
        {"torch.save(", "writes a file"},
        {"ops.aten.save(", "writes a file"},
        {"torch.from_file(", "reads a file"},
        {"ops.aten.from_file(", "reads a file"},
    };
    for (const auto& call : calls)
        forEachWord(source, call.text, [&](std::size_t at) {
            addOnce(scan.warnings, fmt::format("the program {} ({}, line {}): it runs in a sandbox, where that is blocked",
                                               call.what, name, lineOf(source, at)));
        });
}

void findDevices(std::string_view source, std::string_view name, ScriptScan& scan)
{
    forEachWord(source, "torch.device(\"cuda", [&](std::size_t at) {
        addOnce(scan.warnings, fmt::format("the program names a cuda device ({}, line {}): its layers run on the CPU here",
                                           name, lineOf(source, at)));
    });
}

} // namespace

void scanSource(std::string_view source, std::string_view name, ScriptScan& scan)
{
    findOperators(source, scan);
    findClasses(source, scan);
    findFiles(source, name, scan);
    // One line that names a device is enough: traced programs repeat it at every factory call.
    ScriptScan devices;
    findDevices(source, name, devices);
    const bool told =
        std::ranges::any_of(scan.warnings, [](const auto& text) { return text.find("cuda device") != text.npos; });
    if (!told && !devices.warnings.empty())
        scan.warnings.push_back(devices.warnings.front());
}

ScriptScan scanScript(const std::filesystem::path& file, const Job& job)
{
    const auto archive = TorchArchive::open(MappedFile::open(file), {});
    if (!archive || !archive->find("data.pkl") || !archive->find("constants.pkl"))
        throw Error(fmt::format("{} is no TorchScript program: save one with torch.jit.script(model).save(FILE) or "
                                "torch.jit.trace(model, input).save(FILE)",
                                file.string()));
    Document checked;
    checked.file = file;
    archive->listPickle(checked, "data.pkl", "data", PickleWalk::Style::script, job);
    archive->listPickle(checked, "constants.pkl", "constants", PickleWalk::Style::script, job);
    ScriptScan scan;
    // LibTorch compares no checksums: a changed bit is another program or another weight.
    for (auto& warning : archive->verifyAll(job))
        scan.warnings.push_back(std::move(warning));
    const auto read = [&](const std::string& name, std::string_view text) {
        scanSource(text, name, scan);
        return true;
    };
    if (!archive->forEachSource(read, job))
        throw Error(fmt::format("{}: its code unpacks to more than 64 MiB, which no real program takes: the file is damaged or "
                                "hostile, and it is not run",
                                file.string()));
    std::ranges::sort(scan.customOperators);
    std::ranges::sort(scan.customClasses);
    return scan;
}

} // namespace core::io

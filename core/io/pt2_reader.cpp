// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/entries.h"
#include "core/io/exported_modules.h"
#include "core/io/names.h"
#include "core/io/reader.h"
#include "core/io/torch_archive.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace core::io {

namespace {

using Json = nlohmann::json;

/// Deepest nesting of the table of weights: config, a weight, its meta data, its sizes, one size, its value.
constexpr int deepestTable = 8;

/// The dtype of a number in torch/_export/serde/schema.py, ScalarType.
std::optional<DType> dtypeOfNumber(std::int64_t number)
{
    constexpr std::pair<std::int64_t, DType> numbers[] = {
        {1, DType::u8},          {2, DType::i8},         {3, DType::i16},  {4, DType::i32},       {5, DType::i64},
        {6, DType::f16},         {7, DType::f32},        {8, DType::f64},  {10, DType::c64},      {11, DType::c128},
        {12, DType::boolean},    {13, DType::bf16},      {28, DType::u16}, {29, DType::f8e4m3fn}, {30, DType::f8e5m2},
        {31, DType::f8e4m3fnuz}, {32, DType::f8e5m2fnuz}};
    for (const auto& [known, dtype] : numbers)
        if (number == known)
            return dtype;
    return std::nullopt;
}

std::vector<std::int64_t> numbersOf(const Json& list)
{
    std::vector<std::int64_t> numbers;
    for (const Json& item : list)
        numbers.push_back(item.at("as_int").get<std::int64_t>());
    return numbers;
}

Entry objectEntry(std::string note)
{
    Entry entry;
    entry.kind = EntryKind::object;
    entry.type = "torch.Tensor";
    entry.notes.push_back(std::move(note));
    return entry;
}

Entry weightEntry(const TorchArchive& archive, const std::string& folder, const Json& weight)
{
    const Json& meta = weight.at("tensor_meta");
    const auto dtype = dtypeOfNumber(meta.at("dtype").get<std::int64_t>());
    if (weight.at("use_pickle").get<bool>() || !dtype)
        return objectEntry("cannot be shown: pickled inside the archive, or of a dtype that is not supported");
    StridedSource source{*dtype, numbersOf(meta.at("sizes")), numbersOf(meta.at("strides")), 0, {}, false,
                         false,  archive.budgetBytes()};
    source.record = archive.record(folder + weight.at("path_name").get<std::string>());
    const auto offset = meta.at("storage_offset").at("as_int").get<std::int64_t>();
    const std::int64_t size = itemSize(*dtype);
    source.byteOffset = offset > INT64_MAX / size ? INT64_MAX : offset * size;
    source.check(static_cast<std::int64_t>(source.record.bytes));
    Entry entry;
    entry.kind = EntryKind::parameter;
    entry.dtype = source.dtype;
    entry.shape = source.shape;
    entry.strides = source.strides;
    entry.bytes = source.bytes();
    if (meta.at("requires_grad").get<bool>())
        entry.notes.emplace_back("requires grad");
    if (const auto device = meta.at("device").at("type").get<std::string>(); device != "cpu")
        entry.notes.push_back(fmt::format("saved on {}", repairUtf8(device)));
    entry.verify = [record = source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(source)](const Job& job) -> Content { return source.load(job); };
    return entry;
}

/// Lists what an archive holds.
class Lister
{
public:
    Lister(const TorchArchive& archive, Document& document, const Job& job)
        : m_archive(archive), m_document(document), m_job(job)
    {
    }

    /// Lists the tensors of a table {"config": {NAME: {...}}}; each is dropped as soon as it is listed.
    void listTable(const std::string& folder, const std::string& table);
    /// Lists the modules of models/model.json before everything else. What cannot be read of it becomes a warning.
    void listModules();
    /// Class of the whole program; may be empty.
    const std::string& programType() const { return m_programType; }

private:
    void listWeight(const std::string& folder, const std::string& name, const Json& weight);
    void countParameters(const std::string& name, std::int64_t elements);
    Entry moduleEntry(const ExportedModule& module) const;

    const TorchArchive& m_archive;
    Document& m_document;
    const Job& m_job;
    UniqueNames m_names;
    /// The first entry of each record.
    std::unordered_map<std::string, std::string> m_firstOf;
    /// Elements of the parameters in each module and those within it.
    std::unordered_map<std::string, std::int64_t> m_parameters;
    std::string m_programType;
};

void Lister::countParameters(const std::string& name, std::int64_t elements)
{
    // A name of nothing but dots would take forever.
    constexpr std::size_t longest = 4096;
    for (auto dot = name.find('.'); name.size() <= longest && dot != std::string::npos; dot = name.find('.', dot + 1)) {
        auto& sum = m_parameters[name.substr(0, dot)];
        // Expanded tensors may tell of any number.
        if (__builtin_add_overflow(sum, elements, &sum))
            sum = INT64_MAX;
    }
}

void Lister::listWeight(const std::string& folder, const std::string& name, const Json& weight)
{
    Entry entry = weightEntry(m_archive, folder, weight);
    entry.name = m_names.take(repairUtf8(name));
    entry.path = dottedPath(entry.name);
    const auto record = folder + weight.at("path_name").get<std::string>();
    const auto [first, isNew] = m_firstOf.emplace(record, entry.name);
    if (!isNew)
        entry.notes.push_back(fmt::format("the same record as {}", first->second));
    if (weight.value("is_param", false) && entry.isTensor())
        countParameters(entry.name, std::max<std::int64_t>(entry.bytes, 0) / itemSize(entry.dtype));
    m_document.entries.push_back(std::move(entry));
}

void Lister::listTable(const std::string& folder, const std::string& table)
{
    const ZipMember* member = m_archive.find(folder + table);
    if (!member)
        return;
    const std::string subject = fmt::format("{}: member {}", m_archive.file(), folder + table);
    const Storage bytes = m_archive.load(*member, m_job);
    const auto text = ByteView(bytes.bytes).text(bytes.bytes.size());
    std::string name;
    const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > deepestTable)
            throw Error(subject + " is nested too deeply; the file is damaged or hostile, do not trust it");
        if (depth == 2 && event == Json::parse_event_t::key)
            name = parsed.get<std::string>();
        if (depth != 2 || event != Json::parse_event_t::object_end)
            return true;
        m_job.check();
        listWeight(folder, name, parsed);
        return false;
    };
    try {
        const Json rest = Json::parse(text.begin(), text.end(), take);
    } catch (const Json::exception& error) {
        throw Error(fmt::format("{} cannot be read ({}); the file is damaged, save it again", subject, error.what()));
    }
}

Entry Lister::moduleEntry(const ExportedModule& module) const
{
    Entry entry;
    entry.kind = EntryKind::layer;
    entry.type = module.type;
    if (const auto count = m_parameters.find(module.name); count != m_parameters.end() && count->second > 0)
        entry.notes.push_back(fmt::format("{} parameters", count->second));
    if (module.calls > 1)
        entry.notes.push_back(fmt::format("called {} times", module.calls));
    if (module.calls == 0)
        entry.notes.emplace_back("the file names no operator of it");
    return entry;
}

void Lister::listModules()
{
    const std::string name = "models/model.json";
    const ZipMember* member = m_archive.find(name);
    if (!member)
        return;
    std::vector<Entry> layers;
    try {
        const Storage bytes = m_archive.load(*member, m_job);
        const auto text = ByteView(bytes.bytes).text(bytes.bytes.size());
        for (const auto& module : readExportedModules(text, fmt::format("{}: member {}", m_archive.file(), name), m_job)) {
            if (module.name.empty()) {
                m_programType = module.type;
                continue;
            }
            Entry entry = moduleEntry(module);
            entry.name = m_names.take(module.name);
            entry.path = dottedPath(entry.name);
            layers.push_back(std::move(entry));
        }
    } catch (const Error& error) {
        m_document.warnings.push_back(fmt::format("the layers are not listed: {}", error.what()));
        return;
    }
    m_document.entries.insert(m_document.entries.begin(), std::make_move_iterator(layers.begin()),
                              std::make_move_iterator(layers.end()));
}

bool isPt2(const TorchArchive& archive, const Job& job)
{
    const ZipMember* member = archive.find("archive_format");
    if (!member || member->size != 3)
        return false;
    const Storage text = archive.load(*member, job);
    return ByteView(text.bytes).text(3) == "pt2";
}

} // namespace

std::optional<Document> readPt2(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job& job)
{
    Document document;
    document.file = file->path();
    document.format = "pt2";
    const auto archive = TorchArchive::open(std::move(file), limits);
    if (!archive)
        return std::nullopt;
    if (archive->find("serialized_exported_program.json"))
        throw Error(archive->file() + ": an exported program of an older PyTorch, which is not supported: export it again with "
                                      "PyTorch 2.9 or later");
    if (!isPt2(*archive, job))
        return std::nullopt;
    Lister lister(*archive, document, job);
    lister.listTable("data/weights/", "model_weights_config.json");
    lister.listTable("data/constants/", "model_constants_config.json");
    lister.listModules();
    document.warnings.push_back(
        fmt::format("{}: an exported program{}: its layers and weights are shown; running exported programs comes later",
                    archive->file(), lister.programType().empty() ? "" : fmt::format(" ({})", lister.programType())));
    return document;
}

} // namespace core::io

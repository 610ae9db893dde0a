// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/exported_modules.h"

#include "core/error.h"
#include "core/io/names.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace core::io {

namespace {

using Json = nlohmann::json;

/// Programs within programs (torch.cond) nest a dozen levels each.
constexpr std::size_t deepest = 256;
constexpr std::size_t mostModules = 1 << 18;

/// The three parts of an item of an nn_module_stack, "KEY,PATH,CLASS"; commas in brackets belong to their part
/// (metadata_split in torch/_export/serde/serialize.py). Nothing when there are not three.
struct StackItem
{
    std::string_view key;
    std::string_view path;
    std::string_view type;
};

std::optional<StackItem> itemOf(std::string_view text)
{
    std::array<std::string_view, 3> parts;
    std::size_t count = 0;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char letter = at < text.size() ? text[at] : ',';
        depth += (letter == '(' || letter == '[') - (letter == ')' || letter == ']');
        if (letter != ',' || (depth != 0 && at < text.size()))
            continue;
        if (count == parts.size())
            return std::nullopt;
        parts[count++] = text.substr(begin, at - begin);
        begin = at + 1;
    }
    if (count != parts.size())
        return std::nullopt;
    return StackItem{parts[0], parts[1], parts[2]};
}

/// Takes what is said of modules from the text as it is parsed, without building a tree of it.
class ModuleHandler : public nlohmann::json_sax<Json>
{
public:
    ModuleHandler(const std::string& subject, const Job& job) : m_subject(subject), m_job(job) {}

    std::vector<ExportedModule> take()
    {
        std::vector<ExportedModule> modules;
        for (const auto& name : m_graphOrder)
            modules.push_back(std::move(m_modules[m_places.at(name)]));
        for (std::size_t i = 0; i < m_modules.size(); ++i)
            if (!m_listed.contains(i))
                modules.push_back(std::move(m_modules[i]));
        return modules;
    }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }

    bool string(string_t& text) override
    {
        if (m_key == "fqn" && isInCallGraph())
            list(text);
        else if (m_key == "nn_module_stack" && isInGraph())
            takeStack(text);
        return true;
    }

    bool key(string_t& text) override
    {
        m_key = text;
        return true;
    }
    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override
    {
        throw Error(fmt::format("{} cannot be read ({}); the file is damaged, save it again", m_subject, error.what()));
    }

private:
    bool enter()
    {
        m_job.check();
        if (m_path.size() >= deepest)
            throw Error(m_subject + " is nested too deeply; the file is damaged or hostile, do not trust it");
        m_path.push_back(std::exchange(m_key, {}));
        return true;
    }

    bool leave()
    {
        m_path.pop_back();
        m_key.clear();
        return true;
    }

    // The outermost object and members of lists have no key.
    bool isIn(std::string_view part) const { return m_path.size() > 2 && m_path[1] == "graph_module" && m_path[2] == part; }
    bool isInCallGraph() const { return m_path.size() == 4 && isIn("module_call_graph"); }
    bool isInGraph() const { return isIn("graph") && m_path.back() == "metadata"; }

    std::size_t place(const std::string& name)
    {
        const auto [found, isNew] = m_places.emplace(name, m_modules.size());
        if (isNew) {
            if (m_modules.size() == mostModules)
                throw Error(fmt::format("{} names more than {} modules; the file is damaged or hostile, do not trust it",
                                        m_subject, mostModules));
            m_modules.push_back({name, "", 0});
        }
        return found->second;
    }

    void list(const std::string& name)
    {
        if (m_listed.insert(place(name)).second)
            m_graphOrder.push_back(name);
    }

    void takeStack(std::string_view stack)
    {
        while (!stack.empty()) {
            const auto end = stack.find(';');
            if (const auto item = itemOf(stack.substr(0, end)))
                takeItem(*item);
            stack.remove_prefix(end == std::string_view::npos ? stack.size() : end + 1);
        }
    }

    void takeItem(const StackItem& item)
    {
        // One key stands for one call: it is repeated at every operator of the call.
        if (!m_calls.emplace(item.key).second)
            return;
        auto& module = m_modules[place(std::string(item.path))];
        module.type = item.type;
        ++module.calls;
    }

    const std::string& m_subject;
    const Job& m_job;
    /// Keys of the objects and lists that are open.
    std::vector<std::string> m_path;
    std::string m_key;
    std::vector<ExportedModule> m_modules;
    std::unordered_map<std::string, std::size_t> m_places;
    std::unordered_set<std::string> m_calls;
    std::unordered_set<std::size_t> m_listed;
    std::vector<std::string> m_graphOrder;
};

} // namespace

std::vector<ExportedModule> readExportedModules(std::string_view text, const std::string& subject, const Job& job)
{
    ModuleHandler handler(subject, job);
    Json::sax_parse(text.begin(), text.end(), &handler);
    auto modules = handler.take();
    for (auto& module : modules) {
        module.name = repairUtf8(module.name);
        module.type = repairUtf8(module.type);
    }
    return modules;
}

} // namespace core::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/failure.h"

#include "core/error.h"

#include <c10/util/Exception.h>
#include <new>
#include <nlohmann/json.hpp>
#include <regex>

namespace runner {
namespace {

/// The text without what c10::Error appends of C++ frames.
std::string withoutFrames(const std::exception& error)
{
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    std::string text = torch ? torch->what_without_backtrace() : error.what();
    for (const char* mark : {"\nException raised from ", "\nframe #0: "}) {
        if (const std::size_t at = text.find(mark); at != std::string::npos)
            text.resize(at);
    }
    return text;
}

/// White space of any kind becomes one blank.
std::string oneLine(const std::string& text)
{
    std::string line;
    for (const char c : text) {
        const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
        if (blank && (line.empty() || line.back() == ' '))
            continue;
        line += blank ? ' ' : c;
    }
    while (!line.empty() && (line.back() == ' '))
        line.pop_back();
    return line;
}

/// Splits the interpreter's "Traceback ... RuntimeError: what" at its last line that names an error.
Failure fromTraceback(const std::string& text)
{
    static const std::regex kind("\n([A-Za-z_.]*(?:Error|Exception|Interrupt)): ");
    std::smatch last;
    for (std::sregex_iterator it(text.begin(), text.end(), kind), end; it != end; ++it)
        last = *it;
    if (last.empty())
        return {oneLine(text), text, {}};
    const std::string what = oneLine(last.suffix().str());
    const std::string name = last[1].str();
    return {name == "RuntimeError" ? what : name + ": " + what, last.prefix().str(), {}};
}

std::string withoutEnforce(const std::string& text)
{
    static const std::regex enforce(R"(^\[enforce fail at [^\]]*\]\s*[^.]*\.\s*)");
    return std::regex_replace(text, enforce, "");
}

} // namespace

Failure explain(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return {"there is not enough memory for the model: raise the memory limit or use a smaller input", "", {}};
    if (dynamic_cast<const core::Error*>(&error))
        return {error.what(), "", {}};
    const std::string text = withoutFrames(error);
    std::smatch found;
    static const std::regex memory("tried to allocate ([0-9]+) bytes");
    if (std::regex_search(text, found, memory))
        return {"there is not enough memory: the model asked for " + found[1].str() +
                    " bytes at once; raise the memory limit or use a smaller input",
                "",
                {}};
    static const std::regex unknown("Unknown builtin op: ([A-Za-z0-9_:.]+[A-Za-z0-9_])");
    if (std::regex_search(text, found, unknown))
        return {"the model needs the operator " + found[1].str() +
                    ", which nobody has registered: give its library with --op-library FILE",
                text,
                {found[1].str()}};
    if (text.find("Traceback of TorchScript") != std::string::npos)
        return fromTraceback(text);
    const std::size_t end = text.find('\n');
    return {oneLine(withoutEnforce(text.substr(0, end))), end == std::string::npos ? "" : text, {}};
}

nlohmann::json failedMessage(std::int64_t id, const std::string& stage, const std::string& layer, const Failure& failure)
{
    return {{"type", "failed"},
            {"id", id},
            {"stage", stage},
            {"layer", layer},
            {"message", failure.message},
            {"detail", failure.detail},
            {"missing", failure.missing}};
}

} // namespace runner

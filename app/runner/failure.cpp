// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/failure.h"

#include "core/error.h"

#include <c10/util/Exception.h>
#include <new>
#include <nlohmann/json.hpp>
#include <regex>

namespace runner {
namespace {

/// Longer texts lose their middle: a model chooses its own messages, and std::regex takes stack for each character.
constexpr std::size_t longestEnd = 8u << 10;

std::string withoutMiddle(std::string text)
{
    if (text.size() > 2 * longestEnd)
        text.replace(longestEnd, text.size() - 2 * longestEnd, " ... ");
    return text;
}

/// The text without what c10::Error appends of C++ frames.
std::string withoutFrames(const std::exception& error)
{
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    std::string text = torch ? torch->what_without_backtrace() : error.what();
    for (const char* mark : {"\nException raised from ", "\nframe #0: "}) {
        if (const std::size_t at = text.find(mark); at != std::string::npos)
            text.resize(at);
    }
    return withoutMiddle(std::move(text));
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
    // LibTorch goes on with a piece of code after a colon.
    while (!line.empty() && (line.back() == ' ' || line.back() == ':'))
        line.pop_back();
    return line;
}

/// Without the source place that c10's checks put before their words.
std::string withoutEnforce(const std::string& text)
{
    static const std::regex enforce(R"(^\[enforce fail at [^\]]*\]\s*[^.]*\.\s*)");
    return std::regex_replace(text, enforce, "");
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
    const std::string what = oneLine(withoutEnforce(last.suffix().str()));
    std::string name = last[1].str();
    if (name.starts_with("builtins."))
        name.erase(0, std::string_view("builtins.").size());
    return {name == "RuntimeError" ? what : name + ": " + what, last.prefix().str(), {}};
}

/// LibTorch's words that tell people little, and what they mean. "$1" is what the first group found.
struct Translation
{
    std::regex found;
    std::string meaning;
};

const std::vector<Translation>& translations()
{
    static const std::vector<Translation> all{
        {std::regex("tried to allocate ([0-9]+) bytes"),
         "there is not enough memory: the model asked for $1 bytes at once: use a smaller input"},
        {std::regex("unable to open file <([^>]*)>[^:]*: Operation not permitted"),
         "the model tried to open the file $1, and the sandbox lets it open none: trust the model if it needs that"},
        {std::regex("PytorchStreamReader failed reading zip archive: ([^.]*)\\."),
         "the archive is damaged ($1): get the file anew"},
        {std::regex("PytorchStreamReader failed locating file ([^:]*):"),
         "the archive is damaged (its member $1 is missing): get the file anew"},
        {std::regex("required keyword attribute 'value' is undefined"),
         "the file was saved after optimize_for_inference, which leaves the weights out: save the model without it"},
        {std::regex("Unknown type name '([^']*)'"),
         "the file needs the type $1, which neither its code nor LibTorch has: it is damaged or hostile, get it anew"},
        {std::regex("Unknown builtin op: ([A-Za-z0-9_:.]+[A-Za-z0-9_])"),
         "the model needs the operator $1, which neither LibTorch nor the runner has: give its library with --op-library FILE "
         "when the "
         "program is started"},
    };
    return all;
}

/// The meaning of the text, or nothing.
std::string meaningOf(const std::string& text)
{
    for (const Translation& one : translations()) {
        std::smatch found;
        if (std::regex_search(text, found, one.found))
            return found.format(one.meaning);
    }
    return {};
}

/// The first line that is not empty.
std::string firstLine(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(" \t\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<std::string> unknownOperators(const std::string& text)
{
    static const std::regex unknown("Unknown builtin op: ([A-Za-z0-9_:.]+[A-Za-z0-9_])");
    std::smatch found;
    return std::regex_search(text, found, unknown) ? std::vector{found[1].str()} : std::vector<std::string>{};
}

} // namespace

Failure explain(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return {"there is not enough memory for the model: use a smaller input", "", {}};
    if (dynamic_cast<const core::Error*>(&error))
        return {error.what(), "", {}};
    const std::string text = withoutFrames(error);
    Failure failure{oneLine(withoutEnforce(firstLine(text))), text == firstLine(text) ? "" : text, unknownOperators(text)};
    if (text.find("Traceback of TorchScript") != std::string::npos)
        failure = fromTraceback(text);
    if (const std::string meaning = meaningOf(text); !meaning.empty())
        failure.message = oneLine(meaning);
    if (failure.message.empty())
        failure.message = "LibTorch gave no reason";
    return failure;
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

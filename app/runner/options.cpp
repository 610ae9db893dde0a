// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/options.h"

#include "core/error.h"

#include <charconv>
#include <string_view>

namespace runner {
namespace {

template <class Number>
Number numberOf(std::string_view name, std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < Number{0})
        throw core::UsageError(std::string(name) + " needs a whole number of at least 0, not \"" + std::string(text) + "\"");
    return value;
}

void setDevice(Options& options, std::string_view value)
{
    constexpr std::string_view numbered = "cuda:";
    if (value.starts_with(numbered))
        options.gpu = numberOf<int>("--device cuda:N", value.substr(numbered.size()));
    else if (value != "cpu" && value != "cuda")
        throw core::UsageError("--device is cpu, cuda or cuda:N, not \"" + std::string(value) + "\"");
    options.device = value == "cpu" ? "cpu" : "cuda";
}

void set(Options& options, std::string_view name, std::string_view value)
{
    if (name == "--channel")
        options.channel = numberOf<int>(name, value);
    else if (name == "--threads")
        options.threads = numberOf<int>(name, value);
    else if (name == "--memory")
        options.memory = numberOf<std::uint64_t>(name, value);
    else if (name == "--op-library")
        options.operatorLibraries.emplace_back(value);
    else if (name == "--device")
        setDevice(options, value);
    else
        throw core::UsageError("there is no option " + std::string(name) + ": the program starts the runner by itself");
}

} // namespace

Options parseOptions(int count, const char* const* arguments)
{
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = arguments[i];
        if (name == "--trust")
            options.trust = true;
        else if (name == "--version")
            options.version = true;
        else if (i + 1 < count)
            set(options, name, arguments[++i]);
        else
            throw core::UsageError("the option " + std::string(name) + " needs a value");
    }
    if (options.channel < 0 && !options.version)
        throw core::UsageError("--channel is missing: actiscope starts the runner by itself");
    return options;
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/landlock.h"

#include "app/runner/descriptor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace runner {
namespace {

// The kernel's interface (Documentation/userspace-api/landlock.rst). Own constants, because headers of older distributions stop
// at the first versions.
constexpr long createRuleset = 444;
constexpr long addRule = 445;
constexpr long restrictSelf = 446;
constexpr unsigned versionQuery = 1;
constexpr int pathBeneath = 1;

struct RulesetAttributes
{
    std::uint64_t files;
    std::uint64_t network;
    std::uint64_t scopes;
};

struct [[gnu::packed]] PathBeneath
{
    std::uint64_t allowed;
    std::int32_t parent;
};

constexpr std::uint64_t execute = 1 << 0;
constexpr std::uint64_t readFile = 1 << 2;
constexpr std::uint64_t readDirectory = 1 << 3;
constexpr std::uint64_t writeFile = 1 << 1;
constexpr std::uint64_t deviceCommands = 1 << 15;

/// All rights on files of each version: 13 at first, then moving between folders, truncating, device commands.
constexpr std::array<std::uint64_t, 5> filesByVersion{0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff};

/// Rights on files, TCP (bind, connect) since version 4, abstract sockets and signals since version 6.
RulesetAttributes allRights(int version)
{
    const std::size_t index = static_cast<std::size_t>(version) - 1;
    return {filesByVersion[std::min(index, filesByVersion.size() - 1)], version >= 4 ? 3u : 0u, version >= 6 ? 3u : 0u};
}

/// CUDA's driver opens its devices for writing.
void allowDevices(int ruleset, std::uint64_t handled)
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
        if (!entry.path().filename().string().starts_with("nvidia"))
            continue;
        const Descriptor file(::open(entry.path().c_str(), O_PATH | O_CLOEXEC));
        const PathBeneath rule{(readFile | writeFile | deviceCommands) & handled, file.number()};
        if (file && !entry.is_directory(error))
            ::syscall(addRule, ruleset, pathBeneath, &rule, 0);
    }
}

} // namespace

int restrictFiles(bool cuda)
{
    const long version = ::syscall(createRuleset, nullptr, 0, versionQuery);
    if (version < 1)
        return 0;
    RulesetAttributes rights = allRights(static_cast<int>(version));
    if (cuda)
        rights.files &= ~(execute | readFile | readDirectory);
    const Descriptor ruleset(static_cast<int>(::syscall(createRuleset, &rights, sizeof rights, 0)));
    if (!ruleset || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    if (cuda)
        allowDevices(ruleset.number(), rights.files);
    return ::syscall(restrictSelf, ruleset.number(), 0) == 0 ? static_cast<int>(version) : 0;
}

} // namespace runner

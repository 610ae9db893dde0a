// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mistyped.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

namespace app::cli {

namespace {

/// Levenshtein's distance: letters to add, drop or change.
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t k = 0; k < b.size(); ++k) {
            const std::size_t above = row[k + 1];
            row[k + 1] = std::min({above + 1, row[k] + 1, diagonal + (a[i] != b[k])});
            diagonal = above;
        }
    }
    return row.back();
}

} // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> known)
{
    constexpr std::size_t most = 2;
    std::optional<std::string_view> best;
    std::size_t least = most + 1;
    for (const auto candidate : known) {
        const bool isBeginning = word.size() >= 2 && candidate.starts_with(word);
        const std::size_t apart = isBeginning ? 0 : distance(word, candidate);
        if (apart < least && apart < word.size()) {
            least = apart;
            best = candidate;
        }
    }
    return best;
}

bool looksLikeCommand(const std::string& word)
{
    constexpr std::size_t longest = 24;
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; };
    std::error_code ignored;
    return !word.empty() && word.size() <= longest && word[0] != '-' && std::all_of(word.begin(), word.end(), isLetter) &&
           !std::filesystem::exists(word, ignored);
}

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/model_options.h"
#include "core/engine/condition.h"
#include "core/layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace app::cli {

/// Options that choose a file, a tensor in it and the part of it that is analysed, as typed.
struct SelectOptions
{
    std::string file;
    std::optional<std::string> tensor;
    std::string layout;
    std::vector<std::string> at;
    std::string batch;
    std::string channel;
    std::string device = "auto";
    /// A model's layer; the model is then run.
    std::optional<std::string> layer;
    ModelOptions model;

    /// True when an option restricts or names the axes of one tensor.
    bool shapesTensor() const { return !layout.empty() || !at.empty() || !batch.empty() || !channel.empty(); }
};
/// Adds FILE, INPUT and a model's other options, --tensor, --layer, --layout, --at, --batch, --channel, --device. `options`
/// must outlive the parsing.
void addSelect(CLI::App& app, SelectOptions& options);

/// Options that say which elements are hot, as typed.
struct WhereOptions
{
    std::optional<std::string> threshold;
    std::optional<std::string> where;
    std::string comparison = "torch";
    bool perChannel = false;
    bool storedOnly = false;

    /// True when an option says which elements are hot.
    bool isGiven() const { return threshold || where || perChannel || storedOnly; }
};
/// Adds --threshold, --where, --comparison, --per-channel, --stored-only.
void addWhere(CLI::App& app, WhereOptions& options);
/// The condition that the options stand for; `!= 0` by default. Throws core::UsageError.
core::Where makeWhere(const WhereOptions& options);

/// The part of a tensor that the options select. Throws core::UsageError for what cannot be read or contradicts itself,
/// core::Error for an axis or index that the tensor does not have.
core::Selection makeSelection(const SelectOptions& options, std::span<const std::int64_t> shape, bool isImage);

/// A whole number. Throws core::UsageError that names the option.
std::int64_t parseInteger(std::string_view text, std::string_view option);
/// A decimal number, with a point in every locale. Throws core::UsageError that names the option.
double parseReal(std::string_view text, std::string_view option);
/// The ending of a file name in small letters with its dot, or "".
std::string ending(std::string_view file);

} // namespace app::cli

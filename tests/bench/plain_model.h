// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace bench {

/// A TorchScript model run by LibTorch as it is, in this process.
class PlainModel
{
public:
    virtual ~PlainModel() = default;
    /// forward on [1, 3, side, side].
    virtual void run(std::span<const float> input, std::int64_t side) = 0;
    /// What the last run gave.
    virtual std::span<const float> output() const = 0;
};

/// Writes a ResNet-18 with random weights (seeded) as a TorchScript file: 60 layers, 11.7 million parameters. Throws
/// std::runtime_error where there is no LibTorch.
void saveResNet18(const std::filesystem::path& file);

/// Loads a model. Throws std::runtime_error where there is no LibTorch.
std::unique_ptr<PlainModel> openPlain(const std::filesystem::path& file, int threads);

} // namespace bench

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <functional>
#include <string>
#include <vector>

namespace support {

/// A digest of what was answered.
class Digest
{
public:
    void add(const void* from, std::size_t bytes);
    template <class T>
    void add(const std::vector<T>& from)
    {
        add(from.data(), from.size() * sizeof(T));
    }
    void add(const core::Tensor& tensor) { add(tensor.data(), static_cast<std::size_t>(tensor.bytes())); }
    std::string text() const;

private:
    std::uint64_t m_value = 14695981039346656037u;
};

/// Best of several runs, in milliseconds.
double bestOf(int runs, const std::function<void()>& work);
/// 95th percentile of many runs.
double tailOf(int runs, const std::function<void()>& work);

/// One row: the same question to both engines, each of which answers with what is compared; with nothing when `isTimed`.
struct SpeedRow
{
    std::string name;
    /// Bytes of the tensor.
    std::int64_t bytes = 0;
    std::function<std::string(bool isTimed)> gpu;
    std::function<std::string(bool isTimed)> cpu;
    /// The 95th percentile in place of the best.
    bool isTail = false;
};

/// Times rows and prints them as they come.
class SpeedTable
{
public:
    int bad() const { return m_bad; }
    /// Throws what the answers throw.
    void add(const SpeedRow& row);
    void print(const std::string& name, double gpuMs, double cpuMs, std::int64_t bytes, bool equal);
    void write(const std::string& file) const;

private:
    int m_bad = 0;
    std::string m_json;
};

} // namespace support

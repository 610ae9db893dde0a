// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/speed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace support {
namespace {

std::vector<double> timesOf(int runs, const std::function<void()>& work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    return times;
}

} // namespace

void Digest::add(const void* from, std::size_t bytes)
{
    const auto* at = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < bytes; ++i)
        m_value = (m_value ^ at[i]) * 1099511628211u;
}

std::string Digest::text() const
{
    return fmt::format("{:016x}", m_value);
}

double bestOf(int runs, const std::function<void()>& work)
{
    return timesOf(runs, work).front();
}

double tailOf(int runs, const std::function<void()>& work)
{
    const std::vector<double> times = timesOf(runs, work);
    return times[times.size() * 95 / 100];
}

void SpeedTable::add(const SpeedRow& row)
{
    const bool equal = row.cpu(false) == row.gpu(false);
    const auto time = [&](int runs, const std::function<std::string(bool)>& ask) {
        return row.isTail ? tailOf(20 * runs, [&] { ask(true); }) : bestOf(runs, [&] { ask(true); });
    };
    const double gpuMs = time(7, row.gpu);
    const double cpuMs = time(3, row.cpu);
    print(row.name, gpuMs, cpuMs, row.bytes, equal);
}

void SpeedTable::print(const std::string& name, double gpuMs, double cpuMs, std::int64_t bytes, bool equal)
{
    m_bad += !equal;
    std::printf("%-28s %10.3f ms  cpu %10.2f ms  %8.1fx  %8.1f GB/s  %s\n", name.c_str(), gpuMs, cpuMs, cpuMs / gpuMs,
                static_cast<double>(bytes) / gpuMs / 1e6, equal ? "equal" : "DIFFERENT");
    m_json += fmt::format(R"({}{{"name":"{}","ours_ms":{},"peer":"cpu engine","peer_ms":{},"ratio":{},"equal":{}}})",
                          m_json.empty() ? "" : ",\n", name, gpuMs, cpuMs, cpuMs / gpuMs, equal);
}

void SpeedTable::write(const std::string& file) const
{
    std::FILE* const out = std::fopen(file.c_str(), "w");
    if (!out)
        return;
    std::fprintf(out, "[%s]\n", m_json.c_str());
    std::fclose(out);
}

} // namespace support

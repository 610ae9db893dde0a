// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/check_speed.h"

#include "tests/bench/bench_data.h"
#include "tests/gpu/case_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace core;

namespace support {
namespace {

/// One row: the same question to both tensors. `ask` answers with what is compared.
struct Row
{
    std::string name;
    const LoadedTensor& cpu;
    const LoadedTensor& gpu;
    std::function<std::string(const LoadedTensor&)> ask;
};

double bestOf(int runs, const std::function<void()>& work)
{
    double best = 1e300;
    for (int i = 0; i < runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

/// A digest of what was answered.
class Digest
{
public:
    void add(const void* from, std::size_t bytes)
    {
        const auto* at = static_cast<const unsigned char*>(from);
        for (std::size_t i = 0; i < bytes; ++i)
            m_value = (m_value ^ at[i]) * 1099511628211u;
    }
    template <class T>
    void add(const std::vector<T>& from)
    {
        add(from.data(), from.size() * sizeof(T));
    }
    void add(const Tensor& tensor) { add(tensor.data(), static_cast<std::size_t>(tensor.bytes())); }
    std::string text() const { return fmt::format("{:016x}", m_value); }

private:
    std::uint64_t m_value = 14695981039346656037u;
};

/// Timed runs only ask; the digest is of one more.
bool isTiming = false;

std::string digestOf(const Result& result)
{
    if (isTiming)
        return {};
    Digest digest;
    digest.add(result.counts);
    for (const Tensor& map : result.heatMaps)
        digest.add(map);
    for (const Tensor& mask : result.masks)
        digest.add(mask);
    if (result.rows)
        digest.add(result.rows->indices);
    return digest.text();
}

std::function<std::string(const LoadedTensor&)> asking(Query query)
{
    return [query = std::move(query)](const LoadedTensor& tensor) { return digestOf(tensor.run(query)); };
}

Query queryOf(double threshold)
{
    Query query;
    query.where.condition = {ConditionKind::gt, Number::fromReal(threshold), {}};
    return query;
}

Query withMaps(double threshold, std::optional<std::int64_t> batch)
{
    Query query = queryOf(threshold);
    for (const Reduction reduction : {Reduction::count, Reduction::sum, Reduction::max})
        query.heatMaps.push_back({reduction, false, batch});
    return query;
}

std::string allRows(const LoadedTensor& tensor, const Query& query)
{
    Digest digest;
    std::int64_t rows = 0;
    tensor.coordinates(query.where, false, [&](const RowBlock& block) {
        rows += block.rows;
        if (!isTiming)
            digest.add(block.indices.data(), block.indices.size_bytes());
        return true;
    });
    return isTiming ? std::string() : fmt::format("{} rows {}", rows, digest.text());
}

/// A tensor of a size in both engines.
struct Loaded
{
    Tensor tensor;
    std::unique_ptr<LoadedTensor> cpu;
    std::unique_ptr<LoadedTensor> gpu;
    double cpuLoadMs = 0;
    double gpuLoadMs = 0;

    Loaded(const Engine& cpuEngine, const Engine& engine, Tensor values) : tensor(std::move(values))
    {
        const auto selection = Selection::all(Layout::guess(tensor.rank()));
        cpuLoadMs = bestOf(2, [&] { cpu = cpuEngine.load(tensor, selection); });
        gpuLoadMs = bestOf(2, [&] { gpu = engine.load(tensor, selection); });
    }
};

Tensor floats(const bench::Extent& extent, std::vector<float>& values)
{
    values.resize(static_cast<std::size_t>(extent.elements()));
    bench::fill(values, extent, bench::DataKind::iid);
    return Tensor::fromValues(DType::f32, {extent.batches, extent.channels, extent.height, extent.width}, values);
}

/// The same values in another dtype.
template <class T, class Convert>
Tensor converted(const Tensor& from, DType dtype, const std::vector<float>& values, Convert convert)
{
    std::vector<T> out(values.size());
    std::transform(values.begin(), values.end(), out.begin(), convert);
    return Tensor::fromValues(dtype, from.shape(), out);
}

class Table
{
public:
    int bad() const { return m_bad; }

    void load(const std::string& name, const Loaded& loaded)
    {
        print(name, loaded.gpuLoadMs, loaded.cpuLoadMs, loaded.tensor.bytes(), true);
    }

    void add(const Row& row)
    {
        isTiming = false;
        const bool equal = row.ask(row.cpu) == row.ask(row.gpu);
        isTiming = true;
        const double gpuMs = bestOf(7, [&] { row.ask(row.gpu); });
        const double cpuMs = bestOf(3, [&] { row.ask(row.cpu); });
        print(row.name, gpuMs, cpuMs, row.cpu.dense()->bytes(), equal);
    }

    void write(const std::string& file) const
    {
        std::FILE* const out = std::fopen(file.c_str(), "w");
        if (!out)
            return;
        std::fprintf(out, "[%s]\n", m_json.c_str());
        std::fclose(out);
    }

private:
    void print(const std::string& name, double gpuMs, double cpuMs, std::int64_t bytes, bool equal)
    {
        m_bad += !equal;
        std::printf("%-28s %10.3f ms  cpu %10.2f ms  %8.1fx  %8.1f GB/s  %s\n", name.c_str(), gpuMs, cpuMs, cpuMs / gpuMs,
                    static_cast<double>(bytes) / gpuMs / 1e6, equal ? "equal" : "DIFFERENT");
        m_json += fmt::format(R"({}{{"name":"{}","ours_ms":{},"peer":"cpu engine","peer_ms":{},"ratio":{},"equal":{}}})",
                              m_json.empty() ? "" : ",\n", name, gpuMs, cpuMs, cpuMs / gpuMs, equal);
    }

    int m_bad = 0;
    std::string m_json;
};

void timeFloats(Table& table, const std::string& size, const Loaded& loaded, const std::vector<float>& values)
{
    const auto add = [&](const std::string& name, const auto& ask) {
        table.add({fmt::format("{}/{}", name, size), *loaded.cpu, *loaded.gpu, ask});
    };
    table.load("first_scan/" + size, loaded);
    for (const double density : {0.00002, 0.008, 0.1}) {
        const double t = static_cast<double>(bench::thresholdFor(values, density));
        const auto named = [&](const char* name) { return fmt::format("{}/{}%", name, density * 100); };
        add(named("counts"), asking(queryOf(t)));
        Query fused = withMaps(t, std::nullopt);
        fused.masks = {{0, 0}};
        add(named("fused"), asking(fused));
        add(named("coords"), [query = queryOf(t)](const LoadedTensor& tensor) { return allRows(tensor, query); });
        add(named("all"), [fused](const LoadedTensor& tensor) { return digestOf(tensor.run(fused)) + allRows(tensor, fused); });
        Query slider = withMaps(t, 0);
        slider.rows = RowWindow{0, 60};
        add(named("slider"), asking(slider));
        add(named("visible_map"), asking(withMaps(t, 0)));
        Query rows = queryOf(t);
        rows.rows = RowWindow{loaded.cpu->run(rows).count / 2, 60};
        add(named("rows"), asking(rows));
    }
    add("histograms", [](const LoadedTensor& tensor) {
        const Histogram histogram = tensor.histogram(std::nullopt, 4096);
        Digest digest;
        digest.add(histogram.bins);
        return digest.text();
    });
}

void timeOperations(Table& table, const Loaded& loaded, const Loaded& other)
{
    table.add({"argmax", *loaded.cpu, *loaded.gpu, [](const LoadedTensor& tensor) {
                   const LabelMap map = tensor.labels({});
                   Digest digest;
                   if (!isTiming)
                       digest.add(map.labels);
                   return digest.text();
               }});
    table.add({"fusion", *loaded.cpu, *loaded.gpu, [&](const LoadedTensor& tensor) {
                   const Fused fused = tensor.fuse(&tensor == loaded.cpu.get() ? *other.cpu : *other.gpu, {});
                   Digest digest;
                   if (!isTiming) {
                       digest.add(fused.values);
                       digest.add(fused.norms);
                   }
                   return digest.text();
               }});
    table.add({"update", *loaded.cpu, *loaded.gpu, [](const LoadedTensor& tensor) {
                   SelectQuery query;
                   query.where.condition = {ConditionKind::gt, Number::fromReal(1), {}};
                   query.value = Number::fromReal(0);
                   const Selected selected = tensor.select(query);
                   Digest digest;
                   if (!isTiming)
                       digest.add(std::get<Tensor>(selected.values));
                   digest.add(selected.before);
                   return digest.text();
               }});
}

void timeLabels(Table& table, const Engine& cpu, const Engine& gpu)
{
    std::vector<std::int32_t> ids(1 << 24);
    std::uint32_t state = 1;
    for (std::int32_t& id : ids) {
        state = state * 1664525 + 1013904223;
        id = static_cast<std::int32_t>((state >> 8) % 5000);
    }
    const Loaded loaded(cpu, gpu, Tensor::fromValues(DType::i32, {4096, 4096}, ids));
    table.add({"label_counts", *loaded.cpu, *loaded.gpu, [](const LoadedTensor& tensor) {
                   const LabelCounts counts = tensor.labelCounts();
                   Digest digest;
                   digest.add(counts.ids);
                   digest.add(counts.counts);
                   return digest.text();
               }});
}

} // namespace

int checkSpeed(const Engine& engine, const std::string& jsonFile)
{
    const auto cpu = makeCpuEngine();
    Table table;
    {
        std::vector<float> values;
        const Loaded loaded(*cpu, engine, floats({}, values));
        timeFloats(table, "256MiB", loaded, values);
        const Loaded half(*cpu, engine, converted<Half>(loaded.tensor, DType::f16, values, [](float v) { return toHalf(v); }));
        table.add({"counts_half", *half.cpu, *half.gpu, asking(queryOf(1))});
        const Loaded boolean(*cpu, engine, converted<std::uint8_t>(loaded.tensor, DType::boolean, values, [](float v) {
            return static_cast<std::uint8_t>(v > 1);
        }));
        table.add({"counts_bool", *boolean.cpu, *boolean.gpu, asking(queryOf(0))});
        const Loaded negated(*cpu, engine, converted<float>(loaded.tensor, DType::f32, values, [](float v) { return 1 - v; }));
        timeOperations(table, loaded, negated);
    }
    timeLabels(table, *cpu, engine);
    std::vector<float> values;
    const Loaded large(*cpu, engine, floats({4, 64, 1024, 1024}, values));
    timeFloats(table, "1GiB", large, values);
    if (!jsonFile.empty())
        table.write(jsonFile);
    return table.bad();
}

} // namespace support

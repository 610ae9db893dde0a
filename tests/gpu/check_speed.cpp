// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/check_speed.h"

#include "core/engine/hot_test.h"
#include "gpu/device_rows.h"
#include "tests/bench/passes.h"
#include "tests/gpu/speed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace core;

namespace support {
namespace {

using Ask = std::function<std::string(const LoadedTensor&, bool isTimed)>;

std::string digestOf(const Result& result)
{
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

Ask asking(Query query)
{
    return [query = std::move(query)](const LoadedTensor& tensor, bool isTimed) {
        const Result result = tensor.run(query);
        return isTimed ? std::string() : digestOf(result);
    };
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

std::string allRows(const LoadedTensor& tensor, const Query& query, bool isTimed)
{
    Digest digest;
    std::int64_t rows = 0;
    tensor.coordinates(query.where, false, [&](const RowBlock& block) {
        rows += block.rows;
        if (!isTimed)
            digest.add(block.indices.data(), block.indices.size_bytes());
        return true;
    });
    return fmt::format("{} rows {}", rows, digest.text());
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

    SpeedRow row(const std::string& name, const Ask& ask) const
    {
        return {name, tensor.bytes(), [this, ask](bool isTimed) { return ask(*gpu, isTimed); },
                [this, ask](bool isTimed) { return ask(*cpu, isTimed); }};
    }
};

/// Positions of hot elements as 32-bit numbers, as both engines list them before they make rows of them.
class OffsetLists
{
public:
    OffsetLists(const Tensor& tensor, const bench::Extent& extent, std::span<const float> values, const gpu::OpenDevice& open)
        : m_tensor(tensor), m_selection(Selection::all(Layout::guess(4))), m_grid(m_tensor, m_selection),
          m_device(open, m_grid, m_workers, {}), m_passes(values, extent, m_workers)
    {
    }

    std::string onDevice(double threshold, bool isTimed) const
    {
        const HotTest test = testOf(threshold);
        const gpu::DeviceRows rows(m_device, test, m_grid, m_tensor, m_selection);
        Digest digest;
        rows.offsets(
            [&](std::int64_t, std::span<const std::uint32_t> offsets) {
                if (!isTimed)
                    digest.add(offsets.data(), offsets.size_bytes());
                return true;
            },
            {});
        return digest.text();
    }

    std::string onCpu(double threshold, bool isTimed)
    {
        m_passes.mark(testOf(threshold).predicate<float>(0));
        if (!isTimed)
            m_passes.reserve(std::accumulate(m_passes.counts().begin(), m_passes.counts().end(), std::int64_t{0}), false);
        m_passes.listOffsets();
        Digest digest;
        if (!isTimed)
            digest.add(m_passes.offsets().data(), static_cast<std::size_t>(m_passes.hot()) * sizeof(std::uint32_t));
        return digest.text();
    }

private:
    static HotTest testOf(double threshold)
    {
        return HotTest(DType::f32, Comparison::torch, {queryOf(threshold).where.condition});
    }

    const Tensor& m_tensor;
    Selection m_selection;
    PlaneGrid m_grid;
    Workers m_workers{0};
    gpu::DeviceValues m_device;
    bench::Passes<float> m_passes;
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

/// Windows of rows anywhere in the list; the first one is compared.
SpeedRow rowWindows(const Loaded& loaded, const std::string& name, double threshold)
{
    Query query = queryOf(threshold);
    const auto most = static_cast<std::uint64_t>(std::max(loaded.cpu->run(query).count - 60, std::int64_t{1}));
    SpeedRow row =
        loaded.row(name, [query, most, random = std::mt19937_64(1)](const LoadedTensor& tensor, bool isTimed) mutable {
            Query window = query;
            window.rows = RowWindow{static_cast<std::int64_t>(isTimed ? random() % most : most / 2), 60};
            const Result result = tensor.run(window);
            return isTimed ? std::string() : digestOf(result);
        });
    row.isTail = true;
    return row;
}

/// `size` is a part of the rows' names.
void timeFloats(SpeedTable& table, const std::string& size, const Loaded& loaded, const std::vector<float>& values,
                OffsetLists& lists)
{
    table.print("first_scan" + size, loaded.gpuLoadMs, loaded.cpuLoadMs, loaded.tensor.bytes(), true);
    for (const double density : {0.00002, 0.008, 0.1}) {
        const double t = static_cast<double>(bench::thresholdFor(values, density));
        const auto named = [&](const char* name) { return fmt::format("{}{}/{}%", name, size, density * 100); };
        const auto add = [&](const char* name, const Ask& ask) { table.add(loaded.row(named(name), ask)); };
        add("counts", asking(queryOf(t)));
        Query fused = withMaps(t, std::nullopt);
        fused.masks = {{0, 0}};
        add("fused", asking(fused));
        const auto all = [&](const LoadedTensor& tensor, bool isTimed, const std::string& offsets) {
            return asking(fused)(tensor, isTimed) + offsets;
        };
        const std::int64_t bytes = loaded.tensor.bytes();
        table.add({named("all_u32"), bytes, [&](bool isTimed) { return all(*loaded.gpu, isTimed, lists.onDevice(t, isTimed)); },
                   [&](bool isTimed) { return all(*loaded.cpu, isTimed, lists.onCpu(t, isTimed)); }});
        add("coords_int64",
            [query = queryOf(t)](const LoadedTensor& tensor, bool isTimed) { return allRows(tensor, query, isTimed); });
        table.add({named("coords_u32"), bytes, [&](bool isTimed) { return lists.onDevice(t, isTimed); },
                   [&](bool isTimed) { return lists.onCpu(t, isTimed); }});
        Query slider = withMaps(t, 0);
        slider.rows = RowWindow{0, 60};
        add("slider", asking(slider));
        add("visible_map", asking(withMaps(t, 0)));
        table.add(rowWindows(loaded, named("rows"), t));
    }
    table.add(loaded.row("histograms" + size, [](const LoadedTensor& tensor, bool) {
        const Histogram histogram = tensor.histogram(std::nullopt, 4096);
        Digest digest;
        digest.add(histogram.bins);
        return digest.text();
    }));
}

void timeOperations(SpeedTable& table, const Loaded& loaded, const Loaded& other)
{
    table.add(loaded.row("argmax", [](const LoadedTensor& tensor, bool isTimed) {
        const LabelMap map = tensor.labels({});
        Digest digest;
        if (!isTimed)
            digest.add(map.labels);
        return digest.text();
    }));
    table.add(loaded.row("fusion", [&](const LoadedTensor& tensor, bool isTimed) {
        const Fused fused = tensor.fuse(&tensor == loaded.cpu.get() ? *other.cpu : *other.gpu, {});
        Digest digest;
        if (!isTimed) {
            digest.add(fused.values);
            digest.add(fused.norms);
        }
        return digest.text();
    }));
    table.add(loaded.row("update", [](const LoadedTensor& tensor, bool isTimed) {
        SelectQuery query;
        query.where = queryOf(1).where;
        query.value = Number::fromReal(0);
        const Selected selected = tensor.select(query);
        Digest digest;
        if (!isTimed)
            digest.add(std::get<Tensor>(selected.values));
        digest.add(selected.before);
        return digest.text();
    }));
}

void timeLabels(SpeedTable& table, const Engine& cpu, const Engine& gpu, std::int64_t side)
{
    std::vector<std::int32_t> ids(static_cast<std::size_t>(side * side));
    std::uint32_t state = 1;
    for (std::int32_t& id : ids) {
        state = state * 1664525 + 1013904223;
        id = static_cast<std::int32_t>((state >> 8) % 5000);
    }
    const Loaded loaded(cpu, gpu, Tensor::fromValues(DType::i32, {side, side}, ids));
    table.add(loaded.row("label_counts", [](const LoadedTensor& tensor, bool) {
        const LabelCounts counts = tensor.labelCounts();
        Digest digest;
        digest.add(counts.ids);
        digest.add(counts.counts);
        return digest.text();
    }));
}

} // namespace

int checkSpeed(const Engine& engine, const gpu::OpenDevice& open, SpeedSize size, const std::string& jsonFile)
{
    const bool isSmall = size == SpeedSize::small;
    const auto cpu = makeCpuEngine();
    SpeedTable table;
    std::vector<float> values;
    {
        const bench::Extent extent = isSmall ? bench::Extent{2, 8, 48, 48} : bench::Extent{};
        const Loaded loaded(*cpu, engine, floats(extent, values));
        {
            OffsetLists lists(loaded.tensor, extent, values, open);
            timeFloats(table, "", loaded, values, lists);
        }
        const Loaded half(*cpu, engine, converted<Half>(loaded.tensor, DType::f16, values, [](float v) { return toHalf(v); }));
        table.add(half.row("counts_half", asking(queryOf(1))));
        const Loaded boolean(*cpu, engine, converted<std::uint8_t>(loaded.tensor, DType::boolean, values, [](float v) {
            return static_cast<std::uint8_t>(v > 1);
        }));
        table.add(boolean.row("counts_bool", asking(queryOf(0))));
        const Loaded negated(*cpu, engine, converted<float>(loaded.tensor, DType::f32, values, [](float v) { return 1 - v; }));
        timeOperations(table, loaded, negated);
    }
    timeLabels(table, *cpu, engine, isSmall ? 64 : 4096);
    const bench::Extent extent = isSmall ? bench::Extent{1, 3, 256, 256} : bench::Extent{4, 64, 1024, 1024};
    const Loaded large(*cpu, engine, floats(extent, values));
    OffsetLists lists(large.tensor, extent, values, open);
    timeFloats(table, isSmall ? "/wide" : "/1GiB", large, values, lists);
    if (!jsonFile.empty())
        table.write(jsonFile);
    return table.bad();
}

} // namespace support

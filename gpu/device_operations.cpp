// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_operations.h"

#include "core/engine/dense_scan.h"
#include "core/engine/label_counter.h"
#include "gpu/device_counter.h"
#include "gpu/device_tiles.h"
#include "gpu/download.h"

#include <cmath>

namespace gpu {
namespace {

NormKind kindOf(double p)
{
    if (p == 0)
        return NormKind::nonzero;
    if (p == 1)
        return NormKind::absolute;
    if (p == 2)
        return NormKind::squares;
    return std::isinf(p) ? NormKind::largest : NormKind::powers;
}

/// A map from the device as a tensor.
core::Tensor mapTensor(const DeviceValues& values, const std::byte* from, core::DType dtype, const core::Shape& shape,
                       const core::Workers& workers, const core::Job& job)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(core::elementCount(shape) * core::itemSize(dtype)));
    download(values, bytes.data(), std::ssize(bytes),
             [from](std::int64_t first, std::int64_t, std::byte*) { return from + first; }, workers, {job.stop, {}});
    return core::Tensor::contiguous(dtype, shape, core::Storage::fromVector(std::move(bytes)));
}

} // namespace

std::vector<double> normParts(const DeviceValues& values, double p, const core::Job& job)
{
    std::vector<double> parts;
    const auto launch = [&](const TileRange& range, std::int64_t blocks, std::byte* results) {
        values.device().launch(values.type(), blocks,
                               NormParameters{values.planes(), range, kindOf(p), p, reinterpret_cast<double*>(results)});
    };
    forTiles<double>(values, job, launch, [&](std::int64_t, const std::vector<double>& tiles) {
        parts.insert(parts.end(), tiles.begin(), tiles.end());
    });
    return parts;
}

core::LabelMap labelPixels(const DeviceValues& values, const core::LabelQuery& query, const core::Workers& workers,
                           const core::Job& job)
{
    job.check();
    const core::Extents& extents = values.extents();
    const std::int64_t batches = query.batch ? 1 : extents.batches;
    const std::int64_t pixels = batches * extents.planeElements();
    const core::DType dtype = extents.channels <= 256 ? core::DType::u8 : core::DType::i32;
    const auto labels = values.memory().takeArray<std::byte>(pixels * core::itemSize(dtype));
    DeviceMemory::Loan largest;
    if (query.values)
        largest = values.memory().takeArray<std::byte>(pixels * core::itemSize(values.dtype()));
    LabelParameters p{};
    p.planes = values.planes();
    p.firstBatch = query.batch.value_or(0);
    // As for passes over pixels.
    const std::int64_t wide = wideBytes / core::itemSize(values.dtype());
    p.isWide = extents.planeElements() % wide == 0 && pixels >= enoughBlocks * blockThreads * wide;
    const std::int64_t perBlock = p.isWide ? blockThreads * wide : blockThreads;
    p.blocksPerBatch = (extents.planeElements() + perBlock - 1) / perBlock;
    p.labels8 = dtype == core::DType::u8 ? labels.as<std::uint8_t>() : nullptr;
    p.labels32 = dtype == core::DType::i32 ? labels.as<std::int32_t>() : nullptr;
    p.values = largest.data();
    values.device().launch(values.type(), batches * p.blocksPerBatch, p);
    core::Shape shape = core::planeShape(extents);
    shape.insert(shape.begin(), batches);
    core::LabelMap map{mapTensor(values, labels.data(), dtype, shape, workers, job), std::nullopt};
    if (query.values)
        map.values = mapTensor(values, largest.data(), values.dtype(), shape, workers, job);
    return map;
}

std::optional<core::LabelCounts> countIds(const DeviceValues& values, const core::Statistics& all, const core::Job& job)
{
    constexpr __int128 mostIds = 1 << 20;
    const auto wide = [](const core::Scalar& id) { return std::visit([](auto v) { return static_cast<__int128>(v); }, id); };
    const __int128 range = wide(*all.max) - wide(*all.min) + 1;
    if (range > mostIds)
        return std::nullopt;
    // Ids of uint64 are told by their bits.
    const auto lo = std::visit([](auto v) { return static_cast<std::int64_t>(v); }, *all.min);
    const auto counter = deviceValueSet(values, {}, all).counter;
    const std::vector<std::int64_t> counts = counter->countIntegers(lo, static_cast<std::int64_t>(range), job);
    core::IdCounts found;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0)
            continue;
        const auto id = static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + i);
        // Of bool, every byte but 0 is true.
        if (values.dtype() == core::DType::boolean && id > 1 && !found.empty() && found.back().first == 1)
            found.back().second += counts[i];
        else
            found.emplace_back(values.dtype() == core::DType::boolean ? id != 0 : id, counts[i]);
    }
    return core::listIds(std::move(found), values.dtype());
}

} // namespace gpu

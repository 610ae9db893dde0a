// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "core/io/sparse_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace core;

namespace {

/// Takes values from the input; 0 where it has ended.
class Source
{
public:
    Source(const std::uint8_t* data, std::size_t size) : m_data(data), m_left(size) {}

    std::uint8_t byte()
    {
        if (m_left == 0)
            return 0;
        --m_left;
        return *m_data++;
    }
    /// Small numbers mostly, and now and then one of 64 bits.
    std::int64_t number()
    {
        const std::uint8_t first = byte();
        if (first < 250)
            return first % 8;
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i)
            value = value << 8 | byte();
        return static_cast<std::int64_t>(value);
    }
    Tensor integers(Shape shape)
    {
        std::vector<std::int64_t> values(static_cast<std::size_t>(elementCount(shape)));
        for (auto& value : values)
            value = number();
        return Tensor::fromValues(DType::i64, std::move(shape), values);
    }
    Tensor values(DType dtype, Shape shape)
    {
        std::vector<std::byte> bytes(static_cast<std::size_t>(checkedProduct(elementCount(shape), itemSize(dtype))));
        for (auto& value : bytes)
            value = std::byte{byte()};
        if (dtype == DType::boolean)
            for (auto& value : bytes)
                value &= std::byte{1};
        return Tensor::contiguous(dtype, std::move(shape), Storage::fromVector(std::move(bytes)));
    }

private:
    const std::uint8_t* m_data;
    std::size_t m_left;
};

SparseTensor makeSparse(Source& source)
{
    constexpr DType dtypes[] = {DType::boolean, DType::u8,  DType::i16, DType::i64, DType::u64,
                                DType::f16,     DType::f32, DType::f64, DType::c64, DType::f8e4m3fn};
    SparseTensor tensor;
    tensor.kind = static_cast<StorageKind>(1 + source.byte() % 5);
    const DType dtype = dtypes[source.byte() % std::size(dtypes)];
    const int rank = source.byte() % 6;
    for (int axis = 0; axis < rank; ++axis)
        tensor.shape.push_back(source.number());
    const std::int64_t stored = source.byte() % 32;
    if (tensor.kind == StorageKind::coo) {
        const std::int64_t sparse = source.byte() % 6;
        tensor.indices = source.integers({sparse, stored});
        Shape shape{stored};
        for (std::int64_t axis = sparse; axis < rank; ++axis)
            shape.push_back(std::clamp<std::int64_t>(tensor.shape[static_cast<std::size_t>(axis)], 0, 8));
        tensor.values = source.values(dtype, shape);
        return tensor;
    }
    tensor.indices = source.integers({source.byte() % 10});
    tensor.plainIndices = source.integers({stored});
    const bool isBlocked = tensor.kind == StorageKind::bsr || tensor.kind == StorageKind::bsc;
    const std::int64_t side = 1 + source.byte() % 3;
    tensor.values = source.values(dtype, isBlocked ? Shape{stored, side, side} : Shape{stored});
    return tensor;
}

/// Asks everything there is; what is counted must be what a plane shows.
void ask(const LoadedTensor& tensor, Source& source)
{
    constexpr const char* conditions[] = {"!= 0", "> 1", "< 0.5", "== 0", "nan", "finite", "percentile 50", "otsu", "sigma 1"};
    Query query;
    query.where = Where::parse(conditions[source.byte() % std::size(conditions)]);
    query.where.perChannel = query.where.rule && source.byte() % 2;
    query.where.storedOnly = source.byte() % 2;
    query.hotSums = !isComplex(tensor.dtype());
    query.rows = RowWindow{source.byte(), 20};
    std::int64_t planes = tensor.extents().planes();
    const bool isSmall = planes > 0 && planes < 64 && tensor.extents().planeElements() < 4096;
    if (isSmall) {
        query.heatMaps = {{Reduction::count, false, std::nullopt}};
        for (std::int64_t plane = 0; plane < planes; ++plane)
            query.masks.push_back({plane / tensor.extents().channels, plane % tensor.extents().channels});
    }
    const Result result = tensor.run(query);
    tensor.statistics();
    std::int64_t rows = 0;
    tensor.coordinates(query.where, true, [&](const RowBlock& block) {
        rows += block.rows;
        return rows < 100000;
    });
    if (rows < 100000 && rows != result.count)
        std::abort();
    for (std::size_t plane = 0; isSmall && plane < result.masks.size(); ++plane) {
        const Tensor& mask = result.masks[plane];
        const auto hot = std::count(mask.data(), mask.data() + mask.elements(), std::byte{1});
        if (hot != result.counts[plane] && !query.where.storedOnly)
            std::abort();
    }
}

} // namespace

/// Sparse tensors of any kind, as readers hand them to the engine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto engine = makeCpuEngine(1);
    Source source(data, size);
    try {
        const SparseTensor tensor = makeSparse(source);
        io::checkSparse(tensor, "fuzz", {});
        auto selection = Selection::all(Layout::guess(static_cast<int>(tensor.shape.size()), false));
        if (source.byte() % 4 == 0 && !tensor.shape.empty())
            selection.fixed[source.byte() % tensor.shape.size()] = source.number();
        ask(*engine->load(tensor, selection), source);
    } catch (const Error&) {
    }
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sparse_canonical.h"

#include "core/engine/hot_test.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace core {
namespace {

constexpr std::int64_t checkEvery = 1 << 16;

[[noreturn]] void fail(const SparseTensor& tensor, std::string_view reason)
{
    throw Error(fmt::format("sparse {} tensor of shape {}: {}; the file is damaged, save it again",
                            storageKindName(tensor.kind), shapeText(tensor.shape), reason));
}

/// All numbers of an index tensor in row-major order.
std::vector<std::int64_t> readIndices(const Tensor& indices, const Job& job)
{
    constexpr std::size_t betweenChecks = std::size_t{1} << 16;
    const Tensor dense = indices.toContiguous();
    std::vector<std::int64_t> out(static_cast<std::size_t>(dense.elements()));
    withSeenType(dense.dtype(), [&](auto seen) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (i % betweenChecks == 0)
                job.check();
            std::memcpy(&seen, dense.data() + i * sizeof seen, sizeof seen);
            if constexpr (std::is_integral_v<decltype(seen)>)
                out[i] = static_cast<std::int64_t>(seen);
        }
    });
    return out;
}

/// Positions of the elements of one stored value (a scalar, a block, a dense part) relative to its first one.
std::vector<std::int64_t> offsetsOf(const Shape& part, const Strides& strides)
{
    std::vector<std::int64_t> offsets{0};
    for (std::size_t axis = 0; axis < part.size(); ++axis) {
        std::vector<std::int64_t> next;
        for (const std::int64_t offset : offsets)
            for (std::int64_t i = 0; i < part[axis]; ++i)
                next.push_back(offset + i * strides[axis]);
        offsets = std::move(next);
    }
    return offsets;
}

/// Collects first positions of stored values, with checks.
class Builder
{
public:
    Builder(const SparseTensor& tensor, const Job& job)
        : m_tensor(tensor), m_job(job), m_strides(contiguousStrides(tensor.shape))
    {
        // The product must not pass an int64: positions would not fit.
        (void)elementCount(tensor.shape);
    }

    CanonicalSparse build()
    {
        if (m_tensor.kind == StorageKind::coo)
            addCoo();
        else
            addCompressed();
        return finish();
    }

private:
    void check()
    {
        if (++m_steps % checkEvery == 0)
            m_job.check();
    }

    std::int64_t checkedIndex(std::int64_t index, std::int64_t extent, std::size_t axis) const
    {
        if (index < 0 || index >= extent)
            fail(m_tensor, fmt::format("index {} lies outside axis {}, which has {} entries", index, axis, extent));
        return index;
    }

    void addCoo()
    {
        const Shape& shape = m_tensor.shape;
        if (m_tensor.indices.rank() != 2 || m_tensor.indices.shape()[0] > static_cast<std::int64_t>(shape.size()))
            fail(m_tensor, "indices do not have the form [sparse axes, stored]");
        const auto sparseAxes = static_cast<std::size_t>(m_tensor.indices.shape()[0]);
        const std::int64_t stored = m_tensor.indices.shape()[1];
        Shape values(shape.begin() + static_cast<std::ptrdiff_t>(sparseAxes), shape.end());
        m_offsets = offsetsOf(values, Strides(m_strides.begin() + static_cast<std::ptrdiff_t>(sparseAxes), m_strides.end()));
        values.insert(values.begin(), stored);
        if (m_tensor.values.shape() != values)
            fail(m_tensor, fmt::format("values have shape {}, not {}", shapeText(m_tensor.values.shape()), shapeText(values)));
        const std::vector<std::int64_t> indices = readIndices(m_tensor.indices, m_job);
        for (std::int64_t i = 0; i < stored; ++i) {
            std::int64_t first = 0;
            for (std::size_t axis = 0; axis < sparseAxes; ++axis)
                first += m_strides[axis] *
                         checkedIndex(indices[axis * static_cast<std::size_t>(stored) + static_cast<std::size_t>(i)],
                                      shape[axis], axis);
            m_firsts.push_back(first);
            check();
        }
    }

    void addCompressed()
    {
        const bool isBlocked = m_tensor.kind == StorageKind::bsr || m_tensor.kind == StorageKind::bsc;
        const bool byRow = m_tensor.kind == StorageKind::csr || m_tensor.kind == StorageKind::bsr;
        const std::size_t batchAxes = static_cast<std::size_t>(std::max(m_tensor.indices.rank() - 1, 0));
        const Shape& shape = m_tensor.shape;
        const std::size_t valueAxes = batchAxes + 1;
        if (shape.size() < batchAxes + 2 || m_tensor.indices.rank() < 1 ||
            m_tensor.plainIndices.rank() != m_tensor.indices.rank() ||
            m_tensor.values.shape().size() != shape.size() + (isBlocked ? 1 : 0) - (isBlocked ? 0 : 1))
            fail(m_tensor, "pointers, indices and values do not fit the shape");
        // Block extents, then dense axes.
        Shape part;
        Strides steps;
        std::int64_t block[2] = {1, 1};
        for (std::size_t i = 0; isBlocked && i < 2; ++i) {
            block[i] = m_tensor.values.shape()[valueAxes + i];
            if (block[i] < 1 || shape[batchAxes + i] % block[i] != 0)
                fail(m_tensor, fmt::format("blocks of {} do not divide axis {}", block[i], batchAxes + i));
            part.push_back(block[i]);
            steps.push_back(m_strides[batchAxes + i]);
        }
        for (std::size_t axis = batchAxes + 2; axis < shape.size(); ++axis) {
            part.push_back(shape[axis]);
            steps.push_back(m_strides[axis]);
        }
        const Shape partOfValues(m_tensor.values.shape().begin() + static_cast<std::ptrdiff_t>(valueAxes),
                                 m_tensor.values.shape().end());
        if (part != partOfValues)
            fail(m_tensor, fmt::format("values have shape {}", shapeText(m_tensor.values.shape())));
        m_offsets = offsetsOf(part, steps);
        const std::size_t outer = batchAxes + (byRow ? 0 : 1);
        const std::size_t inner = batchAxes + (byRow ? 1 : 0);
        addPointers({batchAxes, outer, inner, shape[outer] / block[outer - batchAxes], shape[inner] / block[inner - batchAxes],
                     m_strides[outer] * block[outer - batchAxes], m_strides[inner] * block[inner - batchAxes]});
    }

    /// How pointers and plain indices become positions.
    struct Compressed
    {
        std::size_t batchAxes, outerAxis, innerAxis;
        std::int64_t outerExtent, innerExtent, outerStep, innerStep;
    };

    void addPointers(const Compressed& c)
    {
        const std::vector<std::int64_t> pointers = readIndices(m_tensor.indices, m_job);
        const std::vector<std::int64_t> plain = readIndices(m_tensor.plainIndices, m_job);
        const Shape batchShape(m_tensor.shape.begin(), m_tensor.shape.begin() + static_cast<std::ptrdiff_t>(c.batchAxes));
        const std::int64_t batches = elementCount(batchShape);
        const std::int64_t stored = m_tensor.plainIndices.shape().back();
        // Elements from one batch item to the next.
        const std::int64_t batchStep = c.batchAxes > 0 ? m_strides[c.batchAxes - 1] : 0;
        if (static_cast<std::int64_t>(pointers.size()) != batches * (c.outerExtent + 1) ||
            static_cast<std::int64_t>(plain.size()) != batches * stored || m_tensor.values.shape()[c.batchAxes] != stored)
            fail(m_tensor, "pointers, indices and values do not fit the shape");
        for (std::int64_t batch = 0; batch < batches; ++batch) {
            const std::int64_t* pointer = pointers.data() + batch * (c.outerExtent + 1);
            if (pointer[0] != 0 || pointer[c.outerExtent] != stored)
                fail(m_tensor, "pointers do not run from 0 to the number of stored values");
            for (std::int64_t outer = 0; outer < c.outerExtent; ++outer) {
                if (pointer[outer + 1] < pointer[outer] || pointer[outer + 1] > stored)
                    fail(m_tensor,
                         fmt::format("pointer {} falls from {} to {}", outer + 1, pointer[outer], pointer[outer + 1]));
                for (std::int64_t i = pointer[outer]; i < pointer[outer + 1]; ++i) {
                    const std::int64_t inner =
                        checkedIndex(plain[static_cast<std::size_t>(batch * stored + i)], c.innerExtent, c.innerAxis);
                    m_firsts.push_back(batch * batchStep + outer * c.outerStep + inner * c.innerStep);
                    check();
                }
            }
        }
    }

    CanonicalSparse finish();

    const SparseTensor& m_tensor;
    const Job& m_job;
    Strides m_strides;
    std::vector<std::int64_t> m_firsts;
    std::vector<std::int64_t> m_offsets;
    std::int64_t m_steps = 0;
};

Half add(Half a, Half b)
{
    return toHalf(toFloat(a) + toFloat(b));
}
BFloat16 add(BFloat16 a, BFloat16 b)
{
    return toBFloat16(toFloat(a) + toFloat(b));
}
float add(float a, float b)
{
    return a + b;
}
double add(double a, double b)
{
    return a + b;
}
template <class T>
T add(T a, T b)
{
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <class T>
void addBytes(std::byte* to, const std::byte* from)
{
    T a;
    T b;
    std::memcpy(&a, to, sizeof a);
    std::memcpy(&b, from, sizeof b);
    a = add(a, b);
    std::memcpy(to, &a, sizeof a);
}

/// The 8-bit float nearest to the sum; PyTorch has no such addition.
void addFloat8(DType dtype, std::byte* to, const std::byte* from)
{
    const float sum =
        float8ToFloat(dtype, std::to_integer<std::uint8_t>(*to)) + float8ToFloat(dtype, std::to_integer<std::uint8_t>(*from));
    float nearest = std::numeric_limits<float>::infinity();
    for (int code = 0; code < 256; ++code) {
        const float candidate = float8ToFloat(dtype, static_cast<std::uint8_t>(code));
        const bool isSame = candidate == sum || (std::isnan(candidate) && std::isnan(sum));
        const float distance = isSame ? -1 : std::abs(candidate - sum);
        if (distance < nearest) {
            nearest = distance;
            *to = static_cast<std::byte>(code);
        }
    }
}

void addElement(DType dtype, std::byte* to, const std::byte* from)
{
    if (isFloat8(dtype))
        return addFloat8(dtype, to, from);
    if (dtype == DType::boolean) {
        *to |= *from;
        return;
    }
    const DType part = dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype;
    const int size = itemSize(part);
    for (int at = 0; at < itemSize(dtype); at += size)
        withSeenType(part, [&](auto seen) { addBytes<decltype(seen)>(to + at, from + at); });
}

CanonicalSparse Builder::finish()
{
    const Tensor stored = m_tensor.values.toContiguous();
    const int size = itemSize(m_tensor.dtype());
    const std::size_t parts = m_offsets.size();
    std::vector<std::int64_t> positions;
    positions.reserve(m_firsts.size() * parts);
    for (const std::int64_t first : m_firsts)
        for (const std::int64_t offset : m_offsets) {
            positions.push_back(first + offset);
            check();
        }
    if (static_cast<std::int64_t>(positions.size()) != stored.elements())
        fail(m_tensor, "values and indices differ in number");
    std::vector<std::int64_t> order(positions.size());
    std::iota(order.begin(), order.end(), 0);
    // Stable, so that duplicates are added in the order stored. A sort has no other place to see a stop.
    const bool isSorted = std::is_sorted(positions.begin(), positions.end(), [&](std::int64_t a, std::int64_t b) {
        check();
        return a < b;
    });
    if (!isSorted)
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            check();
            return positions[static_cast<std::size_t>(a)] < positions[static_cast<std::size_t>(b)];
        });
    CanonicalSparse out;
    for (const std::int64_t from : order) {
        const std::byte* value = stored.data() + from * size;
        const std::int64_t position = positions[static_cast<std::size_t>(from)];
        if (!out.positions.empty() && out.positions.back() == position) {
            addElement(m_tensor.dtype(), out.values.data() + out.values.size() - static_cast<std::size_t>(size), value);
        } else {
            out.positions.push_back(position);
            out.values.insert(out.values.end(), value, value + size);
        }
        check();
    }
    return out;
}

} // namespace

CanonicalSparse canonicalise(const SparseTensor& tensor, const Job& job)
{
    tensor.indices.storage().verify();
    tensor.plainIndices.storage().verify();
    tensor.values.storage().verify();
    CanonicalSparse out = Builder(tensor, job).build();
    tensor.values.storage().verify();
    return out;
}

} // namespace core

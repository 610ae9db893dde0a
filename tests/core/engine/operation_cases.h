// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "tests/core/engine/cases.h"
#include "tests/support/vector_targets.h"

#include <cstring>

/// What the tests of labels, select and norms share.
namespace operations {

/// Calls check(case) for every dtype and way to lie in memory, `seeds` times each, under every vector target.
template <class Check>
void forCases(int seeds, Check check)
{
    for (const std::int64_t target : support::vectorTargets()) {
        const support::HeldTarget held(target);
        std::uint64_t seed = 0;
        for (const core::DType dtype : support::allDTypes)
            for (const support::Strides strides : support::allStrides)
                for (int i = 0; i < seeds; ++i)
                    check(naive::makeCase(++seed, dtype, strides));
    }
}

/// The nonzero elements of a contiguous tensor (by their bits), as COO.
inline core::SparseTensor toSparse(const core::Tensor& tensor)
{
    const auto size = static_cast<std::size_t>(core::itemSize(tensor.dtype()));
    const std::vector<std::byte> zero(size);
    std::vector<std::int64_t> positions;
    std::vector<std::byte> values;
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        const std::byte* at = tensor.data() + i * static_cast<std::int64_t>(size);
        if (std::memcmp(at, zero.data(), size) == 0)
            continue;
        positions.push_back(i);
        values.insert(values.end(), at, at + size);
    }
    const auto count = static_cast<std::int64_t>(positions.size());
    const core::Strides strides = core::contiguousStrides(tensor.shape());
    std::vector<std::int64_t> indices;
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis)
        for (const std::int64_t position : positions)
            indices.push_back(position / strides[axis] % tensor.shape()[axis]);
    core::SparseTensor sparse;
    sparse.shape = tensor.shape();
    sparse.indices = core::Tensor::fromValues(core::DType::i64, {tensor.rank(), count}, indices);
    sparse.values = core::Tensor::contiguous(tensor.dtype(), {count}, core::Storage::fromVector(std::move(values)));
    return sparse;
}

/// A random contiguous tensor of which `part` in ten elements are left, the others 0.
inline core::Tensor mostlyZero(core::DType dtype, const core::Shape& shape, int part, support::Random& random)
{
    const core::Tensor full = support::randomTensor(dtype, shape, support::Strides::contiguous, random);
    std::vector<std::byte> bytes(full.data(), full.data() + full.bytes());
    const auto size = static_cast<std::size_t>(core::itemSize(dtype));
    for (std::size_t i = 0; i < bytes.size(); i += size)
        if (random() % 10 >= static_cast<unsigned>(part))
            std::memset(bytes.data() + i, 0, size);
    return core::Tensor::contiguous(dtype, shape, core::Storage::fromVector(std::move(bytes)));
}

} // namespace operations

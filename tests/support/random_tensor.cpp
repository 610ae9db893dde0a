// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace core;

namespace support {
namespace {

template <class T>
void put(std::byte* to, T value)
{
    std::memcpy(to, &value, sizeof value);
}

template <class T>
T get(const std::byte* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
T randomInteger(Random& random)
{
    using Limits = std::numeric_limits<T>;
    switch (random() % 40) {
    case 0:
        return Limits::min();
    case 1:
        return Limits::max();
    case 2:
        return static_cast<T>(random());
    default:
        return static_cast<T>(static_cast<std::int64_t>(random() % 41) - (Limits::is_signed ? 20 : 0));
    }
}

double randomReal(Random& random, bool special)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double specials[] = {std::nan(""), inf, -inf, -0.0, 0.0, 1e-40, -1e-310, 1e30, -65504, 16777217};
    if (random() % 20 == 0)
        return specials[(special ? 0 : 3) + random() % (special ? 10 : 7)];
    if (random() % 2)
        return static_cast<double>(static_cast<std::int64_t>(random() % 17) - 8) / 4;
    return std::normal_distribution<double>(0, 2)(random);
}

/// Held to the finite range when infinities are left out.
double randomHalf(Random& random, bool special)
{
    const double value = randomReal(random, special);
    return special ? value : std::clamp(value, -65504.0, 65504.0);
}

void putRandom(DType dtype, std::byte* to, Random& random, bool special)
{
    switch (dtype) {
    case DType::boolean:
        return put(to, static_cast<std::uint8_t>(random() % 2));
    case DType::u8:
        return put(to, randomInteger<std::uint8_t>(random));
    case DType::i8:
        return put(to, randomInteger<std::int8_t>(random));
    case DType::u16:
        return put(to, randomInteger<std::uint16_t>(random));
    case DType::i16:
        return put(to, randomInteger<std::int16_t>(random));
    case DType::u32:
        return put(to, randomInteger<std::uint32_t>(random));
    case DType::i32:
        return put(to, randomInteger<std::int32_t>(random));
    case DType::u64:
        return put(to, randomInteger<std::uint64_t>(random));
    case DType::i64:
        return put(to, randomInteger<std::int64_t>(random));
    case DType::f16:
        return put(to, toHalf(static_cast<float>(randomHalf(random, special))));
    case DType::bf16:
        return put(to, toBFloat16(static_cast<float>(randomReal(random, special))));
    case DType::f32:
        return put(to, static_cast<float>(randomReal(random, special)));
    case DType::f64:
        return put(to, randomReal(random, special));
    case DType::c64:
        put(to, static_cast<float>(randomReal(random, special)));
        return put(to + 4, random() % 3 ? static_cast<float>(randomReal(random, special)) : 0.0f);
    case DType::c128:
        put(to, randomReal(random, special));
        return put(to + 8, random() % 3 ? randomReal(random, special) : 0.0);
    default:
        break;
    }
    std::uint8_t bits = static_cast<std::uint8_t>(random());
    while (!special && !std::isfinite(float8ToFloat(dtype, bits)))
        bits = static_cast<std::uint8_t>(random());
    put(to, bits);
}

} // namespace

const char* stridesName(Strides strides)
{
    constexpr const char* names[] = {"contiguous", "permuted",      "every second", "reversed",
                                     "expanded",   "channels-last", "unaligned"};
    return names[static_cast<int>(strides)];
}

Tensor randomTensor(DType dtype, const Shape& shape, Strides strides, Random& random, bool special)
{
    const auto rank = shape.size();
    // Order of the axes in memory, outermost first.
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0u);
    if (strides == Strides::permuted)
        std::shuffle(order.begin(), order.end(), random);
    if (strides == Strides::channelsLast && rank >= 3) {
        const std::size_t channel = rank >= 4 ? 1 : 0;
        std::rotate(order.begin() + static_cast<std::ptrdiff_t>(channel),
                    order.begin() + static_cast<std::ptrdiff_t>(channel) + 1, order.end());
    }
    const std::int64_t spread = strides == Strides::everySecond ? 2 : 1;
    const std::size_t repeated = strides == Strides::expanded && rank > 0 ? random() % rank : rank;
    core::Strides steps(rank);
    std::int64_t step = 1;
    for (std::size_t i = rank; i-- > 0;) {
        const std::size_t axis = order[i];
        steps[axis] = axis == repeated ? 0 : step;
        step *= axis == repeated ? 1 : std::max(shape[axis], std::int64_t{1}) * spread;
    }
    std::int64_t first = 0;
    if (strides == Strides::reversed)
        for (std::size_t axis = 0; axis < rank; ++axis)
            if (shape[axis] > 0 && random() % 2) {
                first += (shape[axis] - 1) * steps[axis];
                steps[axis] = -steps[axis];
            }
    const std::int64_t offset = strides == Strides::unaligned ? 3 : 0;
    const int size = itemSize(dtype);
    std::vector<std::byte> bytes(static_cast<std::size_t>(step * size + offset));
    for (std::int64_t i = 0; i < step; ++i)
        putRandom(dtype, bytes.data() + offset + i * size, random, special);
    return Tensor(dtype, shape, steps, Storage::fromVector(std::move(bytes)), offset + first * size);
}

long double realPart(DType dtype, const std::byte* element)
{
    switch (dtype) {
    case DType::boolean:
    case DType::u8:
        return get<std::uint8_t>(element);
    case DType::i8:
        return get<std::int8_t>(element);
    case DType::u16:
        return get<std::uint16_t>(element);
    case DType::i16:
        return get<std::int16_t>(element);
    case DType::u32:
        return get<std::uint32_t>(element);
    case DType::i32:
        return get<std::int32_t>(element);
    case DType::u64:
        return static_cast<long double>(get<std::uint64_t>(element));
    case DType::i64:
        return static_cast<long double>(get<std::int64_t>(element));
    case DType::f16:
        return toFloat(get<Half>(element));
    case DType::bf16:
        return toFloat(get<BFloat16>(element));
    case DType::f32:
    case DType::c64:
        return get<float>(element);
    case DType::f64:
    case DType::c128:
        return get<double>(element);
    default:
        return float8ToFloat(dtype, get<std::uint8_t>(element));
    }
}

long double imaginaryPart(DType dtype, const std::byte* element)
{
    if (dtype == DType::c64)
        return get<float>(element + 4);
    return dtype == DType::c128 ? get<double>(element + 8) : 0.0L;
}

const std::byte* elementAt(const Tensor& tensor, const std::vector<std::int64_t>& indices)
{
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < indices.size(); ++axis)
        offset += indices[axis] * tensor.strides()[axis];
    return tensor.data() + offset * itemSize(tensor.dtype());
}

} // namespace support

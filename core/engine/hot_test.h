// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"
#include "core/engine/kernels.h"
#include "core/engine/predicate.h"

#include <optional>
#include <vector>

namespace core {

/// Calls work(T{}) with the type in which kernels see a dtype: the stored type; float for 8-bit floats; double for complex
/// values, of which kernels see the magnitudes.
template <class Work>
auto withSeenType(DType dtype, Work work)
{
    switch (dtype) {
    case DType::boolean:
    case DType::u8:
        return work(std::uint8_t{});
    case DType::i8:
        return work(std::int8_t{});
    case DType::u16:
        return work(std::uint16_t{});
    case DType::i16:
        return work(std::int16_t{});
    case DType::u32:
        return work(std::uint32_t{});
    case DType::i32:
        return work(std::int32_t{});
    case DType::u64:
        return work(std::uint64_t{});
    case DType::i64:
        return work(std::int64_t{});
    case DType::f16:
        return work(Half{});
    case DType::bf16:
        return work(BFloat16{});
    case DType::f64:
    case DType::c64:
    case DType::c128:
        return work(double{});
    default:
        return work(float{});
    }
}

/// A seen value in its compare type.
template <class Seen>
CompareOf<Seen> toCompare(Seen value)
{
    if constexpr (std::is_same_v<Seen, Half> || std::is_same_v<Seen, BFloat16>)
        return toFloat(value);
    else
        return value;
}

/// Bytes of an element as kernels see it.
int seenSize(DType dtype);

/// How complex values become the float64 values that kernels see: hot ones their magnitude (>= 0, or NaN), cold ones -1.
/// Without a kind all are hot, and those with a NaN part are NaN.
struct ComplexView
{
    std::optional<ConditionKind> kind;
    /// On the real part (==, !=) or the magnitude (abs), for complex64 and complex128.
    Predicate<float> single{};
    Predicate<double> twice{};

    /// Value seen of a complex64 or complex128 element. The magnitude is torch.abs, of complex64 rounded to float32.
    double see(DType dtype, const std::byte* element) const;
};

/// A condition made ready for a dtype: one for all channels, or one per channel (where most channels are empty, one for each of
/// the others and one for all those). A missing condition is met by nothing.
class HotTest
{
public:
    /// Throws Error when a condition has no meaning for the dtype (order of complex values).
    HotTest(DType dtype, Comparison comparison, std::vector<std::optional<Condition>> conditions);
    /// One condition for each of some channels (ascending) and, unless these are all, a last one for the others.
    HotTest(DType dtype, Comparison comparison, std::vector<std::int64_t> channels,
            std::vector<std::optional<Condition>> conditions);
    /// What every element meets.
    static HotTest everything(DType dtype);

    bool isPerChannel() const { return m_conditions.size() > 1; }
    std::size_t conditionCount() const { return m_conditions.size(); }
    /// How many of the conditions, counted from the first, hold for one channel only.
    std::size_t ownConditions() const { return m_channels.empty() ? m_conditions.size() : m_channels.size(); }
    /// The next channel at which another condition may begin; nothing past the last.
    std::optional<std::int64_t> nextCondition(std::int64_t channel) const;
    /// Which of the conditions a channel has.
    std::size_t conditionOf(std::int64_t channel) const;
    /// Of each condition the thresholds compared.
    std::vector<Threshold> thresholds() const;
    /// What a BlockReader needs to know.
    ComplexView complexView() const;

    /// Predicate on seen values for a channel position.
    template <class Seen>
    Predicate<CompareOf<Seen>> predicate(std::int64_t channel) const
    {
        return predicateOf<Seen>(conditionOf(channel));
    }
    /// The same of a condition.
    template <class Seen>
    Predicate<CompareOf<Seen>> predicateOf(std::size_t condition) const;
    /// The same of all conditions.
    template <class Seen>
    std::vector<Predicate<CompareOf<Seen>>> predicates() const
    {
        std::vector<Predicate<CompareOf<Seen>>> predicates;
        for (std::size_t condition = 0; condition < conditionCount(); ++condition)
            predicates.push_back(predicateOf<Seen>(condition));
        return predicates;
    }

private:
    explicit HotTest(DType dtype) : m_dtype(dtype), m_isEverything(true) {}

    DType m_dtype;
    Comparison m_comparison = Comparison::torch;
    std::vector<std::optional<Condition>> m_conditions{std::nullopt};
    /// Channels of the conditions; empty: condition i is channel i's.
    std::vector<std::int64_t> m_channels;
    bool m_isEverything = false;
};

} // namespace core

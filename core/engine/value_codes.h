// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/hot_test.h"
#include "core/engine/kernels_codes.h"
#include "core/engine/plane_grid.h"

#include <memory>
#include <utility>
#include <vector>

namespace core {

/// What codes know of a condition.
struct CodeAnswer
{
    CodeTest test;
    /// Bins of a TensorIndex all of whose elements are hot: [first, second).
    std::vector<std::pair<int, int>> hotBins;
    bool nanHot = false;
    /// Part of all elements that has to be looked at.
    double openShare = 0;
    /// False: an answer that is only near.
    bool isExact = true;
};

/// A byte per element that keeps the order of the values: a quarter of the bytes to read, and the elements of at most two codes
/// to be looked at, whatever the condition. NaN has a code of its own, so has +inf.
class ValueCodes
{
public:
    virtual ~ValueCodes() = default;

    /// What a condition of a test means; nothing where one interval of codes cannot say it. near: a code that lies on both
    /// sides of a bound goes to the side that has more of it, and nothing is left open.
    virtual std::optional<CodeAnswer> answer(const HotTest& test, std::size_t condition, bool near = false) const = 0;

    /// Codes of a plane, in the order of its elements.
    const std::uint8_t* plane(std::int64_t batch, std::int64_t channel) const
    {
        return m_first + batch * m_batchStride + channel * m_channelStride;
    }
    std::int64_t channelStride() const { return m_channelStride; }

    /// A code between CodeTest::regularFirst and the last regular one stands for base + step * code.
    double base() const { return m_base; }
    double step() const { return m_step; }
    /// Whether that is the value itself, not only near it.
    bool areValues() const { return m_areValues; }
    /// Bytes of the element that a code stands for.
    int valueBytes() const { return m_valueBytes; }

protected:
    const std::uint8_t* m_first = nullptr;
    std::int64_t m_batchStride = 0;
    std::int64_t m_channelStride = 0;
    double m_base = 0;
    double m_step = 1;
    bool m_areValues = false;
    int m_valueBytes = 1;
};

/// What a condition means for elements of 8 bits that are their own codes (Stored: std::uint8_t or std::int8_t); nothing where
/// one interval cannot say it. Codes stand for `lowest + code`.
template <class Stored>
std::optional<CodeTest> ownCodeTest(const Predicate<CompareOf<Stored>>& predicate);

/// The elements of an 8-bit integer or bool tensor, which are their own codes. Null for other dtypes, and where planes are not
/// contiguous. Keeps a reference.
std::shared_ptr<const ValueCodes> ownCodes(const PlaneGrid& grid);

/// What must hold of each code, to be said as one interval modulo 256.
enum class CodeState : std::uint8_t { any, cold, hot };
/// Fills first, width and isNone of a test; false where that takes more than one interval.
bool findInterval(const CodeState (&states)[256], CodeTest& test);

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/value_codes.h"

#include <algorithm>

namespace core {
namespace {

template <class Stored>
class OwnCodes : public ValueCodes
{
public:
    explicit OwnCodes(const PlaneGrid& grid)
    {
        m_first = reinterpret_cast<const std::uint8_t*>(grid.base);
        m_batchStride = grid.batchStride;
        m_channelStride = grid.channelStride;
        m_base = std::numeric_limits<Stored>::lowest();
        m_areValues = true;
    }

    std::optional<CodeAnswer> answer(const HotTest& test, std::size_t condition, bool) const override
    {
        const auto codeTest = ownCodeTest<Stored>(test.predicateOf<Stored>(condition));
        if (!codeTest)
            return std::nullopt;
        CodeAnswer answer;
        answer.test = *codeTest;
        return answer;
    }
};

} // namespace

template <class Stored>
std::optional<CodeTest> ownCodeTest(const Predicate<CompareOf<Stored>>& predicate)
{
    constexpr int lowest = std::numeric_limits<Stored>::lowest();
    CodeState states[256];
    for (int code = 0; code < 256; ++code)
        states[code] = predicate(static_cast<Stored>(code + lowest)) ? CodeState::hot : CodeState::cold;
    CodeTest test;
    test.bias = std::is_signed_v<Stored> ? 0x80 : 0;
    return findInterval(states, test) ? std::optional(test) : std::nullopt;
}

template std::optional<CodeTest> ownCodeTest<std::uint8_t>(const Predicate<CompareOf<std::uint8_t>>&);
template std::optional<CodeTest> ownCodeTest<std::int8_t>(const Predicate<CompareOf<std::int8_t>>&);

std::shared_ptr<const ValueCodes> ownCodes(const PlaneGrid& grid)
{
    if (!grid.plane.isOneRun() || grid.plane.innerStride() != 1)
        return nullptr;
    if (grid.dtype == DType::u8 || grid.dtype == DType::boolean)
        return std::make_shared<OwnCodes<std::uint8_t>>(grid);
    if (grid.dtype == DType::i8)
        return std::make_shared<OwnCodes<std::int8_t>>(grid);
    return nullptr;
}

bool findInterval(const CodeState (&states)[256], CodeTest& test)
{
    const auto known = [&](int code) { return states[code] != CodeState::any; };
    int firstHot = -1;
    int lastHot = -1;
    int begins = 0;
    bool isAnyCold = false;
    // Once around from a code that is known, so that every beginning of a hot stretch is seen once.
    int start = 0;
    while (start < 256 && !known(start))
        ++start;
    if (start == 256) {
        test.isNone = true;
        return true;
    }
    CodeState before = states[start];
    for (int i = 1; i <= 256; ++i) {
        const int code = (start + i) % 256;
        if (!known(code))
            continue;
        if (states[code] == CodeState::hot) {
            if (before == CodeState::cold) {
                ++begins;
                firstHot = code;
            }
        } else {
            isAnyCold = true;
            if (before == CodeState::hot) {
                lastHot = code;
                do
                    lastHot = (lastHot + 255) % 256;
                while (states[lastHot] != CodeState::hot);
            }
        }
        before = states[code];
    }
    test.isNone = firstHot < 0 && (isAnyCold || states[start] != CodeState::hot);
    if (test.isNone)
        return true;
    if (!isAnyCold) {
        test.first = 0;
        test.width = 255;
        return true;
    }
    test.first = static_cast<std::uint8_t>(firstHot);
    test.width = static_cast<std::uint8_t>(lastHot - firstHot);
    return begins == 1;
}

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bin_codes.h"

#include "core/engine/stored_types.h"

#include <algorithm>
#include <limits>

namespace core {
namespace {

void addHotBins(CodeAnswer& answer, int first, int last)
{
    if (!answer.hotBins.empty() && answer.hotBins.back().second == first)
        answer.hotBins.back().second = last;
    else
        answer.hotBins.emplace_back(first, last);
}

} // namespace

template <class Seen>
BinCodes<Seen>::BinCodes(const BinEdges<Seen>& edges, const Extents& extents, const std::shared_ptr<BufferPool>& pool)
    : m_edges(edges), m_elements(extents.elements()), m_memory(pool, static_cast<std::size_t>(m_elements)),
      m_scale(makeCodeScale(edges.binning().bins))
{
    const int bins = edges.binning().bins;
    m_codeCount = codeOfBin(bins - 1, m_scale) + 1;
    for (int bin = 0; bin < bins; ++bin)
        if (codeOfBin(bin, m_scale) == std::ssize(m_firstBin))
            m_firstBin.push_back(bin);
    m_firstBin.push_back(bins);
    m_first = bytes();
    m_valueBytes = sizeof(Seen);
    m_channelStride = extents.planeElements();
    m_batchStride = m_channelStride * extents.channels;
    findRegular();
}

template <class Seen>
void BinCodes<Seen>::setTotals(std::vector<std::int64_t> totals, std::int64_t nanTotal)
{
    m_totals = std::move(totals);
    m_nanTotal = nanTotal;
}

/// The codes of the middle piece stand for values by their distance: the middle of a code's bins.
template <class Seen>
void BinCodes<Seen>::findRegular()
{
    const auto& binning = m_edges.binning();
    int first = m_codeCount;
    int last = -1;
    for (int code = m_edges.hasNegativeInf() ? 1 : 0; code < m_codeCount; ++code)
        if (m_firstBin[static_cast<std::size_t>(code)] >= static_cast<int>(binning.middleBin) &&
            m_firstBin[static_cast<std::size_t>(code) + 1] <= static_cast<int>(binning.highBin)) {
            first = std::min(first, code);
            last = code;
        }
    if (last < 0 || !(binning.middleScale > 0)) {
        // Every hot element is looked at: no code stands for anything.
        m_regularFirst = nanCode;
        m_regularWidth = 0;
        return;
    }
    m_regularFirst = static_cast<std::uint8_t>(first);
    m_regularWidth = static_cast<std::uint8_t>(last - first);
    const double binsOfCode = m_scale.factor ? 65536.0 / m_scale.factor : 1;
    const bool isBinPerValue = std::is_integral_v<Seen> && binning.middleScale == 1 && binning.prescale == 1;
    const double middle = isBinPerValue ? (binsOfCode - 1) / 2 : binsOfCode / 2;
    const double scale = static_cast<double>(binning.middleScale) * static_cast<double>(binning.prescale);
    m_step = binsOfCode / scale;
    m_base = static_cast<double>(binning.low) / static_cast<double>(binning.prescale) +
             (middle - static_cast<double>(binning.middleBin)) / scale;
}

template <class Seen>
typename BinCodes<Seen>::Parts BinCodes<Seen>::partsOf(int code, const Predicate<Compare>& predicate) const
{
    Parts parts;
    const bool isEmpty = !(predicate.lo <= predicate.hi);
    const std::int64_t from = isEmpty ? 0 : firstKeyFrom<Seen>(predicate.lo);
    const std::int64_t to = isEmpty ? 0 : lastKeyTo<Seen>(predicate.hi);
    const int end = std::min(m_firstBin[static_cast<std::size_t>(code) + 1], m_edges.bins());
    for (int bin = m_firstBin[static_cast<std::size_t>(code)]; bin < end; ++bin) {
        const std::int64_t total = m_totals[static_cast<std::size_t>(bin)];
        if (total == 0)
            continue;
        const std::int64_t low = m_edges.firstKey(bin);
        const std::int64_t high = m_edges.lastKey(bin);
        const bool isInside = !isEmpty && from <= low && high <= to;
        const bool isOutside = isEmpty || high < from || to < low;
        if (!isInside && !isOutside)
            parts.open += total;
        else
            (isInside != predicate.invert ? parts.hot : parts.cold) += total;
    }
    return parts;
}

template <class Seen>
std::optional<CodeAnswer> BinCodes<Seen>::answer(const HotTest& test, std::size_t condition, bool near) const
{
    const auto& binning = m_edges.binning();
    const auto predicate = test.predicateOf<Seen>(condition);
    CodeAnswer out;
    out.nanHot = predicate.nanHot;
    CodeState states[256] = {};
    std::int64_t open = 0;
    int mixed = 0;
    for (int code = 0; code < m_codeCount; ++code) {
        const Parts parts = partsOf(code, predicate);
        if (parts.hot == 0 && parts.cold == 0 && parts.open == 0)
            continue;
        const bool isMixed = parts.open > 0 || (parts.hot > 0 && parts.cold > 0);
        if (isMixed && near) {
            states[code] = parts.hot > parts.cold ? CodeState::hot : CodeState::cold;
            out.isExact = false;
        } else if (isMixed) {
            open += parts.open + parts.hot + parts.cold;
            out.test.mixed[mixed ? 1 : 0] = static_cast<std::uint8_t>(code);
            ++mixed;
        } else {
            states[code] = parts.hot > 0 ? CodeState::hot : CodeState::cold;
            if (parts.hot > 0)
                addHotBins(out, m_firstBin[static_cast<std::size_t>(code)], m_firstBin[static_cast<std::size_t>(code) + 1]);
        }
    }
    if (m_totals[static_cast<std::size_t>(binning.infinityBin())] > 0) {
        const bool hot = predicate(static_cast<Compare>(std::numeric_limits<Compare>::infinity()));
        states[infinityCode] = hot ? CodeState::hot : CodeState::cold;
        if (hot)
            addHotBins(out, binning.infinityBin(), binning.nanBin());
    }
    if (m_nanTotal > 0)
        states[nanCode] = predicate.nanHot ? CodeState::hot : CodeState::cold;
    for (int code = 0; code < 256; ++code)
        if (code < m_regularFirst || code > m_regularFirst + m_regularWidth)
            out.test.hasIrregular = out.test.hasIrregular || states[code] == CodeState::hot;
    if (mixed == 1)
        out.test.mixed[1] = out.test.mixed[0];
    out.test.hasMixed = mixed > 0;
    out.test.regularFirst = m_regularFirst;
    out.test.regularWidth = m_regularWidth;
    out.openShare = static_cast<double>(open) / static_cast<double>(m_elements);
    return mixed <= 2 && findInterval(states, out.test) ? std::optional(out) : std::nullopt;
}

#define ACTISCOPE_INSTANTIATE(Stored) template class BinCodes<Stored>;
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core

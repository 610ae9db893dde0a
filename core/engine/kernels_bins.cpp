// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/binning.h"
#include "core/engine/stored_types.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_bins.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_BINS_ONCE
#define ACTISCOPE_KERNELS_BINS_ONCE
namespace core {
namespace {

template <class Stored>
struct BinEntry
{
    void (*find)(const std::byte*, std::int64_t, const Binning<MapType<Stored>>&, std::uint16_t*);
};
using BinTable = StoredTable<BinEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

template <class Stored>
MapType<Stored> loadWorkOne(const std::byte* at)
{
    Stored value;
    std::memcpy(&value, at, sizeof(Stored));
    if constexpr (std::is_same_v<Stored, CompareOf<Stored>>)
        return static_cast<MapType<Stored>>(value);
    else
        return toFloat(value);
}

/// One value: the order of operations is that of the vectors below.
template <class Work>
std::uint16_t binOf(Work value, const Binning<Work>& b)
{
    if (value != value)
        return static_cast<std::uint16_t>(b.nanBin());
    if (value == std::numeric_limits<Work>::infinity())
        return static_cast<std::uint16_t>(b.infinityBin());
    Work held = value < b.min ? b.min : value;
    held = held > b.max ? b.max : held;
    held *= b.prescale;
    Work begin = b.low;
    Work scale = b.middleScale;
    Work first = b.middleBin;
    Work end = b.highBin;
    if (held < b.low) {
        begin = b.min * b.prescale;
        scale = b.lowScale;
        first = 0;
        end = b.middleBin;
    } else if (held > b.high) {
        begin = b.high;
        scale = b.highScale;
        first = b.highBin;
        end = static_cast<Work>(b.bins);
    }
    const Work bin = (held - begin) * scale + first;
    return static_cast<std::uint16_t>(bin < end - 1 ? bin : end - 1);
}

#if ACTISCOPE_PLAIN

template <class Stored>
void find(const std::byte* values, std::int64_t n, const Binning<MapType<Stored>>& binning, std::uint16_t* bins)
{
    for (std::int64_t i = 0; i < n; ++i)
        bins[i] = binOf(loadWorkOne<Stored>(values + i * static_cast<std::int64_t>(sizeof(Stored))), binning);
}

#else

template <class Work>
class Binner
{
public:
    using D = hn::ScalableTag<Work>;
    using V = hn::Vec<D>;
    /// As wide as Work in memory: one bin per lane.
    using DB = hn::Rebind<std::uint16_t, D>;

    explicit Binner(const Binning<Work>& b)
        : m_min(set(b.min)), m_max(set(b.max)), m_prescale(set(b.prescale)), m_begin(set(b.min * b.prescale)),
          m_low(set(b.low)), m_high(set(b.high)), m_lowScale(set(b.lowScale)), m_middleScale(set(b.middleScale)),
          m_highScale(set(b.highScale)), m_middleBin(set(b.middleBin)), m_highBin(set(b.highBin)),
          m_lowLast(set(b.middleBin - 1)), m_middleLast(set(b.highBin - 1)), m_highLast(set(static_cast<Work>(b.bins) - 1)),
          m_infinityBin(set(static_cast<Work>(b.infinityBin()))), m_nanBin(set(static_cast<Work>(b.nanBin()))),
          m_isOnePiece(b.middleBin == 0 && b.highBin == static_cast<Work>(b.bins))
    {
    }

    /// One piece, bounded and not prescaled: what is left of the steps below gives the same bins.
    HWY_INLINE hn::Vec<DB> simple(V value) const
    {
        return narrow(hn::Min(hn::Mul(hn::Sub(value, m_low), m_middleScale), m_middleLast));
    }

    HWY_INLINE hn::Vec<DB> operator()(V value) const
    {
        const D d;
        const V held = hn::Mul(hn::Min(hn::Max(value, m_min), m_max), m_prescale);
        V bin = hn::Min(hn::Add(hn::Mul(hn::Sub(held, m_low), m_middleScale), m_middleBin), m_middleLast);
        if (!m_isOnePiece) {
            const V below = hn::Min(hn::Mul(hn::Sub(held, m_begin), m_lowScale), m_lowLast);
            const V above = hn::Min(hn::Add(hn::Mul(hn::Sub(held, m_high), m_highScale), m_highBin), m_highLast);
            bin = hn::IfThenElse(hn::Lt(held, m_low), below, bin);
            bin = hn::IfThenElse(hn::Gt(held, m_high), above, bin);
        }
        bin = hn::IfThenElse(hn::Eq(value, hn::Set(d, std::numeric_limits<Work>::infinity())), m_infinityBin, bin);
        bin = hn::IfThenElse(hn::IsNaN(value), m_nanBin, bin);
        return narrow(bin);
    }

private:
    static HWY_INLINE hn::Vec<DB> narrow(V bin)
    {
        const hn::Rebind<std::int32_t, D> di;
        if constexpr (sizeof(Work) == 4)
            return hn::DemoteTo(DB(), hn::ConvertTo(di, bin));
        else
            return hn::DemoteTo(DB(), hn::DemoteTo(di, bin));
    }

    static HWY_INLINE V set(Work value) { return hn::Set(D(), value); }

    V m_min, m_max, m_prescale, m_begin, m_low, m_high, m_lowScale, m_middleScale, m_highScale, m_middleBin, m_highBin,
        m_lowLast, m_middleLast, m_highLast, m_infinityBin, m_nanBin;
    bool m_isOnePiece;
};

template <class Stored, bool isSimple>
void findAs(const std::byte* values, std::int64_t n, const Binning<MapType<Stored>>& binning, std::uint16_t* bins)
{
    using Work = MapType<Stored>;
    using D = hn::ScalableTag<Work>;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
    const Binner<Work> binner(binning);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const std::byte* const at = values + i * static_cast<std::int64_t>(sizeof(Stored));
        const auto value = [&]() HWY_ATTR {
            if constexpr (std::is_same_v<Work, float>)
                return loadFloat<Stored>(D(), at);
            else
                return loadDouble<Stored>(D(), at);
        }();
        if constexpr (isSimple)
            hn::StoreU(binner.simple(value), typename Binner<Work>::DB(), bins + i);
        else
            hn::StoreU(binner(value), typename Binner<Work>::DB(), bins + i);
    }
    for (; i < n; ++i)
        bins[i] = binOf(loadWorkOne<Stored>(values + i * static_cast<std::int64_t>(sizeof(Stored))), binning);
}

template <class Stored>
void find(const std::byte* values, std::int64_t n, const Binning<MapType<Stored>>& binning, std::uint16_t* bins)
{
    using Work = MapType<Stored>;
    const bool isOnePiece = binning.middleBin == 0 && binning.highBin == static_cast<Work>(binning.bins);
    if (isOnePiece && binning.isBounded && binning.prescale == 1 && binning.low == binning.min)
        findAs<Stored, true>(values, n, binning, bins);
    else
        findAs<Stored, false>(values, n, binning, bins);
}

#endif

template <class Stored>
constexpr BinEntry<Stored> binEntry{&find<Stored>};

#define ACTISCOPE_ENTRY(Stored) binEntry<Stored>,
constexpr BinTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const BinTable* binTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(binTable);

template <class Stored>
void findBins(const std::byte* values, std::int64_t n, const Binning<MapType<Stored>>& binning, std::uint16_t* bins)
{
    HWY_DYNAMIC_DISPATCH(binTable)()->of<Stored>().find(values, n, binning, bins);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template void findBins<Stored>(const std::byte*, std::int64_t, const Binning<MapType<Stored>>&, std::uint16_t*);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif

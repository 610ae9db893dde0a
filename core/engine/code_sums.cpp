// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/code_sums.h"

#include <algorithm>

namespace core {

bool isLeftOpen(const CodeTest& test, bool withSum)
{
    return test.hasMixed || (withSum && test.hasIrregular);
}

void takeShort(CodeTotals& totals, Scratch& scratch, std::size_t slot)
{
    totals.shortCount = scratch.take<std::uint8_t>(slot, totals.pixels);
    std::fill_n(totals.shortCount, totals.pixels, std::uint8_t{0});
    if (totals.sum) {
        totals.shortSum = scratch.take<std::uint16_t>(slot + 1, sumPlaces(totals.pixels));
        std::fill_n(totals.shortSum, sumPlaces(totals.pixels), std::uint16_t{0});
    }
}

void addAllCodes(const ChannelCodes& codes, const CodeTest& test, const CodeTotals& totals, const Job& job)
{
    for (std::int64_t c = 0; c < codes.channels;) {
        CodeRun run;
        run.codes = codes.codes + c * codes.channelStride;
        run.pixels = totals.pixels;
        run.channels = std::min({mostRunChannels, codes.channels - c, mostShortChannels - c % mostShortChannels});
        run.channelStride = codes.channelStride;
        run.count = totals.shortCount;
        run.sum = totals.shortSum;
        c += run.channels;
        run.ahead = c + run.channels <= codes.channels ? run.channels * run.channelStride : 0;
        addCodes(run, test);
        if (c % mostShortChannels == 0 || c == codes.channels) {
            addUpCodes(totals);
            job.check();
        }
    }
}

} // namespace core

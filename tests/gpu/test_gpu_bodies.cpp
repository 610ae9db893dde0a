// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "tests/gpu/host_device.h"
#include "tests/support/random_tensor.h"

#include <QTest>

#include <sys/mman.h>

using namespace support;

namespace {

bool sameBits(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Pages of zeros that take memory only where they are written: a tensor past 2^32 elements.
class ManyZeros
{
public:
    explicit ManyZeros(std::int64_t bytes)
        : m_bytes(static_cast<std::size_t>(bytes)),
          m_data(::mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
    }
    ~ManyZeros() { ::munmap(m_data, m_bytes); }
    ManyZeros(const ManyZeros&) = delete;
    ManyZeros& operator=(const ManyZeros&) = delete;

    std::uint8_t* data() const { return static_cast<std::uint8_t*>(m_data); }

private:
    std::size_t m_bytes;
    void* m_data;
};

constexpr std::int64_t far = (std::int64_t{1} << 32) + 12345;

const gpu::Hot<std::uint8_t> notZero{1, 255, false, false};

/// What a pass gives: all that it can be asked for.
struct Reduced
{
    std::vector<std::int32_t> count;
    std::vector<double> sum;
    std::vector<double> magnitudes;
    std::vector<double> squares;
    std::vector<double> max;
    std::vector<std::uint64_t> counts;
    /// A byte for each element.
    std::vector<std::uint8_t> isHot;
    bool operator==(const Reduced&) const = default;
};

/// Three batch items; those that get maps, and the condition of each channel or of all.
template <class S>
struct PixelCase
{
    std::vector<S> values;
    std::int64_t channels = 0;
    std::int64_t pixels = 0;
    std::int64_t firstBatch = 0;
    std::int64_t batches = 3;
    std::vector<gpu::Hot<gpu::SeenOf<S>>> conditions;

    gpu::Planes planes() const { return {values.data(), nullptr, channels, pixels}; }
    gpu::HotTable hot() const { return {conditions.data(), conditions.size() > 1 ? 1 : 0}; }
    const gpu::Hot<gpu::SeenOf<S>>& hotOf(std::int64_t plane) const
    {
        return conditions[conditions.size() > 1 ? static_cast<std::size_t>(plane % channels) : 0];
    }
    gpu::SeenOf<S> at(std::int64_t plane, std::int64_t pixel) const
    {
        return gpu::Values<S>{values.data(), nullptr}[plane * pixels + pixel];
    }
};

/// By definition, channel after channel.
template <class S>
Reduced reduceNaively(const PixelCase<S>& c)
{
    const auto all = static_cast<std::size_t>(c.batches * c.pixels);
    Reduced out{std::vector<std::int32_t>(all),
                std::vector<double>(all),
                std::vector<double>(all),
                std::vector<double>(all),
                std::vector<double>(all, -12345),
                std::vector<std::uint64_t>(static_cast<std::size_t>(3 * c.channels)),
                {}};
    for (std::int64_t plane = 0; plane < 3 * c.channels; ++plane)
        for (std::int64_t pixel = 0; pixel < c.pixels; ++pixel) {
            const auto value = c.at(plane, pixel);
            const bool isHot = c.hotOf(plane)(value);
            out.isHot.push_back(isHot);
            out.counts[static_cast<std::size_t>(plane)] += isHot;
            const std::int64_t batch = plane / c.channels - c.firstBatch;
            if (!isHot || batch < 0 || batch >= c.batches)
                continue;
            const auto i = static_cast<std::size_t>(batch * c.pixels + pixel);
            const auto real = static_cast<double>(value);
            out.sum[i] += real;
            out.magnitudes[i] += std::abs(real);
            out.squares[i] += real * real;
            const auto mapped = static_cast<double>(static_cast<gpu::MapOf<S>>(value));
            if (out.count[i]++ == 0 || mapped > out.max[i])
                out.max[i] = mapped;
        }
    return out;
}

template <class Body, class S>
Reduced reduce(const PixelCase<S>& c, Turns turns)
{
    const auto all = static_cast<std::size_t>(c.batches * c.pixels);
    const std::int64_t planes = 3 * c.channels;
    Reduced out{std::vector<std::int32_t>(all),
                std::vector<double>(all),
                std::vector<double>(all),
                std::vector<double>(all),
                {},
                std::vector<std::uint64_t>(static_cast<std::size_t>(planes)),
                {}};
    std::vector<gpu::MapOf<S>> max(all);
    gpu::ReduceParameters p{};
    p.planes = c.planes();
    p.hot = c.hot();
    p.firstBatch = c.firstBatch;
    p.batches = c.batches;
    p.mapsBegin = c.firstBatch;
    p.mapsEnd = c.firstBatch + c.batches;
    p.pixels = c.batches > 0 ? c.pixels : 0;
    p.planeBlocks = (c.pixels + Body::blockPixels - 1) / Body::blockPixels;
    p.blocksPerBatch = p.planeBlocks;
    const std::int64_t maps = c.batches * p.blocksPerBatch;
    p.count = out.count.data();
    p.max = max.data();
    for (const auto& [kind, sum] :
         {std::pair{gpu::PixelSum::magnitudes, &out.magnitudes}, std::pair{gpu::PixelSum::squares, &out.squares}}) {
        p.kind = kind;
        p.sum = sum->data();
        runBlocks<Body>(0, maps, p, turns);
    }
    // What nobody writes shows.
    std::vector<std::uint32_t> mask(static_cast<std::size_t>(planes * p.planeBlocks * Body::words), 0xdeadbeef);
    std::vector<std::uint32_t> blockCounts(static_cast<std::size_t>(planes * p.planeBlocks), 0xdeadbeef);
    p.kind = gpu::PixelSum::values;
    p.sum = out.sum.data();
    p.counts = out.counts.data();
    p.mask = mask.data();
    p.blockCounts = blockCounts.data();
    const std::int64_t groups = (c.channels + gpu::groupChannels - 1) / gpu::groupChannels;
    runBlocks<Body>(0, maps + (3 - c.batches) * groups * p.planeBlocks, p, turns);
    // NaN equals nothing.
    for (const auto value : max)
        out.max.push_back(value == value ? static_cast<double>(value) : -12345);
    for (std::int64_t block = 0; block < planes * p.planeBlocks; ++block) {
        std::uint32_t bits = 0;
        for (std::int64_t i = 0; i < Body::blockPixels; ++i) {
            const bool isSet = mask[static_cast<std::size_t>(block * Body::words + i / 32)] >> (i % 32) & 1;
            bits += isSet;
            if (block % p.planeBlocks * Body::blockPixels + i < c.pixels)
                out.isHot.push_back(isSet);
        }
        // Also: no bit past the end of a plane.
        if (blockCounts[static_cast<std::size_t>(block)] != bits)
            out.isHot.clear();
    }
    return out;
}

template <class S>
std::vector<S> someValues(std::int64_t n, Random& random)
{
    std::vector<S> values(static_cast<std::size_t>(n));
    for (S& value : values) {
        if constexpr (std::is_same_v<S, gpu::Half> || std::is_same_v<S, gpu::BFloat16>)
            value = {static_cast<std::uint16_t>(random() % 65536)};
        else if constexpr (std::is_integral_v<S>)
            value = static_cast<S>(random());
        else
            value = static_cast<S>(std::normal_distribution<double>()(random));
    }
    return values;
}

/// Wide loads change nothing, nor does which batch items get maps.
template <class S>
void pixelsOf(const gpu::Hot<gpu::SeenOf<S>>& hot)
{
    Random random(sizeof(S));
    for (const std::int64_t channels : {5, 40})
        for (const std::int64_t pixels : {std::int64_t{16}, std::int64_t{272}, std::int64_t{5232}})
            for (const auto& [first, batches] : {std::pair{0, 3}, std::pair{1, 1}, std::pair{2, 1}, std::pair{1, 0}}) {
                PixelCase<S> c{someValues<S>(3 * channels * pixels, random), channels, pixels, first, batches, {hot}};
                for (std::int64_t channel = 1; pixels == 272 && channel < channels; ++channel) {
                    c.conditions.push_back(hot);
                    c.conditions.back().invert = random() % 2;
                }
                const Reduced expected = reduceNaively(c);
                for (const Turns turns : allTurns) {
                    QVERIFY((reduce<gpu::ReduceBody<S, 1>>(c, turns) == expected));
                    QVERIFY(reduce<gpu::WideReduceBody<S>>(c, turns) == expected);
                }
            }
}

/// Planes that begin anywhere in a word, of a few values to several pieces.
template <class S>
void countsOf(const gpu::Hot<gpu::SeenOf<S>>& hot)
{
    Random random(sizeof(S));
    constexpr std::int64_t wide = gpu::wideOf<S>;
    const std::int64_t piece = gpu::pieceWords * wide;
    for (const std::int64_t pixels : {std::int64_t{1}, std::int64_t{3}, wide, std::int64_t{49}, piece - 1, piece, piece + 1,
                                      2 * piece + 3 * wide, 3 * piece + 5})
        for (const bool isPerChannel : {false, true}) {
            PixelCase<S> c{someValues<S>(3 * 7 * pixels, random), 7, pixels, 0, 3, {hot}};
            for (int channel = 1; isPerChannel && channel < 7; ++channel) {
                c.conditions.push_back(hot);
                c.conditions.back().invert = random() % 2;
            }
            const std::int64_t words = pixels % wide == 0 ? pixels / wide : pixels / wide + 2;
            gpu::CountParameters p{};
            p.planes = c.planes();
            p.hot = c.hot();
            p.piecesPerPlane = (words + gpu::pieceWords - 1) / gpu::pieceWords;
            p.pieces = 21 * p.piecesPerPlane;
            for (const Turns turns : allTurns) {
                std::vector<std::uint64_t> counts(21);
                p.counts = counts.data();
                runBlocks<gpu::CountBody<S>>(0, (p.pieces + gpu::blockWarps - 1) / gpu::blockWarps, p, turns);
                QCOMPARE(counts, reduceNaively(c).counts);
            }
        }
}

/// Against a search by definition; many values are equal.
template <class S>
void labelsOf()
{
    Random random(sizeof(S));
    for (const std::int64_t channels : {1, 3, 9, 300}) {
        const std::int64_t pixels = channels == 9 ? 4096 + 16 : 48;
        std::vector<S> values = someValues<S>(2 * channels * pixels, random);
        for (S& value : values)
            if constexpr (std::is_floating_point_v<S>) {
                value = std::round(value);
                if (random() % 100 == 0)
                    value = std::numeric_limits<S>::quiet_NaN();
            } else if constexpr (std::is_integral_v<S>) {
                value = static_cast<S>(value % 5);
            }
        const gpu::Values<S> seen{values.data(), nullptr};
        std::vector<std::int32_t> expected;
        for (std::int64_t batch = 0; batch < 2; ++batch)
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
                std::int32_t winner = 0;
                auto largest = seen[batch * channels * pixels + pixel];
                for (std::int64_t channel = 1; channel < channels && largest == largest; ++channel)
                    if (const auto value = seen[(batch * channels + channel) * pixels + pixel];
                        value > largest || value != value) {
                        largest = value;
                        winner = static_cast<std::int32_t>(channel);
                    }
                expected.push_back(winner);
            }
        gpu::LabelParameters p{};
        p.planes = {values.data(), nullptr, channels, pixels};
        const auto check = [&]<class Body>(Body) {
            p.blocksPerBatch = (pixels + Body::blockPixels - 1) / Body::blockPixels;
            std::vector<std::int32_t> labels(expected.size(), -1);
            std::vector<std::uint8_t> narrow(expected.size());
            std::vector<S> largest(expected.size());
            p.labels8 = nullptr;
            p.labels32 = labels.data();
            p.values = largest.data();
            runBlocks<Body>(0, 2 * p.blocksPerBatch, p, Turns::mixed);
            p.labels8 = narrow.data();
            runBlocks<Body>(0, 2 * p.blocksPerBatch, p, Turns::descending);
            for (std::size_t i = 0; i < labels.size(); ++i) {
                QCOMPARE(labels[i], expected[i]);
                QCOMPARE(narrow[i], static_cast<std::uint8_t>(expected[i]));
                const auto at = static_cast<std::int64_t>(i);
                const S& winner = values[static_cast<std::size_t>((at / pixels * channels + labels[i]) * pixels + at % pixels)];
                QVERIFY(std::memcmp(&winner, &largest[i], sizeof(S)) == 0);
            }
        };
        check(gpu::LabelBody<S, 1>());
        check(gpu::WideLabelBody<S>());
    }
}

gpu::Order plainOrder()
{
    gpu::Order order{};
    order.axes = 1;
    order.stride[0] = 1;
    return order;
}

} // namespace

/// Parts of the kernels by themselves, and places that no tensor of a test reaches.
class TestGpuBodies : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void widening()
    {
        for (std::uint32_t bits = 0; bits < 65536; ++bits) {
            const auto b = static_cast<std::uint16_t>(bits);
            QCOMPARE(std::bit_cast<std::uint32_t>(gpu::widen(gpu::Half{b})),
                     std::bit_cast<std::uint32_t>(core::toFloat(core::Half{b})));
            QCOMPARE(std::bit_cast<std::uint32_t>(gpu::widen(gpu::BFloat16{b})),
                     std::bit_cast<std::uint32_t>(core::toFloat(core::BFloat16{b})));
        }
    }

    /// All numbers between two halves in steps, their middles and neighbours.
    void narrowing()
    {
        const auto check = [](float value) {
            return gpu::narrow<gpu::Half>(value).bits == core::toHalf(value).bits &&
                   gpu::narrow<gpu::BFloat16>(value).bits == core::toBFloat16(value).bits;
        };
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 509)
            QVERIFY(check(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
        for (std::uint32_t bits = 0; bits < 65536; ++bits)
            for (const std::uint32_t offset : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u})
                QVERIFY(check(std::bit_cast<float>((bits << 16) + offset)));
    }

    void bits()
    {
        Random random(5);
        for (int i = 0; i < 20000; ++i) {
            const auto bits = static_cast<std::uint32_t>(random() & (random() % 2 ? random() : ~std::uint64_t{0}));
            for (int bit = 0, before = 0; bit < 32; ++bit)
                if (bits >> bit & 1)
                    QCOMPARE(gpu::placeOfBit(bits, before++), bit);
            std::uint32_t spread[5] = {};
            for (int bit = 0; bit < 32; ++bit)
                for (int k = 0; k < 5; ++k)
                    if (bits >> bit & 1 && bit << k < 32)
                        spread[k] |= std::uint32_t{1} << (bit << k);
            QCOMPARE(gpu::spreadBits<1>(bits), spread[0]);
            QCOMPARE(gpu::spreadBits<2>(bits & 0xffffu), spread[1]);
            QCOMPARE(gpu::spreadBits<4>(bits & 0xffu), spread[2]);
            QCOMPARE(gpu::spreadBits<8>(bits & 15u), spread[3]);
            QCOMPARE(gpu::spreadBits<16>(bits & 3u), spread[4]);
        }
    }

    /// high * 2^32 + low to float64, against the compiler's __int128.
    void integerSums()
    {
        Random random(1);
        const auto check = [](gpu::IntegerSum sum) {
            const __int128 whole = static_cast<__int128>(sum.high) * (static_cast<__int128>(1) << 32) + sum.low;
            return sameBits(sum.toDouble(), static_cast<double>(whole));
        };
        for (int i = 0; i < 200000; ++i) {
            const int bits = static_cast<int>(random() % 44);
            const auto high = static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits)) * (random() % 2 ? 1 : -1);
            QVERIFY(check({random() % (std::uint64_t{1} << 44), high}));
        }
        // Ties, just below and above them, at every magnitude.
        for (int shift = 0; shift < 43; ++shift)
            for (std::int64_t step = -2; step <= 2; ++step)
                for (const int sign : {1, -1}) {
                    const __int128 tie = ((static_cast<__int128>(1) << 54) + 1 + 2 * (shift % 2)) << (shift / 2);
                    const __int128 whole = sign * (tie + step);
                    QVERIFY(check({static_cast<std::uint64_t>(whole) & 0xffffffffu, static_cast<std::int64_t>(whole >> 32)}));
                }
    }

    void squares()
    {
        Random random(2);
        std::normal_distribution<double> normal;
        for (int i = 0; i < 100000; ++i) {
            const double fromPivot = random() % 50 ? std::abs(normal(random)) * 100 : 0.0;
            const double pivot = normal(random) * (random() % 2 ? 1 : 1e6);
            const double sum = random() % 60 ? normal(random) * 100 : std::numeric_limits<double>::infinity();
            const auto n = static_cast<std::int64_t>(1 + random() % 4096);
            const auto expected = core::tileSquares(fromPivot, pivot, sum, n);
            QVERIFY(sameBits(gpu::squaresFromPivot(fromPivot, pivot, sum, n), expected.value_or(-1)));
        }
    }

    /// Marks and lists the blocks around element 2^32 + 12345 of a tensor past it.
    void farRows()
    {
        const ManyZeros zeros(far + 4096);
        zeros.data()[far] = 7;
        zeros.data()[far + 2048] = 9;
        gpu::MarkParameters mark{};
        mark.planes = {zeros.data(), nullptr, 1, far + 4096};
        mark.order = plainOrder();
        mark.first = 0;
        mark.count = far + 4096;
        mark.hot = {&notZero, 0};
        mark.channelRun = 1;
        const std::int64_t block = far / gpu::markElements;
        // What blocks before these would write is left out.
        std::vector<std::uint32_t> mask(3 * gpu::markWords);
        std::vector<std::uint32_t> counts(3);
        mark.mask = mask.data() - block * gpu::markWords;
        mark.blockCounts = counts.data() - block;
        runBlocks<gpu::MarkBody<std::uint8_t>>(block, block + 2, mark, Turns::ascending);
        QCOMPARE(counts[0], 1u);
        QCOMPARE(counts[1], 1u);
        std::vector<std::uint32_t> offsets(2, 77);
        std::vector<std::uint8_t> values(2);
        // As if the rows before these were 5000000000: the mask begins here.
        std::vector<std::uint64_t> before(static_cast<std::size_t>(block) + 3, 5000000000);
        before[0] = 0;
        before[static_cast<std::size_t>(block) + 1] = 5000000001;
        before[static_cast<std::size_t>(block) + 2] = 5000000002;
        gpu::ListParameters list{};
        list.marked = {mark.mask, before.data(), block + 2, gpu::markWords, block + 2, 0};
        list.firstRow = 5000000000;
        list.rows = 7;
        list.offsets = offsets.data();
        list.values = values.data();
        list.source = zeros.data();
        list.order = plainOrder();
        runBlocks<gpu::ListBody<std::uint8_t>>(0, 1, list, Turns::descending);
        // Offsets have 32 bits: stretches are shorter than that.
        const auto expected = static_cast<std::uint32_t>(far);
        QCOMPARE(offsets, (std::vector<std::uint32_t>{expected, expected + 2048}));
        QCOMPARE(values, (std::vector<std::uint8_t>{7, 9}));
    }

    void pixels()
    {
        pixelsOf<std::uint8_t>({3, 200, false, false});
        pixelsOf<gpu::Half>({0.25f, 3.0f, false, false});
        pixelsOf<float>({0.25f, 3.0f, true, false});
        pixelsOf<double>({-0.5, 0.75, false, false});
    }

    void counts()
    {
        countsOf<std::uint8_t>({3, 200, false, false});
        countsOf<std::int16_t>({-9000, 20000, true, false});
        countsOf<gpu::BFloat16>({0.25f, 3.0f, true, true});
        countsOf<float>({0.25f, 3.0f, true, false});
        countsOf<std::int64_t>({-1, 1 << 20, true, false});
    }

    void labels()
    {
        labelsOf<std::int8_t>();
        labelsOf<gpu::Half>();
        labelsOf<float>();
        labelsOf<double>();
    }

    /// Rows of masks whose planes begin with a block each.
    void rowsOfPlanes()
    {
        Random random(3);
        constexpr std::int64_t planes = 7;
        constexpr std::int64_t elements = 1000;
        constexpr int blockWords = 8;
        constexpr std::int64_t planeBlocks = 4;
        std::vector<std::uint32_t> mask(planes * planeBlocks * blockWords);
        std::vector<std::uint64_t> before{0};
        std::vector<std::uint32_t> expected;
        std::vector<std::uint16_t> values;
        for (std::int64_t plane = 0; plane < planes; ++plane)
            for (std::int64_t block = 0; block < planeBlocks; ++block) {
                before.push_back(before.back());
                for (std::int64_t i = 0; i < blockWords * 32; ++i) {
                    const std::int64_t at = block * blockWords * 32 + i;
                    if (at >= elements)
                        break;
                    values.push_back(static_cast<std::uint16_t>(random()));
                    // Whole blocks are cold.
                    if (block == plane % planeBlocks || random() % 3)
                        continue;
                    mask[static_cast<std::size_t>(((plane * planeBlocks + block) * blockWords * 32 + i) / 32)] |=
                        std::uint32_t{1} << i % 32;
                    ++before.back();
                    expected.push_back(static_cast<std::uint32_t>(plane * elements + at));
                }
            }
        const auto rows = static_cast<std::int64_t>(expected.size());
        gpu::ListParameters list{};
        list.marked = {mask.data(), before.data(), planes * planeBlocks, blockWords, planeBlocks, elements};
        list.source = values.data();
        list.order = plainOrder();
        for (const std::int64_t first : {std::int64_t{0}, std::int64_t{777}, rows - 5}) {
            std::vector<std::uint32_t> offsets(static_cast<std::size_t>(rows - first) + 9, 123456);
            std::vector<std::uint16_t> found(offsets.size());
            list.firstRow = first;
            list.rows = std::ssize(offsets);
            list.offsets = offsets.data();
            list.values = found.data();
            runBlocks<gpu::ListBody<std::uint16_t>>(0, (list.rows + gpu::blockThreads - 1) / gpu::blockThreads, list,
                                                    Turns::mixed);
            for (std::int64_t row = first; row < rows; ++row) {
                const auto i = static_cast<std::size_t>(row - first);
                QCOMPARE(offsets[i], expected[static_cast<std::size_t>(row)]);
                QCOMPARE(found[i], values[offsets[i]]);
            }
            // Nothing past the last one.
            QVERIFY(std::all_of(offsets.end() - 9, offsets.end(), [](std::uint32_t offset) { return offset == 123456; }));
        }
    }

    /// A plane of more than 2^32 pixels, its last ones.
    void farPixels()
    {
        const ManyZeros zeros(far + 1000);
        zeros.data()[far] = 3;
        zeros.data()[far + 999] = 200;
        gpu::ReduceParameters p{};
        p.planes = {zeros.data(), nullptr, 1, far + 1000};
        p.hot = {&notZero, 0};
        p.batches = 1;
        p.mapsEnd = 1;
        p.firstPixel = far / 64 * 64;
        p.pixels = far + 1000 - p.firstPixel;
        p.blocksPerBatch = (p.pixels + gpu::blockThreads - 1) / gpu::blockThreads;
        std::vector<double> sum(static_cast<std::size_t>(p.pixels));
        std::uint64_t count = 40;
        p.kind = gpu::PixelSum::values;
        p.sum = sum.data();
        p.counts = &count;
        runBlocks<gpu::ReduceBody<std::uint8_t, 1>>(0, p.blocksPerBatch, p, Turns::mixed);
        QCOMPARE(count, std::uint64_t{42});
        QCOMPARE(sum[static_cast<std::size_t>(far - p.firstPixel)], 3.0);
        QCOMPARE(sum.back(), 200.0);
        QCOMPARE(std::accumulate(sum.begin(), sum.end(), 0.0), 203.0);
    }

    /// The last tiles and bins of planes whose elements pass 2^32 together.
    void farTilesAndBins()
    {
        const std::int64_t plane = far / 3 + 1;
        const ManyZeros zeros(3 * plane);
        zeros.data()[3 * plane - 1] = 5;
        const std::int64_t tiles = (plane + gpu::tileElements - 1) / gpu::tileElements;
        gpu::ScanParameters scan{};
        scan.planes = {zeros.data(), nullptr, 3, plane};
        scan.tiles = {tiles, 3 * tiles - 1, 1};
        gpu::TileResult<std::uint8_t> result{};
        scan.results = &result;
        runBlocks<gpu::ScanBody<std::uint8_t>>(0, 1, scan, Turns::ascending);
        QCOMPARE(static_cast<std::int64_t>(result.finite), plane - (tiles - 1) * gpu::tileElements);
        QCOMPARE(result.zeros, result.finite - 1);
        QCOMPARE(result.low, std::uint64_t{5});
        QCOMPARE(result.max, std::uint8_t{5});
        gpu::BinParameters bins{};
        bins.planes = scan.planes;
        bins.kind = gpu::BinKind::integers;
        bins.firstPlane = 2;
        bins.planeStep = 1;
        bins.piecesPerPlane = (plane + gpu::binElements - 1) / gpu::binElements;
        bins.bins = 6;
        std::vector<std::uint64_t> counts(6);
        bins.counts = counts.data();
        runBlocks<gpu::BinBody<std::uint8_t>>(bins.piecesPerPlane - 1, bins.piecesPerPlane, bins, Turns::descending);
        QCOMPARE(counts[5], std::uint64_t{1});
        QCOMPARE(static_cast<std::int64_t>(counts[0]), plane - (bins.piecesPerPlane - 1) * gpu::binElements - 1);
    }
};

QTEST_GUILESS_MAIN(TestGpuBodies)
#include "test_gpu_bodies.moc"

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
    std::vector<double> absolute;
    std::vector<double> square;
    std::vector<double> max;
    std::vector<std::uint64_t> counts;
    std::vector<std::uint32_t> mask;
    bool operator==(const Reduced&) const = default;
};

/// Two batch items of five and forty channels, of pixels that fill no block.
template <class Body, class S>
Reduced reduce(const std::vector<S>& values, const gpu::Hot<gpu::SeenOf<S>>& hot, std::int64_t pixels, Turns turns)
{
    const auto channels = static_cast<std::int64_t>(values.size()) / pixels / 2;
    const auto all = static_cast<std::size_t>(2 * pixels);
    Reduced out{std::vector<std::int32_t>(all),
                std::vector<double>(all),
                std::vector<double>(all),
                std::vector<double>(all),
                {},
                std::vector<std::uint64_t>(static_cast<std::size_t>(2 * channels)),
                {}};
    std::vector<gpu::MapOf<S>> max(all);
    gpu::ReduceParameters p{};
    p.planes = {values.data(), nullptr, channels, pixels};
    p.hot = {&hot, 0};
    p.pixels = pixels;
    p.blocksPerBatch = (pixels + Body::blockPixels - 1) / Body::blockPixels;
    p.maskWords = (pixels + 63) / 64 * 2;
    out.mask.resize(static_cast<std::size_t>(2 * channels * p.maskWords));
    p.count = out.count.data();
    p.sum = out.sum.data();
    p.absolute = out.absolute.data();
    p.square = out.square.data();
    p.max = max.data();
    p.counts = out.counts.data();
    p.mask = out.mask.data();
    runBlocks<Body>(0, 2 * p.blocksPerBatch, p, turns);
    // NaN equals nothing.
    for (const auto value : max)
        out.max.push_back(value == value ? static_cast<double>(value) : -12345);
    return out;
}

/// Wide loads change nothing; and the mask says what the condition says.
template <class S>
void widePixelsOf(const gpu::Hot<gpu::SeenOf<S>>& hot)
{
    Random random(sizeof(S));
    for (const std::int64_t channels : {5, 40})
        for (const std::int64_t pixels : {std::int64_t{16}, std::int64_t{272}, std::int64_t{5232}}) {
            std::vector<S> values(static_cast<std::size_t>(2 * channels * pixels));
            for (S& value : values) {
                if constexpr (std::is_same_v<S, gpu::Half>)
                    value = {static_cast<std::uint16_t>(random() % 65536)};
                else if constexpr (std::is_integral_v<S>)
                    value = static_cast<S>(random());
                else
                    value = static_cast<S>(std::normal_distribution<double>()(random));
            }
            const Reduced narrow = reduce<gpu::ReduceBody<S, 1>>(values, hot, pixels, Turns::ascending);
            for (const Turns turns : allTurns)
                QVERIFY(reduce<gpu::WideReduceBody<S>>(values, hot, pixels, turns) == narrow);
            const gpu::Values<S> seen{values.data(), nullptr};
            const std::int64_t words = (pixels + 63) / 64 * 2;
            for (std::int64_t plane = 0; plane < 2 * channels; ++plane)
                for (std::int64_t i = 0; i < pixels; ++i)
                    QCOMPARE(narrow.mask[static_cast<std::size_t>(plane * words + i / 32)] >> (i % 32) & 1,
                             std::uint32_t{hot(seen[plane * pixels + i])});
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
        list.mask = mark.mask;
        list.before = before.data();
        list.blocks = block + 2;
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

    void widePixels()
    {
        widePixelsOf<std::uint8_t>({3, 200, false, false});
        widePixelsOf<gpu::Half>({0.25f, 3.0f, false, false});
        widePixelsOf<float>({0.25f, 3.0f, true, false});
        widePixelsOf<double>({-0.5, 0.75, false, false});
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
        p.firstPixel = far / 64 * 64;
        p.pixels = far + 1000 - p.firstPixel;
        p.blocksPerBatch = (p.pixels + gpu::blockThreads - 1) / gpu::blockThreads;
        std::vector<double> sum(static_cast<std::size_t>(p.pixels));
        std::uint64_t count = 40;
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

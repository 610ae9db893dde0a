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
        const std::vector<std::uint64_t> before{5000000000, 5000000001, 5000000002};
        gpu::ListParameters list{};
        list.mask = mark.mask;
        list.firstBlock = block;
        list.before = before.data() - block;
        list.skipped = 5000000000;
        list.offsets = offsets.data();
        list.values = values.data();
        list.source = zeros.data();
        list.order = plainOrder();
        runBlocks<gpu::ListBody<std::uint8_t>>(0, 2, list, Turns::descending);
        const auto expected = static_cast<std::uint32_t>(far % gpu::markElements);
        QCOMPARE(offsets, (std::vector<std::uint32_t>{expected, expected + 2048}));
        QCOMPARE(values, (std::vector<std::uint8_t>{7, 9}));
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
        runBlocks<gpu::ReduceBody<std::uint8_t>>(0, p.blocksPerBatch, p, Turns::mixed);
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

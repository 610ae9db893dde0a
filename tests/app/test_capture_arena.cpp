// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/arena_pool.h"
#include "core/error.h"
#include "core/machine.h"

#include <QTest>

#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::int64_t megabyte = 1 << 20;

core::Tensor counting(std::int64_t count)
{
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 1);
    return core::Tensor::fromValues(core::DType::i32, {count}, values);
}

std::int32_t first(const core::Tensor& tensor)
{
    std::int32_t value = 0;
    std::memcpy(&value, tensor.data(), sizeof(value));
    return value;
}

/// Writes like a runner: through a mapping of its own.
void writeAs(int descriptor, std::int64_t bytes, unsigned char letter)
{
    void* address = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    QVERIFY(address != MAP_FAILED);
    std::memset(address, letter, static_cast<std::size_t>(bytes));
    ::munmap(address, static_cast<std::size_t>(bytes));
}

} // namespace

class TestCaptureArena : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void keepsInputsApart()
    {
        const std::shared_ptr<app::CaptureArena> arena = app::CaptureArena::make(4096);
        QCOMPARE(arena->put(counting(3)), std::int64_t{0});
        QCOMPARE(arena->put(counting(20)), std::int64_t{64});
        // 80 bytes end in the middle of a block of 64.
        QCOMPARE(arena->used(), std::int64_t{192});
        const auto tensor = arena->tensor(core::DType::i32, {2, 10}, 64);
        QCOMPARE(tensor.shape(), (core::Shape{2, 10}));
        QCOMPARE(first(tensor), 1);
    }

    void refusesWhatIsOutside()
    {
        const std::shared_ptr<app::CaptureArena> arena = app::CaptureArena::make(4096);
        for (const std::int64_t offset : {-64, 8, 4096 + 64})
            QVERIFY_EXCEPTION_THROWN(arena->tensor(core::DType::u8, {1}, offset), core::Error);
        QVERIFY_EXCEPTION_THROWN(arena->tensor(core::DType::u8, {65}, 4096 - 64), core::Error);
        QCOMPARE(arena->tensor(core::DType::u8, {64}, 4096 - 64).bytes(), std::int64_t{64});
        QVERIFY_EXCEPTION_THROWN(arena->put(counting(1025)), core::Error);
    }

    void keepsItsSize()
    {
        const auto arena = app::CaptureArena::make(megabyte);
        QVERIFY(::ftruncate(arena->descriptor(), 4096) != 0);
        QVERIFY(::ftruncate(arena->descriptor(), 2 * megabyte) != 0);
        // Nor can a seal be added that would keep us from writing.
        QVERIFY(::fcntl(arena->descriptor(), F_ADD_SEALS, F_SEAL_WRITE) != 0);
    }

    void comesBackWhenNobodyReadsIt()
    {
        app::ArenaPool pool;
        auto arena = pool.take(megabyte);
        const int descriptor = arena->descriptor();
        auto capture = arena->tensor(core::DType::i32, {4}, 64);
        writeAs(descriptor, 4096, 1);
        arena.reset();
        // Still read: another one is given.
        auto other = pool.take(megabyte);
        QVERIFY(other->descriptor() != descriptor);
        writeAs(other->descriptor(), 4096, 2);
        QCOMPARE(first(capture), 0x01010101);
        capture = {};
        QCOMPARE(pool.take(megabyte)->descriptor(), descriptor);
    }

    void isEmptyAgainAndAsLargeAsAsked()
    {
        app::ArenaPool pool;
        int descriptor = -1;
        {
            const auto arena = pool.take(megabyte);
            descriptor = arena->descriptor();
            arena->put(counting(100));
        }
        const auto arena = pool.take(megabyte - 100);
        QCOMPARE(arena->descriptor(), descriptor);
        QCOMPARE(arena->used(), std::int64_t{0});
        QCOMPARE(arena->bytes(), megabyte - 100);
        // A place behind what this run may use is none, although it is mapped.
        QVERIFY_EXCEPTION_THROWN(arena->tensor(core::DType::u8, {128}, megabyte - 128), core::Error);
        QVERIFY(pool.take(4 * megabyte)->bytes() == 4 * megabyte);
    }

    void staysNoLongerThanItsPool()
    {
        core::Tensor capture;
        int waiting = -1;
        {
            app::ArenaPool pool;
            auto arena = pool.take(megabyte);
            writeAs(arena->descriptor(), 4096, 3);
            capture = arena->tensor(core::DType::i32, {4}, 0);
            waiting = pool.take(2 * megabyte)->descriptor();
        }
        QCOMPARE(first(capture), 0x03030303);
        QVERIFY(::fcntl(waiting, F_GETFD) < 0);
    }

    void holdsLittleWhileItWaits()
    {
        app::ArenaPool pool;
        std::vector<std::shared_ptr<app::CaptureArena>> arenas;
        for (int i = 0; i < 5; ++i) {
            arenas.push_back(pool.take(8 * megabyte));
            writeAs(arenas.back()->descriptor(), 8 * megabyte, 4);
        }
        QCOMPARE(arenas.back()->residentBytes(), 8 * megabyte);
        arenas.clear();
        QCOMPARE(pool.waitingBytes(), 2 * 8 * megabyte);
        auto large = pool.take(10 * megabyte);
        writeAs(large->descriptor(), 10 * megabyte, 5);
        large->trim(megabyte);
        QCOMPARE(large->residentBytes(), megabyte);
    }

    void comesBackFromAnotherThread()
    {
        app::ArenaPool pool;
        for (int i = 0; i < 200; ++i) {
            auto arena = pool.take(megabyte);
            writeAs(arena->descriptor(), 4096, static_cast<unsigned char>(i));
            std::jthread reader([capture = arena->tensor(core::DType::u8, {1}, 0), i]() mutable {
                if (static_cast<unsigned char>(*capture.data()) != static_cast<unsigned char>(i))
                    qFatal("another run wrote under a capture");
                capture = {};
            });
            arena.reset();
            const auto next = pool.take(megabyte);
            writeAs(next->descriptor(), 4096, 255);
        }
        QVERIFY(pool.waitingBytes() <= 2 * 4096);
    }
};

QTEST_GUILESS_MAIN(TestCaptureArena)
#include "test_capture_arena.moc"

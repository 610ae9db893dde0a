// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/buffer_pool.h"

#include <QtTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace core;

class TestBufferPool : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void lendsAgain();
    void keepsLoansApart();
    void freesWhatIsTooMuch();
    void servesThreads();
    void lendsToTensors();
};

void TestBufferPool::lendsAgain()
{
    BufferPool pool;
    const void* first = nullptr;
    {
        const auto loan = pool.take(5000000);
        first = loan.as<char>(1).data();
        QCOMPARE(reinterpret_cast<std::uintptr_t>(first) % (2 << 20), std::uintptr_t{0});
        QVERIFY(loan.size() >= 5000000);
    }
    QCOMPARE(static_cast<const void*>(pool.take(4000000).as<char>(1).data()), first);
    // A small wish does not take a buffer far too large.
    QVERIFY(pool.take(100).size() < 5000000);
}

void TestBufferPool::keepsLoansApart()
{
    BufferPool pool;
    auto a = pool.take(1000);
    const auto b = pool.take(1000);
    QVERIFY(a.as<char>(1).data() != b.as<char>(1).data());
    a.as<int>(250)[249] = 7;
    const auto moved = std::move(a);
    QCOMPARE(moved.as<int>(250)[249], 7);
    QCOMPARE(a.size(), std::size_t{0});
}

void TestBufferPool::freesWhatIsTooMuch()
{
    // Twice the kept bytes at once: address sanitizer sees a leak or a double free.
    BufferPool pool(std::size_t{4} << 20);
    std::vector<BufferPool::Loan> loans;
    for (int i = 0; i < 4; ++i)
        loans.push_back(pool.take(std::size_t{2} << 20));
    loans.clear();
    QCOMPARE(pool.take(1).size(), std::size_t{2} << 20);
}

void TestBufferPool::servesThreads()
{
    BufferPool pool;
    std::vector<std::jthread> threads;
    std::atomic<int> mixedUp = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                const auto loan = pool.take(4096);
                loan.as<int>(2)[0] = t;
                loan.as<int>(2)[1] = i;
                mixedUp += loan.as<int>(2)[0] != t || loan.as<int>(2)[1] != i;
            }
        });
    threads.clear();
    QCOMPARE(mixedUp.load(), 0);
}

void TestBufferPool::lendsToTensors()
{
    auto pool = std::make_shared<BufferPool>();
    const std::byte* memory = nullptr;
    {
        PooledStorage fresh(pool, std::size_t{1} << 21);
        memory = fresh.data();
        fresh.data()[12345] = std::byte{7};
        const Tensor tensor = Tensor::contiguous(DType::u8, {2, 1 << 20}, std::move(fresh).take());
        QCOMPARE(tensor.data()[12345], std::byte{7});
        // In use: not lent twice.
        QVERIFY(PooledStorage(pool, std::size_t{1} << 21).data() != memory);
    }
    // Given back; a tensor keeps its pool.
    PooledStorage again(pool, std::size_t{1} << 21);
    const Tensor last = Tensor::contiguous(DType::u8, {1 << 21}, std::move(again).take());
    pool.reset();
    QCOMPARE(last.toContiguous().bytes(), std::int64_t{1} << 21);
    // Few bytes, and none, come from elsewhere.
    QVERIFY(PooledStorage(nullptr, 10).data());
    QCOMPARE(PooledStorage(nullptr, 0).take().bytes.size(), std::size_t{0});
}

QTEST_GUILESS_MAIN(TestBufferPool)
#include "test_buffer_pool.moc"

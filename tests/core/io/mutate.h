// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/reader.h"

#include <QtTest/QTest>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <variant>
#include <vector>

namespace tests {

using Bytes = std::vector<std::byte>;

/// The whole contents of a file; fails the test by an empty result.
inline Bytes readBytes(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

/// How many mutations a reader gets: ACTISCOPE_MUTATIONS, or 1,000.
inline int mutationCount()
{
    const char* asked = std::getenv("ACTISCOPE_MUTATIONS");
    return asked ? std::atoi(asked) : 1000;
}

/// Damages copies of a seed file; the same number gives the same damage.
class Mutator
{
public:
    Mutator(Bytes seed, std::uint64_t number) : m_bytes(std::move(seed)), m_random(number) {}

    /// One to four kinds of damage one after another.
    Bytes damage()
    {
        for (std::size_t rounds = 1 + below(4); rounds-- > 0 && !m_bytes.empty();)
            damageOnce();
        return m_bytes;
    }

private:
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(m_random() % std::max<std::size_t>(limit, 1)); }

    void damageOnce()
    {
        const std::size_t at = below(m_bytes.size());
        switch (below(6)) {
        case 0:
            m_bytes[at] ^= static_cast<std::byte>(1U << below(8));
            break;
        case 1:
            m_bytes[at] = static_cast<std::byte>(below(256));
            break;
        case 2:
            m_bytes.resize(at);
            break;
        case 3:
            splice(at);
            break;
        default:
            stuffNumber(at);
        }
    }

    /// Copies a piece of the file over, or into, another place.
    void splice(std::size_t at)
    {
        const std::size_t from = below(m_bytes.size());
        const std::size_t length = std::min(1 + below(64), m_bytes.size() - from);
        const Bytes piece(m_bytes.begin() + static_cast<std::ptrdiff_t>(from),
                          m_bytes.begin() + static_cast<std::ptrdiff_t>(from + length));
        if (below(2) == 0)
            m_bytes.insert(m_bytes.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
        else
            std::copy_n(piece.begin(), std::min(length, m_bytes.size() - at),
                        m_bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }

    /// Writes a number that lengths and counts dislike, in 1, 2, 4 or 8 bytes, either byte order.
    void stuffNumber(std::size_t at)
    {
        static constexpr std::uint64_t numbers[] = {0,
                                                    1,
                                                    0x7F,
                                                    0x80,
                                                    0xFF,
                                                    0x7FFF,
                                                    0xFFFF,
                                                    0x10000,
                                                    0x7FFFFFFF,
                                                    0x80000000,
                                                    0xFFFFFFFF,
                                                    0x100000000,
                                                    0x4000000000000000,
                                                    0x7FFFFFFFFFFFFFFF,
                                                    0x8000000000000000,
                                                    0xFFFFFFFFFFFFFFFF};
        const std::uint64_t number = numbers[below(std::size(numbers))];
        const std::size_t width = std::min(std::size_t{1} << below(4), m_bytes.size() - at);
        const bool isBig = below(4) == 0;
        for (std::size_t i = 0; i < width; ++i)
            m_bytes[at + (isBig ? width - 1 - i : i)] = static_cast<std::byte>(number >> (8 * i));
    }

    Bytes m_bytes;
    std::mt19937_64 m_random;
};

/// Reads every byte that a tensor can reach (of very large ones, such as expanded views, the first and last element).
inline void touch(const core::Tensor& tensor)
{
    constexpr std::int64_t small = std::int64_t{1} << 22;
    if (tensor.elements() == 0)
        return;
    if (tensor.bytes() <= small) {
        const core::Tensor copy = tensor.toContiguous();
        unsigned sum = 0;
        for (std::int64_t i = 0; i < copy.bytes(); ++i)
            sum += static_cast<unsigned>(copy.data()[i]);
        volatile unsigned sink = sum;
        (void)sink;
        return;
    }
    core::Tensor last = tensor;
    while (last.rank() > 0)
        last = last.select(0, last.shape().front() - 1);
    volatile auto sink = *tensor.data();
    sink = *last.data();
    (void)sink;
}

/// Loads and verifies every tensor of a document, as a whole program would. Damaged entries may throw core::Error.
inline void exercise(const core::Document& document)
{
    for (const core::Entry& entry : document.entries) {
        if (!entry.isTensor())
            continue;
        try {
            const core::Content content = entry.load({});
            if (const auto* dense = std::get_if<core::Tensor>(&content)) {
                touch(*dense);
            } else {
                const auto& sparse = std::get<core::SparseTensor>(content);
                touch(sparse.indices);
                touch(sparse.plainIndices);
                touch(sparse.values);
            }
            if (entry.verify)
                entry.verify({});
        } catch (const core::Error&) {
        }
    }
}

/// Peak memory of this process so far, in bytes.
inline std::int64_t peakBytes()
{
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

/// Opens `mutationCount()` damaged copies of each seed file and reads all that they hold. Fails the test when anything but
/// core::Error comes out, when one takes above a second, or when memory passes 64 MiB + 4 x the file + what one entry may
/// unpack to. A crash or a sanitizer's report fails by itself.
inline void runMutations(core::io::Reader* reader, const std::vector<std::string>& seeds)
{
    const core::io::Limits limits{.budgetBytes = std::int64_t{1} << 24};
    const int count = mutationCount();
    std::vector<Bytes> files;
    std::size_t largest = 0;
    for (const auto& seed : seeds) {
        files.push_back(readBytes(seed));
        QVERIFY2(!files.back().empty(), seed.c_str());
        largest = std::max(largest, files.back().size());
    }
    [[maybe_unused]] const std::int64_t before = peakBytes();
    for (int i = 0; i < count; ++i) {
        const auto which = static_cast<std::size_t>(i) % files.size();
        const std::string place = seeds[which] + ", mutation " + std::to_string(i);
        const Bytes bytes = Mutator(files[which], static_cast<std::uint64_t>(i)).damage();
        const auto start = std::chrono::steady_clock::now();
        try {
            if (const auto document = reader(core::MappedFile::fromBytes("mutated", bytes), limits, {}))
                exercise(*document);
        } catch (const core::Error& error) {
            QVERIFY2(std::string_view(error.what()).find("mutated") != std::string_view::npos,
                     (place + ": " + error.what()).c_str());
        } catch (const std::exception& error) {
            QFAIL((place + ": " + error.what()).c_str());
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        QVERIFY2(took.count() < 1.0, (place + " took " + std::to_string(took.count()) + " s").c_str());
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
    const std::int64_t bar = (std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(largest) + 2 * limits.budgetBytes;
    const std::int64_t grown = peakBytes() - before;
    QVERIFY2(grown <= bar, (std::to_string(grown) + " bytes of memory, at most " + std::to_string(bar)).c_str());
#endif
}

} // namespace tests

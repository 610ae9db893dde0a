// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/open.h"
#include "core/io/write.h"
#include "expected_files.h"

#include <QTemporaryDir>

#include <sys/stat.h>
#include <thread>

using namespace tests;

/// Writers, held to the very bytes of numpy.save and to what the readers (tested against NumPy) read back.
class TestWrite : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    /// Reading what numpy.save wrote and writing it gives the same file.
    void writesWhatNumPyWrites_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* dtype : {"bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16", "0d",
                                  "1d", "empty", "empty_middle", "rank64"})
            QTest::newRow(dtype) << QString("npy_%1.npy").arg(dtype);
    }
    void writesWhatNumPyWrites()
    {
        QFETCH(QString, file);
        const auto original = filesFolder / file.toStdString();
        core::io::writeNpy(path(), tensorOf(core::io::readNpy, original, 0));
        QCOMPARE(readBytes(path()), readBytes(original.string()));
    }

    /// A producer may hand over nothing: the checksum stays that of the header.
    void npzMembersMayProduceNothing()
    {
        const core::io::NpzMember member{
            "coords", core::DType::i64, {1, 0}, [](const core::io::ByteSink& sink) { sink(std::span<const std::byte>()); }};
        core::io::writeNpzMembers(path(), {member});
        const auto document = core::io::open(path());
        QCOMPARE(document.entries.size(), 1u);
        QCOMPARE(document.entries[0].shape, (core::Shape{1, 0}));
        QVERIFY(!document.entries[0].verify({}));
    }

    void writesStridedTensorsRowMajor()
    {
        std::vector<std::int32_t> numbers(2'400'000);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = int(i);
        const auto dense = core::Tensor::fromValues(core::DType::i32, {2, 3, 400'000}, numbers);
        const core::Tensor turned(core::DType::i32, {400'000, 3, 2}, {1, 400'000, 1'200'000}, dense.storage());
        core::io::writeNpy(path(), turned);
        const auto read = tensorOf(core::io::readNpy, path(), 0);
        QCOMPARE(read.shape(), turned.shape());
        const auto* value = reinterpret_cast<const std::int32_t*>(read.data());
        for (int i = 0; i < 400'000; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 2; ++k)
                    if (*value++ != i + j * 400'000 + k * 1'200'000)
                        QFAIL(qPrintable(QString("[%1, %2, %3]").arg(i).arg(j).arg(k)));
    }

    void widensFloatsThatNumPyLacks()
    {
        // By hand: 1, -2, the largest bfloat16; 1, -2, 448 of float8_e4m3fn.
        const auto half = core::Tensor::fromValues<std::uint16_t>(core::DType::bf16, {3}, {0x3f80, 0xc000, 0x7f7f});
        const auto tiny = core::Tensor::fromValues<std::uint8_t>(core::DType::f8e4m3fn, {3}, {0x38, 0xc0, 0x7e});
        const std::vector<std::vector<float>> wanted{{1, -2, 3.3895313892515355e38f}, {1, -2, 448}};
        for (const auto& [tensor, values] : {std::pair{half, wanted[0]}, {tiny, wanted[1]}}) {
            core::io::writeNpy(path(), tensor);
            const auto read = tensorOf(core::io::readNpy, path(), 0);
            QCOMPARE(read.dtype(), core::DType::f32);
            const auto* first = reinterpret_cast<const std::byte*>(values.data());
            QCOMPARE(bytesOf(read), Bytes(first, first + 12));
        }
    }

    void writesArchives()
    {
        const auto floats = tensorOf(core::io::readNpy, filesFolder / "npy_f4.npy", 0);
        const auto empty = tensorOf(core::io::readNpy, filesFolder / "npy_empty.npy", 0);
        core::io::writeNpz(path(), {{"a", floats}, {"layer.0/\u00e9", floats.select(0, 1)}, {"none", empty}});
        const auto document = core::io::readNpz(core::MappedFile::open(path()), {}, {});
        QVERIFY(document && document->warnings.empty());
        QCOMPARE(document->entries.size(), std::size_t(3));
        QCOMPARE(document->entries[1].name, std::string("layer.0/\u00e9"));
        for (const auto& entry : document->entries)
            QVERIFY(!entry.verify({}));
        QCOMPARE(bytesOf(tensorOf(core::io::readNpz, path(), 0)), bytesOf(floats));
        QCOMPARE(bytesOf(tensorOf(core::io::readNpz, path(), 1)), bytesOf(floats.select(0, 1)));
        QCOMPARE(tensorOf(core::io::readNpz, path(), 2).shape(), (core::Shape{0, 3}));
    }

    /// A member past 4 GiB needs Zip64. The zeros of a broadcast tensor take no memory.
    void writesArchivesPast4GiB()
    {
        if (std::filesystem::space(m_folder->path().toStdString()).available < 6'000'000'000U ||
            !qEnvironmentVariableIsSet("ACTISCOPE_LARGE"))
            QSKIP("writes 4 GiB: set ACTISCOPE_LARGE");
        const auto one =
            core::Tensor::fromValues<std::uint8_t>(core::DType::u8, {1 << 20}, std::vector<std::uint8_t>(1 << 20, 7));
        const core::Tensor large(core::DType::u8, {4100, 1 << 20}, {0, 1}, one.storage());
        core::io::writeNpz(path(), {{"large", large}, {"small", one}});
        const auto document = core::io::readNpz(core::MappedFile::open(path()), {}, {});
        QCOMPARE(document->entries.at(0).shape, (core::Shape{4100, 1 << 20}));
        const auto read = std::get<core::Tensor>(document->entries[0].load({}));
        QCOMPARE(read.data()[read.bytes() - 1], std::byte{7});
        QVERIFY(!document->entries[0].verify({}));
        QVERIFY(!document->entries[1].verify({}));
    }

    /// Channels last, several pieces, widened or not: each element where its indices say.
    void writesManyPiecesOfStridedTensors()
    {
        const core::Shape shape = {2, 5, 1900, 1803};
        const core::Strides strides = {1900 * 1803 * 5, 1, 1803 * 5, 5};
        const auto valueAt = [](std::int64_t place) { return static_cast<std::uint8_t>(place * 7 + (place >> 9)); };
        std::vector<std::uint8_t> numbers(static_cast<std::size_t>(core::elementCount(shape)));
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = valueAt(static_cast<std::int64_t>(i));
        const auto dense = core::Tensor::fromValues(core::DType::u8, {std::ssize(numbers)}, numbers);
        for (const core::DType dtype : {core::DType::u8, core::DType::f8e5m2}) {
            const core::Tensor turned(dtype, shape, strides, dense.storage());
            const auto isRight = [&](const core::Tensor& read, std::int64_t size) {
                std::int64_t i = 0;
                for (std::int64_t plane = 0; plane < 10; ++plane)
                    for (std::int64_t pixel = 0; pixel < 1900 * 1803; ++pixel, ++i) {
                        const std::uint8_t stored = valueAt(plane / 5 * strides[0] + plane % 5 + pixel * 5);
                        const float wide = core::float8ToFloat(core::DType::f8e5m2, stored);
                        const void* const expected = size == 1 ? static_cast<const void*>(&stored) : &wide;
                        if (std::memcmp(read.data() + i * size, expected, static_cast<std::size_t>(size)) != 0)
                            return false;
                    }
                return read.shape() == shape && read.isContiguous();
            };
            core::io::writeNpy(path(), turned);
            QVERIFY(isRight(tensorOf(core::io::readNpy, path(), 0), dtype == core::DType::u8 ? 1 : 4));
            core::io::writeSafetensors(path(), {{"x", turned}});
            QVERIFY(isRight(tensorOf(core::io::readSafetensors, path(), 0), 1));
        }
    }

    void streamsRows_data()
    {
        QTest::addColumn<bool>("throughPipe");
        QTest::newRow("file") << false;
        QTest::newRow("pipe") << true;
    }
    void streamsRows()
    {
        QFETCH(bool, throughPipe);
        Bytes received;
        std::jthread reader;
        if (throughPipe) {
            QCOMPARE(::mkfifo(path().c_str(), 0600), 0);
            reader = std::jthread([&] { received = readBytes(path()); });
        }
        core::io::NpyRowWriter writer(path(), 2);
        for (std::int64_t i = 0; i < 1000; ++i)
            writer.append(std::vector<std::int64_t>{i, -i, i + 1, -i - 1});
        QCOMPARE(writer.rows(), std::int64_t(2000));
        writer.finish();
        if (throughPipe)
            reader.join();
        else
            received = readBytes(path());
        const auto document = core::io::readNpy(core::MappedFile::fromBytes("x", received), {}, {});
        QVERIFY(document && document->warnings.empty());
        const auto tensor = std::get<core::Tensor>(document->entries.at(0).load({}));
        QCOMPARE(tensor.shape(), (core::Shape{2000, 2}));
        const auto dense = tensor.toContiguous();
        const auto* last = reinterpret_cast<const std::int64_t*>(dense.data()) + 3998;
        QCOMPARE(last[0], std::int64_t(1000));
        QCOMPARE(last[1], std::int64_t(-1000));
    }

    void writesRowsWithoutColumns()
    {
        core::io::NpyRowWriter writer(path(), 0);
        writer.appendEmpty(1);
        writer.finish();
        QCOMPARE(tensorOf(core::io::readNpy, path(), 0).shape(), (core::Shape{1, 0}));
    }

private:
    std::string path() const { return m_folder->filePath("x.bin").toStdString(); }
    static core::Tensor tensorOf(core::io::Reader* reader, const std::filesystem::path& file, std::size_t entry)
    {
        const auto document = reader(core::MappedFile::open(file), {}, {});
        return std::get<core::Tensor>(document.value().entries.at(entry).load({}));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestWrite)
#include "test_write.moc"

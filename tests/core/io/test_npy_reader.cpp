// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/write.h"
#include "expected_files.h"

#include <QTemporaryDir>

#include <fcntl.h>
#include <unistd.h>

using namespace tests;

namespace {

/// A version 1.0 file with this header and these many bytes of zeros behind it.
Bytes npyOf(const std::string& header, std::size_t data, char version = 1)
{
    std::string text = "\x93NUMPY";
    text += {version, 0};
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        text += char(header.size() >> (8 * i) & 0xff);
    return bytesOfText(text + header + std::string(data, '\0'));
}

std::string headerOf(const std::string& descr, const std::string& shape)
{
    return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
}

} // namespace

class TestNpyReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatNumPyWrites_data() { addExpectedRows({"npy_"}); }
    void readsWhatNumPyWrites()
    {
        QFETCH(QString, file);
        checkFile(core::io::readNpy, file.toStdString());
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())) << reason;
        };
        const std::string f4 = "'<f4'";
        row("magic only", bytesOfText("\x93NUMPY"), "cut off");
        row("short data", npyOf(headerOf(f4, "(2, 3)"), 23), "needs 24 bytes of data, 23 are there");
        row("no data", npyOf(headerOf(f4, "(1000,)"), 0), "needs 4000 bytes of data, 0 are there");
        row("product overflows", npyOf(headerOf(f4, "(4294967296, 4294967296)"), 8), "the shape [4294967296, 4294967296]");
        row("bytes overflow", npyOf(headerOf("'<c16'", "(1152921504606846976,)"), 8), "the shape");
        row("strides overflow", npyOf(headerOf(f4, "(0, 4294967296, 4294967296)"), 8), "the shape");
        row("negative extent", npyOf(headerOf(f4, "(-1,)"), 8), "extent -1");
        row("extent of text", npyOf(headerOf(f4, "('a',)"), 8), "extent 'a'");
        row("extent past 64 bits", npyOf(headerOf(f4, "(99999999999999999999,)"), 8), "too large");
        row("shape of one number", npyOf(headerOf(f4, "3"), 12), "not a tuple");
        row("65 axes",
            npyOf(headerOf(
                      f4, "(" +
                              []() {
                                  std::string s;
                                  for (int i = 0; i < 65; ++i)
                                      s += "1, ";
                                  return s;
                              }() +
                              ")"),
                  4),
            "65 axes");
        row("no dictionary", npyOf("[1, 2]\n", 8), "not a dictionary");
        row("missing key", npyOf("{'descr': '<f4', 'shape': (1,)}\n", 8), "not a dictionary");
        row("key twice", npyOf("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 8),
            "not a dictionary");
        row("code", npyOf("{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (1,)}", 8),
            "not a Python literal");
        row("no end", npyOf("{'descr': '<f4", 8), "cut off");
        row("text behind", npyOf(headerOf(f4, "(1,)") + "x", 8), "goes on after");
        row("deep nesting", npyOf(std::string(60'000, '('), 8), "nested too deeply");
        row("many values",
            npyOf(
                "[" +
                    []() {
                        std::string s;
                        for (int i = 0; i < 20'000; ++i)
                            s += "0,";
                        return s;
                    }() +
                    "]",
                8),
            "too many values");
        row("huge header", bytesOfText(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f{", 13)), "a header of 2147483647 bytes");
        row("header past the end", bytesOfText(std::string("\x93NUMPY\1\0\xff\x7f{", 11)), "cut off");
        row("version 9", npyOf(headerOf(f4, "(1,)"), 4, 9), "version 9.0");
        row("objects", readBytes((filesFolder / "bad_npy_object.npy").string()), "would execute pickled code");
        row("field of objects", readBytes((filesFolder / "bad_npy_object_field.npy").string()), "would execute pickled code");
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        const auto message = QString::fromStdString(
            messageOf(core::io::readNpy, std::as_bytes(std::span(bytes.data(), std::size_t(bytes.size())))));
        QVERIFY2(message.contains("some.file") && message.contains(reason), qPrintable(message));
    }

    void refusesEveryTruncation_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"npy_f4.npy", "npy_big_c16.npy", "npy_fortran.npy", "npy_version3.npy", "npy_rank64.npy"})
            QTest::newRow(file) << file;
    }
    void refusesEveryTruncation()
    {
        QFETCH(QString, file);
        checkTruncations(core::io::readNpy, file.toStdString());
    }

    void refusesSwappingPastTheBudget()
    {
        const auto bytes = npyOf(headerOf("'>f4'", "(1000,)"), 4000);
        const auto message = messageOf(core::io::readNpy, bytes, {.budgetBytes = 3999});
        QVERIFY2(message.find("some.file") != std::string::npos && message.find("3999") != std::string::npos, message.c_str());
        QCOMPARE(messageOf(core::io::readNpy, bytes, {.budgetBytes = 4000}), std::string());
        // Data in place takes no memory.
        QCOMPARE(messageOf(core::io::readNpy, npyOf(headerOf("'<f4'", "(1000,)"), 4000), {.budgetBytes = 1}), std::string());
    }

    void stopsSwapping()
    {
        const auto bytes = npyOf(headerOf("'>f4'", "(10,)"), 40);
        const auto document = core::io::readNpy(core::MappedFile::fromBytes("x.npy", bytes), {}, {});
        std::stop_source source;
        source.request_stop();
        QVERIFY_EXCEPTION_THROWN(document->entries[0].load({source.get_token(), {}}), core::Cancelled);
    }

    /// A 100 GB file of nothing opens at once, in place.
    void opensAHugeFile()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath("huge.npy").toStdString();
        constexpr std::int64_t count = 25'000'000'000;
        const auto header = core::io::npyHeader(core::DType::f32, std::vector<std::int64_t>{count});
        const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
        QCOMPARE(::write(file, header.data(), header.size()), ssize_t(header.size()));
        const bool sparse = ::ftruncate(file, off_t(header.size()) + count * 4) == 0;
        ::close(file);
        if (!sparse)
            QSKIP("the file system has no sparse files of this size");
        const auto before = peakBytes();
        const auto start = std::chrono::steady_clock::now();
        const auto document = core::io::readNpy(core::MappedFile::open(path), {}, {});
        const auto tensor = std::get<core::Tensor>(document->entries.at(0).load({}));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        QCOMPARE(tensor.shape(), core::Shape{count});
        QCOMPARE(tensor.data()[tensor.bytes() - 1], std::byte{0});
        qInfo("opened in %.1f ms", took.count() * 1000);
        QVERIFY(took.count() < 1); // a guard: a copy would take minutes
        QVERIFY(peakBytes() - before < 50'000'000);
    }
};

QTEST_GUILESS_MAIN(TestNpyReader)
#include "test_npy_reader.moc"

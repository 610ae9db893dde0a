// SPDX-License-Identifier: GPL-3.0-or-later
#include "expected_files.h"

#include <QTemporaryDir>

#include <fcntl.h>
#include <unistd.h>

using namespace tests;

namespace {

Bytes safeOf(std::string header, std::size_t data)
{
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += char(header.size() >> (8 * i) & 0xff);
    return bytesOfText(text + header + std::string(data, '\0'));
}

std::string tensorOf(const std::string& name, const std::string& dtype, const std::string& shape, std::uint64_t begin,
                     std::uint64_t end)
{
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" + std::to_string(begin) +
           "," + std::to_string(end) + "]}";
}

} // namespace

class TestSafetensorsReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatTheLibraryWrites_data() { addExpectedRows({"st_"}); }
    void readsWhatTheLibraryWrites()
    {
        QFETCH(QString, file);
        checkFile(core::io::readSafetensors, file.toStdString());
    }

    void keepsTheOrderOfTheHeader()
    {
        const auto bytes = safeOf("{" + tensorOf("z", "U8", "[2]", 2, 4) + "," + tensorOf("a", "U8", "[2]", 0, 2) + "}", 4);
        const auto document = core::io::readSafetensors(core::MappedFile::fromBytes("x", bytes), {}, {});
        QCOMPARE(document->entries.at(0).name, std::string("z"));
        QCOMPARE(document->entries.at(1).name, std::string("a"));
    }

    void acceptsPaddingAndUnknownFields()
    {
        QCOMPARE(messageOf(core::io::readSafetensors, safeOf("{" + tensorOf("a", "U8", "[2]", 0, 2) + "}      ", 2)),
                 std::string());
        const std::string field = R"({"a":{"dtype":"U8","shape":[2],"more":{"x":[1,"y",null]},"data_offsets":[0,2]}})";
        QCOMPARE(messageOf(core::io::readSafetensors, safeOf(field, 2)), std::string());
    }

    void makesTreePaths()
    {
        const auto bytes =
            safeOf("{" + tensorOf("layer.0.weight", "U8", "[2]", 0, 2) + "," + tensorOf("a..b", "U8", "[0]", 2, 2) + "}", 2);
        const auto document = core::io::readSafetensors(core::MappedFile::fromBytes("x", bytes), {}, {});
        QCOMPARE(document->entries.at(0).path, (std::vector<std::string>{"layer", "0", "weight"}));
        QCOMPARE(document->entries.at(1).path, std::vector<std::string>{"a..b"});
    }

    void leavesProseToOthers()
    {
        QCOMPARE(messageOf(core::io::readSafetensors, bytesOfText("int main{}  { return 0; }")), std::string("not mine"));
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())) << reason;
        };
        const auto one = [&](const char* name, const std::string& tensor, std::size_t data, const char* reason) {
            row(name, safeOf("{" + tensor + "}", data), reason);
        };
        const auto a = tensorOf("a", "F32", "[2]", 0, 8);
        one("duplicate key", a + "," + a, 8, "duplicate key a");
        one("duplicate field", R"("a":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]})", 2, "duplicate key dtype");
        one("duplicate metadata", R"("__metadata__":{"x":"1","x":"2"})", 0, "duplicate key x");
        one("overlap", a + "," + tensorOf("b", "F32", "[2]", 4, 12), 12, "b overlaps a at byte 4");
        one("same bytes", a + "," + tensorOf("b", "F32", "[2]", 0, 8), 8, "overlaps");
        one("hole", a + "," + tensorOf("b", "F32", "[2]", 9, 17), 17, "a hole of 1 bytes between a and b");
        one("hole at the front", tensorOf("a", "F32", "[2]", 4, 12), 12, "a hole of 4 bytes between the header and a");
        one("rest", a, 9, "1 bytes after the last tensor");
        one("short data", a, 7, "cut off: 8 bytes of data are declared, 7 are there");
        one("too few bytes", tensorOf("a", "F32", "[2]", 0, 4), 4, "needs 8 bytes, the header gives it 4");
        one("too many bytes", tensorOf("a", "F32", "[2]", 0, 12), 12, "needs 8 bytes, the header gives it 12");
        one("product overflows", tensorOf("a", "F32", "[4294967296,4294967296]", 0, 8), 8,
            "a has the shape [4294967296, 4294967296]");
        one("bytes overflow", tensorOf("a", "F64", "[2305843009213693952]", 0, 0), 0, "a has the shape");
        one("backwards", tensorOf("a", "F32", "[2]", 8, 0), 8, "before it begins");
        one("ends past everything", tensorOf("a", "F32", "[2]", 0, 18446744073709551615U), 8, "declared");
        one("unknown dtype", tensorOf("a", "Q8_0", "[2]", 0, 8), 8, "unknown dtype Q8_0");
        one("negative extent", R"("a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]})", 2, "a negative number");
        one("fraction", R"("a":{"dtype":"U8","shape":[2.5],"data_offsets":[0,2]})", 2, "a fraction");
        one("extent past 63 bits", R"("a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,2]})", 2, "extent");
        one("extent past 64 bits", R"("a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,2]})", 2,
            "a fraction");
        one("three offsets", R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,1,2]})", 2, "3 numbers");
        one("no dtype", R"("a":{"shape":[2],"data_offsets":[0,2]})", 2, "a has no dtype");
        one("no shape", R"("a":{"dtype":"U8","data_offsets":[0,2]})", 2, "a has no shape");
        one("no offsets", R"("a":{"dtype":"U8","shape":[2]})", 2, "a has no data_offsets");
        one("shape of text", R"("a":{"dtype":"U8","shape":"2","data_offsets":[0,2]})", 2, "holds a text");
        one("dtype of number", R"("a":{"dtype":8,"shape":[2],"data_offsets":[0,2]})", 2, "a number");
        one("shape in shape", R"("a":{"dtype":"U8","shape":[[2]],"data_offsets":[0,2]})", 2, "a list");
        one("tensor of number", R"("a":3)", 2, "a is a number instead of an object");
        one("metadata of number", R"("__metadata__":{"x":1})", 0, "a number");
        one("metadata of object", R"("__metadata__":{"x":{"y":"1"}})", 0, "an object");
        one("no JSON", R"("a":)", 2, "no valid JSON");
        one("not UTF-8", "\"\xff\":{}", 2, "no valid JSON");
        row("text behind", safeOf("{} x", 0), "no valid JSON");
        row("cut off header", safeOf("{\"a\":", 0), "no valid JSON");
        std::string extents = "[1";
        for (int i = 0; i < 64; ++i)
            extents += ",1";
        one("65 axes", tensorOf("a", "U8", extents + "]", 0, 1), 1, "65 axes");
        one("deep nesting", "\"a\":{\"x\":" + std::string(100'000, '['), 0, "nested too deeply");
        auto huge = safeOf("{}", 0);
        huge[7] = std::byte{0x7f};
        row("huge header", huge, "more than the 100000000");
        huge = safeOf("{}", 0);
        huge[2] = std::byte{1};
        row("header past the end", huge, "cut off");
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        const auto data = std::as_bytes(std::span(bytes.data(), std::size_t(bytes.size())));
        const auto message = QString::fromStdString(messageOf(core::io::readSafetensors, data));
        QVERIFY2(message.contains("some.file") && message.contains(reason), qPrintable(message));
    }

    void refusesEveryTruncation_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"st_dtypes.safetensors", "st_metadata.safetensors"})
            QTest::newRow(file) << file;
    }
    void refusesEveryTruncation()
    {
        QFETCH(QString, file);
        checkTruncations(core::io::readSafetensors, file.toStdString());
    }

    /// 100 GB in two tensors open at once, in place.
    void opensAHugeFile()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath("huge.safetensors").toStdString();
        constexpr std::uint64_t half = 50'000'000'000;
        const auto head = safeOf("{" + tensorOf("a", "F32", "[12500000000]", 0, half) + "," +
                                     tensorOf("b", "U8", "[50000000000]", half, 2 * half) + "}",
                                 0);
        const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
        QCOMPARE(::write(file, head.data(), head.size()), ssize_t(head.size()));
        const bool sparse = ::ftruncate(file, off_t(head.size() + 2 * half)) == 0;
        ::close(file);
        if (!sparse)
            QSKIP("the file system has no sparse files of this size");
        const auto before = peakBytes();
        const auto start = std::chrono::steady_clock::now();
        const auto document = core::io::readSafetensors(core::MappedFile::open(path), {}, {});
        const auto tensor = std::get<core::Tensor>(document->entries.at(1).load({}));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        QCOMPARE(tensor.bytes(), std::int64_t(half));
        QCOMPARE(tensor.data()[tensor.bytes() - 1], std::byte{0});
        qInfo("opened in %.1f ms", took.count() * 1000);
        QVERIFY(took.count() < 1); // a guard: a copy would take minutes
        QVERIFY(peakBytes() - before < 50'000'000);
    }
};

QTEST_GUILESS_MAIN(TestSafetensorsReader)
#include "test_safetensors_reader.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/write.h"
#include "core/io/zip_archive.h"
#include "expected_files.h"

#include <QTemporaryDir>

using namespace tests;

namespace {

using Arrays = std::vector<std::pair<std::string, core::Tensor>>;

core::Tensor ints(core::Shape shape, const std::vector<std::int64_t>& values)
{
    return core::Tensor::fromValues(core::DType::i64, std::move(shape), values);
}
core::Tensor floats(core::Shape shape, const std::vector<float>& values)
{
    return core::Tensor::fromValues(core::DType::f32, std::move(shape), values);
}

/// The archive as writeNpz makes it. `format` adds SciPy's 0-d text member.
Bytes archiveOf(const Arrays& arrays, std::string_view format = {})
{
    const QTemporaryDir folder;
    const auto path = folder.filePath("x.npz").toStdString();
    // A 0-d |S3 array is three bytes: written as uint8 of shape [], its header is patched below.
    auto all = arrays;
    if (!format.empty())
        all.emplace_back("format",
                         core::Tensor::fromValues(core::DType::u8, {3}, std::vector<char>(format.begin(), format.end())));
    core::io::writeNpz(path, all);
    auto bytes = readBytes(path);
    const auto from = bytesOfText("'|u1', 'fortran_order': False, 'shape': (3,), }");
    const auto to = bytesOfText("'|S3', 'fortran_order': False, 'shape': (), }  ");
    const auto found = std::search(bytes.begin(), bytes.end(), from.begin(), from.end());
    if (found != bytes.end())
        std::copy(to.begin(), to.end(), found);
    return bytes;
}

} // namespace

class TestNpzReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatNumPyAndSciPyWrite_data() { addExpectedRows({"npz_", "scipy_"}); }
    void readsWhatNumPyAndSciPyWrite()
    {
        QFETCH(QString, file);
        checkFile(core::io::readNpz, file.toStdString());
    }

    void sharesStoredDataInPlace()
    {
        const auto file = core::MappedFile::open(filesFolder / "npz_plain.npz");
        const auto document = core::io::readNpz(file, {}, {});
        const auto tensor = std::get<core::Tensor>(document->find("floats")->load({}));
        QVERIFY(tensor.data() > file->bytes().data() && tensor.data() < file->bytes().data() + file->bytes().size());
        QCOMPARE(tensor.storage().file, file);
    }

    void leavesOtherZipsAlone()
    {
        const auto npz = fileOf("npz_plain.npz");
        auto other = npz;
        for (const auto name : {".npy"})
            for (auto at = other.begin();;) {
                const auto wanted = bytesOfText(name);
                at = std::search(at, other.end(), wanted.begin(), wanted.end());
                if (at == other.end())
                    break;
                at[1] = std::byte{'x'};
            }
        QCOMPARE(messageOf(core::io::readNpz, other), std::string("not mine"));
        QCOMPARE(messageOf(core::io::readNpz, bytesOfText("no zip")), std::string("not mine"));
    }

    void refusesEveryTruncation_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"npz_plain.npz", "npz_compressed.npz", "npz_streamed.npz", "scipy_csr.npz"})
            QTest::newRow(file) << file;
    }
    void refusesEveryTruncation()
    {
        QFETCH(QString, file);
        checkTruncations(core::io::readNpz, file.toStdString());
    }

    void refusesBombs()
    {
        // 500 x 500 in a few hundred bytes is fine, above the budget it is not.
        const auto mask = fileOf("npz_mask.npz");
        QVERIFY(mask.size() < 1000);
        QCOMPARE(messageOf(core::io::readNpz, mask, {.budgetBytes = 300'000}), std::string());
        const auto message = messageOf(core::io::readNpz, mask, {.budgetBytes = 200'000});
        QVERIFY2(message.find("some.file") != std::string::npos && message.find("200000") != std::string::npos,
                 message.c_str());
    }

    void warnsOfChecksums()
    {
        auto bytes = fileOf("npz_plain.npz");
        const auto header = bytesOfText("'shape': (4,), }");
        const auto at = std::search(bytes.begin(), bytes.end(), header.begin(), header.end());
        QVERIFY(at != bytes.end());
        const auto newline = std::find(at, bytes.end(), std::byte{'\n'});
        newline[3] ^= std::byte{1}; // within the numbers
        const auto document = core::io::readNpz(core::MappedFile::fromBytes("some.npz", bytes), {}, {});
        const auto warning = document->find("ints")->verify({});
        QVERIFY(warning && warning->find("some.npz") != std::string::npos && warning->find("ints") != std::string::npos);
        QVERIFY(!document->find("floats")->verify({}));
    }

    void namesWrongSparseLayouts_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())) << reason;
        };
        const auto shape = std::pair<std::string, core::Tensor>("shape", ints({2}, {2, 3}));
        const auto data = std::pair<std::string, core::Tensor>("data", floats({2}, {1, 2}));
        const auto csr = [&](const core::Tensor& pointers, const core::Tensor& indices) {
            return archiveOf({shape, data, {"indptr", pointers}, {"indices", indices}}, "csr");
        };
        row("index past the columns", csr(ints({3}, {0, 1, 2}), ints({2}, {0, 3})), "index 3 lies outside the 3");
        row("negative index", csr(ints({3}, {0, 1, 2}), ints({2}, {0, -1})), "index -1");
        row("pointers too few", csr(ints({2}, {0, 2}), ints({2}, {0, 1})), "pointers");
        row("pointers not growing", csr(ints({3}, {0, 2, 1}), ints({2}, {0, 1})), "pointers");
        row("pointers past the values", csr(ints({3}, {0, 1, 3}), ints({2}, {0, 1})), "3 values are expected");
        row("no pointers", csr(ints({0}, {}), ints({2}, {0, 1})), "pointers");
        row("pointers of floats", csr(floats({3}, {0, 1, 2}), ints({2}, {0, 1})), "should hold integers");
        row("negative extent",
            archiveOf({{"shape", ints({2}, {2, -3})}, data, {"indptr", ints({3}, {0, 1, 2})}, {"indices", ints({2}, {0, 1})}},
                      "csr"),
            "negative");
        row("product overflows",
            archiveOf(
                {{"shape", ints({2}, {1LL << 40, 1LL << 40})}, data, {"row", ints({2}, {0, 1})}, {"col", ints({2}, {0, 1})}},
                "coo"),
            "shape");
        row("three axes",
            archiveOf({{"shape", ints({3}, {2, 3, 4})}, data, {"indptr", ints({3}, {0, 1, 2})}, {"indices", ints({2}, {0, 1})}},
                      "csr"),
            "3 axes");
        row("rows and values", archiveOf({shape, data, {"row", ints({1}, {0})}, {"col", ints({2}, {0, 1})}}, "coo"),
            "1 indices for 2 values");
        row("row past the shape", archiveOf({shape, data, {"row", ints({2}, {0, 2})}, {"col", ints({2}, {0, 1})}}, "coo"),
            "index 2");
        row("coords of another shape", archiveOf({shape, data, {"coords", ints({3, 2}, {0, 0, 0, 0, 0, 0})}}, "coo"),
            "shape [3, 2]");
        row("offsets and diagonals",
            archiveOf({shape, {"data", floats({1, 2}, {1, 2})}, {"offsets", ints({2}, {0, 1})}}, "dia"),
            "2 offsets for 1 diagonals");
        row("blocks that do not tile",
            archiveOf(
                {shape, {"data", floats({1, 2, 2}, {1, 2, 3, 4})}, {"indptr", ints({2}, {0, 1})}, {"indices", ints({1}, {0})}},
                "bsr"),
            "do not tile");
        row("blocks of nothing",
            archiveOf({shape, {"data", floats({1, 0, 2}, {})}, {"indptr", ints({2}, {0, 1})}, {"indices", ints({1}, {0})}},
                      "bsr"),
            "do not tile");
    }
    void namesWrongSparseLayouts()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        const auto data = std::as_bytes(std::span(bytes.data(), std::size_t(bytes.size())));
        const auto message = QString::fromStdString(messageOf(core::io::readNpz, data));
        QVERIFY2(message.contains("some.file") && message.contains(reason), qPrintable(message));
    }

    void keepsDiagonalsFarOutsideOut()
    {
        const auto far = std::numeric_limits<std::int64_t>::max();
        const auto bytes = archiveOf({{"shape", ints({2}, {2, 3})},
                                      {"data", floats({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})},
                                      {"offsets", ints({4}, {far, -far - 1, 2, -1})}},
                                     "dia");
        const auto document = core::io::readNpz(core::MappedFile::fromBytes("x.npz", bytes), {}, {});
        QCOMPARE(document->entries.at(0).stored.value(), std::int64_t(2));
        const auto sparse = std::get<core::SparseTensor>(document->entries[0].load({}));
        const std::vector<float> dense{0, 0, 9, 10, 0, 0}; // by hand: [0, 2] of offset 2, [1, 0] of offset -1
        const auto* first = reinterpret_cast<const std::byte*>(dense.data());
        QCOMPARE(densified(sparse), Bytes(first, first + 24));
    }

    void keepsOtherArchivesWithAFormatMemberApart()
    {
        const auto bytes = archiveOf({{"shape", ints({2}, {2, 3})}, {"data", floats({2}, {1, 2})}}, "abc");
        const auto document = core::io::readNpz(core::MappedFile::fromBytes("x.npz", bytes), {}, {});
        QCOMPARE(document->entries.size(), std::size_t(3));
    }

private:
    static Bytes fileOf(const char* name) { return readBytes((filesFolder / name).string()); }
};

QTEST_GUILESS_MAIN(TestNpzReader)
#include "test_npz_reader.moc"

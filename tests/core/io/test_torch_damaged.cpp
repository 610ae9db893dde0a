// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader.h"
#include "tests/core/io/mutate.h"
#include "tests/core/io/pickle_maker.h"
#include "tests/core/io/zip_maker.h"

#include <QtTest/QTest>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace tests;

/// Damaged and hostile torch.save files: each gets one sentence that names the file and the reason.
class TestTorchDamaged : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusesPickles_data();
    void refusesPickles();
    void refusesArchives_data();
    void refusesArchives();
    void refusesSparseIndices_data();
    void refusesSparseIndices();
    void refusesTruncation_data();
    void refusesTruncation();
    void executesNothing();
    void followsCycles();
    void warnsOfChecksums();
    void isNotMine();
};

namespace {

std::shared_ptr<const core::MappedFile> fileOf(const std::string& bytes)
{
    return core::MappedFile::fromBytes("bad.pt", std::as_bytes(std::span(bytes)));
}

ZipMaker archiveOf(const std::string& pickle, const std::string& storage = std::string(8, '\1'))
{
    ZipMaker maker;
    maker.add({.name = "bad/data.pkl", .data = pickle}).add({.name = "bad/data/0", .data = storage});
    return maker;
}

std::optional<core::Document> read(const std::string& bytes, const core::io::Limits& limits = {})
{
    return core::io::readTorchZip(fileOf(bytes), limits, {});
}

/// The message of the Error that `work` throws; "no error" when there is none.
template <class Work>
std::string messageOf(Work work)
{
    try {
        work();
    } catch (const core::Error& error) {
        return error.what();
    }
    return "no error";
}

void compareMessage(const std::string& message, const QByteArray& part)
{
    QVERIFY2(message.find(part.toStdString()) != std::string::npos, message.c_str());
    QVERIFY2(message.find("bad.pt") != std::string::npos, message.c_str());
}

std::string repeated(const std::string& text, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

/// Lists that each hold the one before it ten times.
std::string billionLaughs()
{
    std::string out = "]q" + std::string(1, '\0') + "I1\na";
    for (char level = 1; level < 12; ++level) {
        const std::string before = std::string("h") + static_cast<char>(level - 1);
        out += std::string("]q") + level + "(" + repeated(before, 10) + "e";
    }
    return out;
}

void addPickle(const char* name, const std::string& value, const char* part)
{
    QTest::newRow(name) << QByteArray::fromStdString(archiveOf(pickleOf(value)).bytes()) << QByteArray(part);
}

void addTensor(const char* name, const PickledTensor& tensor, const char* part)
{
    addPickle(name, tensor.call(), part);
}

void addArchive(const char* name, const ZipMaker& maker, const char* part)
{
    QTest::newRow(name) << QByteArray::fromStdString(maker.bytes()) << QByteArray(part);
}

} // namespace

void TestTorchDamaged::refusesPickles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("part");
    constexpr std::int64_t large = std::int64_t{1} << 40;
    addTensor("short storage", {.shape = {4}, .storageElements = 4}, "holds 8 bytes, but 16 are declared");
    addTensor("missing storage", {.key = "7"}, "bad/data/7 is missing");
    addTensor("shape past the storage", {.shape = {3}}, "needs bytes up to 12 of a storage of 8");
    addTensor("stride past the storage", {.shape = {2}, .strides = {2}}, "needs bytes up to 12");
    addTensor("offset past the storage", {.shape = {1}, .offset = 2}, "needs bytes up to 12");
    addTensor("negative offset", {.offset = -1}, "begins at element -1");
    addTensor("offset overflow", {.offset = INT64_MAX}, "begins at element");
    addTensor("before the storage", {.shape = {2}, .strides = {-1}}, "begins before its storage");
    addTensor("product overflow", {.shape = {large, large}, .strides = {0, 0}}, "more elements than");
    addTensor("product overflow behind 0", {.shape = {0, large, large}, .strides = {0, 0, 0}}, "more elements than");
    addTensor("stride overflow", {.shape = {3}, .strides = {INT64_MAX}}, "strides reach past");
    addTensor("negative extent", {.shape = {-1}}, "negative extent");
    addTensor("ranks differ", {.shape = {1, 1}}, "2 axes but 1 strides");
    addTensor("rank 65", {.shape = std::vector<std::int64_t>(65, 1), .strides = std::vector<std::int64_t>(65, 1)}, "65 axes");
    addTensor("negative storage", {.storageElements = -2}, "not named as PyTorch names it");
    addTensor("storage overflow", {.storageElements = INT64_MAX}, "more than any machine can address");
    addPickle("tensor of text", "ctorch._utils\n_rebuild_tensor_v2\n(" + pickleText("x") + "I0\n)))tR", "without a storage");
    addPickle("tensor of nothing", "ctorch._utils\n_rebuild_tensor_v2\n)R", "no integers");
    addPickle("huge text", std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", 9), "is cut off");
    addPickle("huge bytes", std::string("\x8e\0\0\0\0\1\0\0\0", 9), "is cut off");
    addPickle("huge integer", std::string("\x8b\xff\xff\xff\x7f", 5), "is cut off");
    addPickle("huge frame", std::string("\x95\xff\xff\xff\xff\xff\xff\xff\x7f", 9), "frame");
    addPickle("far memo", std::string("Nr\xff\xff\xff\xff", 6), "memo 4294967295");
    addPickle("memo never put", "h\5", "memo 5");
    addPickle("nested lists", repeated("(", 5000) + repeated("l", 5000), "nested deeper than 1000");
    addPickle("nested tuples", "N" + repeated("\x85", 5000), "nested deeper than 1000");
    addPickle("nested calls", repeated("cmodule\nname\n(", 2000) + repeated("tR", 2000), "nested deeper than 1000");
    addPickle("one list many times", billionLaughs(), "far more objects");
    const std::string longName = "X" + std::string("\x40\x0d\x03\0", 4) + repeated("a.", 100'000);
    addPickle("many below a long name", "}" + longName + "(" + repeated("]", 20'000) + "ls", "far more objects");
    addPickle("unknown opcode", "\xff", "opcode 0xff");
    addPickle("out of band buffer", "\x97", "opcode 0x97");
    addPickle("value not there", "\x85", "a value that is not there");
    addPickle("mark not there", "t", "a mark that is not there");
    addPickle("below a mark", "N(\x85", "a value that is not there");
    addPickle("line without end", "Iabc", "line");
    addPickle("integer that is none", "I1x\n", "integer that is none");
    addPickle("float that is none", "Fx\n", "float that is none");
    addPickle("string without quotes", "Sx\n", "without its quotes");
    addPickle("key without value", "}(Nu", "no value");
    addPickle("item of a number", "I1\nNNs", "no dict");
    addPickle("append to a number", "I1\nNa", "no list");
    addPickle("call without tuple", "cm\nn\nNR", "no tuple");
    addPickle("class without name", "NN\x93", "no text");
    addPickle("newer protocol", "\x80\x09N", "protocol 9");
    addPickle("array of the wrong size",
              "cnumpy.core.multiarray\n_reconstruct\n)R(I1\n(I4\ntcnumpy\ndtype\n(" + pickleText("f4") + "tR(I3\n" +
                  pickleText("<") + "tbI00\nC\3abctb",
              "16 bytes with 3 bytes");
    addPickle("array overflow",
              "cnumpy.core.multiarray\n_reconstruct\n)R(I1\n" + pickleTuple({large, large}) + "cnumpy\ndtype\n(" +
                  pickleText("f4") + "tRI00\nC\3abctb",
              "impossible shape");
}

void TestTorchDamaged::refusesPickles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, part);
    compareMessage(messageOf([&] { read(bytes.toStdString()); }), part);
}

void TestTorchDamaged::refusesArchives_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("part");
    const auto good = pickleOf(PickledTensor().call());
    const std::string zeros(8, '\0');
    const auto with = [&](MadeMember member) {
        ZipMaker maker;
        member.name = "bad/data/0";
        maker.add({.name = "bad/data.pkl", .data = good}).add(std::move(member));
        return maker;
    };
    addArchive("two of a name", archiveOf(good).add({.name = "bad/data/0", .data = zeros}), "stands in the archive twice");
    addArchive("two pickles", archiveOf(good).add({.name = "bad/data.pkl", .data = good}), "stands in the archive twice");
    addArchive("outside the file", with({.data = zeros, .declaredOffset = 1 << 20}), "reaches past the end");
    addArchive("longer than the file", with({.data = zeros, .declaredSize = 4096, .declaredPacked = 4096}),
               "reaches past the end");
    addArchive("over one another", with({.data = zeros, .declaredOffset = 0}), "overlap");
    addArchive("stored but longer", with({.data = zeros, .declaredSize = 4096}), "is stored as 8 bytes but declares 4096");
    addArchive("bomb", with({.data = zeros, .method = 8, .declaredSize = std::int64_t{1} << 31}), "zip bomb");
    addArchive("not deflated", with({.data = std::string(8, '\7'), .method = 8}), "deflated data is damaged");
    // A stored block of 8 bytes inside a deflate stream: 1, length, its complement.
    const std::string block = std::string("\1\x08\0\xf7\xff", 5) + zeros;
    addArchive("unpacks to more", with({.data = block, .method = 8, .declaredSize = 7}), "holds 7 bytes");
    addArchive("unpacks to less", with({.data = block, .method = 8, .declaredSize = 9}), "its declared 9 bytes");
    addArchive("over the budget", with({.data = block, .method = 8, .declaredSize = 1000}), "more than the 500");
    addArchive("unknown method", with({.data = zeros, .method = 12}), "packed by method 12");
    addArchive("encrypted", with({.data = zeros, .flags = 1}), "encrypted");
    auto miscounted = archiveOf(good);
    miscounted.declaredCount = 3;
    addArchive("too many members declared", miscounted, "cannot list 3 members");
    miscounted.declaredCount = 1;
    addArchive("too few members declared", miscounted, "bad/data/0 is missing");
    miscounted.declaredCount = 60000;
    addArchive("far too many members declared", miscounted, "cannot list 60000 members");
    auto wide = archiveOf(good);
    wide.useZip64 = true;
    wide.declaredCount = INT64_MAX;
    addArchive("absurdly many members declared", wide, "cannot list");
}

void TestTorchDamaged::refusesArchives()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, part);
    const auto message = messageOf([&] {
        const auto document = read(bytes.toStdString(), {.budgetBytes = 500});
        for (const auto& entry : document.value().entries)
            entry.load({});
    });
    compareMessage(message, part);
}

void TestTorchDamaged::refusesSparseIndices_data()
{
    QTest::addColumn<QByteArray>("data");
    QTest::addColumn<QByteArray>("indices");
    QTest::addColumn<QByteArray>("part");
    const auto indices = [](std::int64_t count) {
        return PickledTensor{.shape = {1, count}, .strides = {count, 1}, .storageElements = 2, .storageType = "LongStorage"}
            .call();
    };
    const auto numbers = [](std::int64_t first, std::int64_t second) {
        QByteArray out(16, '\0');
        std::memcpy(out.data(), &first, 8);
        std::memcpy(out.data() + 8, &second, 8);
        return out;
    };
    QTest::newRow("good") << numbers(0, 2) << QByteArray::fromStdString(indices(2)) << QByteArray("no error");
    QTest::newRow("past the shape") << numbers(0, 3) << QByteArray::fromStdString(indices(2))
                                    << QByteArray("index 3 at position 1");
    QTest::newRow("negative") << numbers(-1, 1) << QByteArray::fromStdString(indices(2))
                              << QByteArray("index -1 at position 0");
    QTest::newRow("fewer than values") << numbers(0, 1) << QByteArray::fromStdString(indices(1)) << QByteArray("do not make");
    const PickledTensor expanded{
        .shape = {1, std::int64_t{1} << 50}, .strides = {0, 0}, .storageElements = 2, .storageType = "LongStorage"};
    QTest::newRow("endless") << numbers(0, 1) << QByteArray::fromStdString(expanded.call())
                             << QByteArray("indices in a storage");
}

void TestTorchDamaged::refusesSparseIndices()
{
    QFETCH(QByteArray, data);
    QFETCH(QByteArray, indices);
    QFETCH(QByteArray, part);
    const PickledTensor values{.storageElements = 2, .key = "1"};
    auto maker = archiveOf(
        pickleOf("ctorch._utils\n_rebuild_sparse_tensor\n(I1\n(" + indices.toStdString() + values.call() + "(I3\ntttR"),
        data.toStdString());
    maker.add({.name = "bad/data/1", .data = std::string(8, '\0')});
    const auto message = messageOf([&] {
        const auto document = read(maker.bytes());
        QCOMPARE(document.value().entries.size(), std::size_t{1});
        document->entries[0].load({});
    });
    if (part == "no error")
        QCOMPARE(message, part.toStdString());
    else
        compareMessage(message, part);
}

void TestTorchDamaged::refusesTruncation_data()
{
    QTest::addColumn<int>("sixteenths");
    for (const char* name : {"views.pt", "nested.pt", "deflated.pt", "legacy_protocol2.pt", "legacy_protocol4.pt",
                             "scripted.pt", "exported.pt2", "cpp_module.pt"})
        for (int i = 0; i < 16; ++i)
            QTest::addRow("%s %d", name, i) << i;
}

void TestTorchDamaged::refusesTruncation()
{
    QFETCH(int, sixteenths);
    const auto name = QByteArray(QTest::currentDataTag()).split(' ').front().toStdString();
    auto bytes = readBytes(std::string(TEST_DATA "/torch/") + name);
    QVERIFY(!bytes.empty());
    bytes.resize(bytes.size() * static_cast<std::size_t>(sixteenths) / 16);
    const auto file = core::MappedFile::fromBytes("bad.pt", bytes);
    bool isRefused = false;
    for (core::io::Reader* reader :
         {&core::io::readTorchScript, &core::io::readPt2, &core::io::readTorchZip, &core::io::readTorchLegacy}) {
        const auto message = messageOf([&] { QVERIFY(!reader(file, {}, {})); });
        isRefused = isRefused || message != "no error";
        if (message != "no error")
            compareMessage(message, "cut off");
    }
    // Nothing at all is nobody's.
    QCOMPARE(isRefused, sixteenths > 0);
}

void TestTorchDamaged::executesNothing()
{
    const auto proof = std::filesystem::temp_directory_path() / "actiscope_was_executed";
    std::filesystem::remove(proof);
    const auto command = pickleText("touch " + proof.string());
    for (const std::string name : {"posix\nsystem\n", "os\nsystem\n", "builtins\neval\n", "subprocess\ncall\n"}) {
        const auto document = read(archiveOf(pickleOf("}" + pickleText("x") + "c" + name + "(" + command + "tRs")).bytes());
        QVERIFY(document);
        const auto* entry = document->find("x");
        QVERIFY(entry);
        QCOMPARE(entry->kind, core::EntryKind::object);
        auto type = name.substr(0, name.size() - 1);
        type[type.find('\n')] = '.';
        QCOMPARE(entry->type, type);
    }
    QVERIFY(!std::filesystem::exists(proof));
}

void TestTorchDamaged::followsCycles()
{
    const auto document = read(archiveOf(pickleOf(std::string("]q\0h\0aI5\na", 10))).bytes());
    QVERIFY(document);
    QCOMPARE(document->entries.size(), std::size_t{2});
    QCOMPARE(document->entries[1].value, std::string("5"));
}

void TestTorchDamaged::warnsOfChecksums()
{
    auto maker = archiveOf(pickleOf(PickledTensor().call()));
    maker.members[1].crc = 12345;
    const auto document = read(maker.bytes());
    QVERIFY(document->warnings.empty());
    const auto warning = document->entries.at(0).verify({});
    QVERIFY(warning);
    compareMessage(*warning, "bad/data/0: its checksum does not match");
    QVERIFY(std::holds_alternative<core::Tensor>(document->entries[0].load({})));
    maker.members[1].crc = 0;
    QVERIFY(!read(maker.bytes())->entries.at(0).verify({}));
    maker.members[0].crc = 12345;
    const auto other = read(maker.bytes());
    QCOMPARE(other->warnings.size(), std::size_t{1});
    compareMessage(other->warnings[0], "bad/data.pkl: its checksum does not match");
}

void TestTorchDamaged::isNotMine()
{
    ZipMaker other;
    other.add({.name = "a.npy", .data = "x"});
    ZipMaker nothing;
    for (const std::string& bytes : {std::string(), std::string("P"), std::string(100, 'x'), other.bytes(), nothing.bytes(),
                                     std::string("\x80\x02}q\0.", 6), std::string("\x93NUMPY")})
        for (core::io::Reader* reader :
             {&core::io::readTorchScript, &core::io::readPt2, &core::io::readTorchZip, &core::io::readTorchLegacy})
            QVERIFY(!reader(fileOf(bytes), {}, {}));
}

QTEST_APPLESS_MAIN(TestTorchDamaged)
#include "test_torch_damaged.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip_archive.h"
#include "tests/core/io/zip_maker.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <span>
#include <string>
#include <string_view>

using core::io::ZipArchive;
using tests::ZipMaker;

class TestZipArchive : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsMembers_data();
    void findsMembers();
    void mapsStoredMembersInPlace();
    void comparesChecksums();
    void stopsOnRequest();
    void opensMembersPast4GiB();
    void endsAtTheRealEnd();
};

namespace {

std::shared_ptr<const ZipArchive> open(const std::string& bytes)
{
    return ZipArchive::open(core::MappedFile::fromBytes("a.zip", std::as_bytes(std::span(bytes))));
}

std::string textOf(const core::Storage& storage)
{
    return {reinterpret_cast<const char*>(storage.bytes.data()), storage.bytes.size()};
}

/// "hello hello hello hello", deflated by Python's zlib (raw).
const std::string deflated("\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01", 10);

} // namespace

void TestZipArchive::findsMembers_data()
{
    QTest::addColumn<bool>("useZip64");
    QTest::newRow("plain") << false;
    QTest::newRow("Zip64") << true;
}

void TestZipArchive::findsMembers()
{
    QFETCH(bool, useZip64);
    ZipMaker maker;
    maker.useZip64 = useZip64;
    maker.add({.name = "a/b", .data = "12345"})
        .add({.name = "folder/"})
        .add({.name = "packed", .data = deflated, .method = 8, .declaredSize = 23});
    const auto archive = open(maker.bytes());
    QVERIFY(archive);
    QCOMPARE(archive->members().size(), std::size_t{3});
    QVERIFY(archive->members()[1].isFolder());
    QVERIFY(!archive->find("none"));
    QCOMPARE(textOf(archive->load(*archive->find("a/b"), 0, {})), std::string("12345"));
    QCOMPARE(textOf(archive->load(*archive->find("packed"), 100, {})), std::string("hello hello hello hello"));
    QVERIFY_THROWS_EXCEPTION(core::Error, archive->load(*archive->find("packed"), 22, {}));
}

void TestZipArchive::mapsStoredMembersInPlace()
{
    ZipMaker maker;
    maker.add({.name = "x", .data = "data"});
    const auto archive = open(maker.bytes());
    const auto storage = archive->load(archive->members()[0], 0, {});
    const auto whole = archive->file()->bytes();
    // A local header of 30 bytes and the name come first.
    QCOMPARE(storage.bytes.data() - whole.data(), std::ptrdiff_t{31});
    QCOMPARE(storage.file.get(), archive->file().get());
}

void TestZipArchive::comparesChecksums()
{
    ZipMaker maker;
    // CRC-32 of "123456789" is the check value of every CRC catalogue.
    maker.add({.name = "good", .data = "123456789", .crc = 0xCBF43926})
        .add({.name = "bad", .data = "123456780", .crc = 0xCBF43926})
        .add({.name = "none", .data = "123456780"})
        .add({.name = "packed", .data = deflated, .method = 8, .declaredSize = 23, .crc = 0x8D3D51E3})
        .add({.name = "packed badly", .data = deflated, .method = 8, .declaredSize = 23, .crc = 1});
    const auto archive = open(maker.bytes());
    QVERIFY(!archive->verify(*archive->find("good"), {}));
    QVERIFY(archive->verify(*archive->find("bad"), {}).value().starts_with("a.zip: member bad: its checksum does not match"));
    QVERIFY(!archive->verify(*archive->find("none"), {}));
    QVERIFY2(!archive->verify(*archive->find("packed"), {}),
             archive->verify(*archive->find("packed"), {}).value_or("").c_str());
    QVERIFY(archive->verify(*archive->find("packed badly"), {}));
}

void TestZipArchive::stopsOnRequest()
{
    ZipMaker maker;
    maker.add({.name = "x", .data = "123456789", .crc = 0xCBF43926});
    const auto archive = open(maker.bytes());
    std::stop_source source;
    source.request_stop();
    QVERIFY_THROWS_EXCEPTION(core::Cancelled, archive->verify(archive->members()[0], {source.get_token(), {}}));
}

void TestZipArchive::opensMembersPast4GiB()
{
    const QTemporaryDir folder;
    ZipMaker maker;
    maker.useZip64 = true;
    maker.add({.name = "large", .data = "begin", .hole = std::uint64_t{5} << 30}).add({.name = "behind", .data = "found"});
    const auto path = folder.filePath("large.zip").toStdString();
    maker.write(path);
    const auto archive = ZipArchive::open(core::MappedFile::open(path));
    QVERIFY(archive);
    const auto large = archive->load(*archive->find("large"), 0, {});
    QCOMPARE(large.bytes.size(), (std::size_t{5} << 30) + 5);
    QCOMPARE(static_cast<int>(large.bytes.back()), 0);
    QCOMPARE(textOf(archive->load(*archive->find("behind"), 0, {})), std::string("found"));
}

void TestZipArchive::endsAtTheRealEnd()
{
    ZipMaker inner;
    inner.add({.name = "inner", .data = "1"});
    ZipMaker outer;
    outer.add({.name = "outer", .data = inner.bytes()});
    const auto bytes = outer.bytes();
    QVERIFY(open(bytes)->find("outer"));
    // Cut behind the inner archive: its directory must not be taken for the whole one's.
    const auto cut = bytes.substr(0, bytes.find("PK\1\2", bytes.find("PK\5\6")) + 10);
    QVERIFY_THROWS_EXCEPTION(core::Error, open(cut));
    // A comment may follow the end record.
    auto commented = bytes + "comment";
    commented[bytes.size() - 2] = 7;
    QVERIFY(open(commented)->find("outer"));
}

QTEST_APPLESS_MAIN(TestZipArchive)
#include "test_zip_archive.moc"

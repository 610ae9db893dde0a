// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/mapped_file.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using core::MappedFile;

namespace {

template <class F>
QString errorOf(F&& act)
{
    try {
        act();
    } catch (const core::Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

constexpr int handledByOthers = 77;

std::size_t countOf(const MappedFile& file, char value)
{
    return std::size_t(std::count(file.bytes().begin(), file.bytes().end(), std::byte(value)));
}

} // namespace

class TestMappedFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // Before the first mapping, so that the guard finds it there.
        std::signal(SIGBUS, [](int) { ::_exit(handledByOthers); });
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void showsTheBytesOfAFile()
    {
        const auto path = make("x", 10'000);
        const auto file = MappedFile::open(path);
        QCOMPARE(file->bytes().size(), std::size_t(10'000));
        QCOMPARE(countOf(*file, 'x'), std::size_t(10'000));
        file->verify();
        QVERIFY(!file->changedOnDisk());
    }

    void opensAnEmptyFile()
    {
        const auto file = MappedFile::open(make("empty", 0));
        QVERIFY(file->bytes().empty());
        file->verify();
    }

    void keepsBytesOfMemory()
    {
        const auto file = MappedFile::fromBytes("name.bin", std::vector<std::byte>(3, std::byte{109}));
        QCOMPARE(file->path().string(), std::string("name.bin"));
        QCOMPARE(countOf(*file, 'm'), std::size_t(3));
        file->verify();
        QVERIFY(!file->changedOnDisk());
    }

    /// Cut off while mapped: reads give zeros where the file is gone, the program lives, verify() says so.
    void survivesTruncation_data()
    {
        QTest::addColumn<int>("left");
        for (const int left : {0, 1, 4096, 5000, 999'999})
            QTest::addRow("%d bytes left", left) << left;
    }
    void survivesTruncation()
    {
        QFETCH(int, left);
        const auto path = make("x", 1'000'000);
        const auto untouched = MappedFile::open(make("y", 100'000));
        const auto file = MappedFile::open(path);
        QCOMPARE(::truncate(path.c_str(), left), 0);
        QCOMPARE(countOf(*file, 'x'), std::size_t(left));
        const auto error = errorOf([&] { file->verify(); });
        QVERIFY2(error.contains(path.c_str()) && error.contains("shorter"), qPrintable(error));
        QVERIFY(file->changedOnDisk());
        QCOMPARE(countOf(*untouched, 'y'), std::size_t(100'000));
        untouched->verify();
    }

    void staysFlaggedWhenTheFileGrowsBack()
    {
        const auto path = make("x", 1'000'000);
        const auto file = MappedFile::open(path);
        QCOMPARE(::truncate(path.c_str(), 0), 0);
        QCOMPARE(countOf(*file, 'x'), std::size_t(0));
        make("x", 1'000'000);
        const auto error = errorOf([&] { file->verify(); });
        QVERIFY2(error.contains("shorter"), qPrintable(error));
    }

    void survivesTruncationInManyThreads()
    {
        std::vector<std::shared_ptr<const MappedFile>> files;
        std::vector<std::string> paths;
        for (int i = 0; i < 300; ++i) { // more than one block of the registry
            paths.push_back(make("x" + std::to_string(i), 3 * 4096));
            files.push_back(MappedFile::open(paths.back()));
        }
        for (int i = 0; i < 300; i += 2)
            QCOMPARE(::truncate(paths[std::size_t(i)].c_str(), 4096), 0);
        std::vector<std::jthread> threads;
        std::atomic<int> wrong = 0;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (std::size_t i = 0; i < files.size(); ++i)
                    if (countOf(*files[i], 'x') != std::size_t(i % 2 == 0 ? 4096 : 3 * 4096))
                        ++wrong;
            });
        threads.clear();
        QCOMPARE(wrong.load(), 0);
        for (std::size_t i = 0; i < files.size(); ++i)
            QCOMPARE(errorOf([&] { files[i]->verify(); }).isEmpty(), i % 2 == 1);
    }

    void noticesChanges()
    {
        const auto path = make("x", 100);
        const auto file = MappedFile::open(path);
        // Files keep times by the kernel's tick: set one that surely differs.
        const struct timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 5}};
        QCOMPARE(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
        QVERIFY(file->changedOnDisk());
        const auto error = errorOf([&] { file->verify(); });
        QVERIFY2(error.contains(path.c_str()) && error.contains("reload"), qPrintable(error));
    }

    /// A file replaced by rename leaves the mapping whole: the old file still exists.
    void noticesReplacement()
    {
        const auto path = make("x", 100);
        const auto file = MappedFile::open(path);
        const auto other = make("z", 100);
        QCOMPARE(::rename(other.c_str(), path.c_str()), 0);
        QVERIFY(file->changedOnDisk());
        file->verify();
        QCOMPARE(countOf(*file, 'x'), std::size_t(100));
    }

    /// Faults outside our mappings reach whoever handled them before.
    void leavesForeignFaultsAlone()
    {
        const auto path = make("x", 4096);
        const auto file = MappedFile::open(make("own", 100));
        const auto child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            const int descriptor = ::open(path.c_str(), O_RDWR);
            const auto* bytes = static_cast<const char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, descriptor, 0));
            if (::ftruncate(descriptor, 0) != 0)
                ::_exit(1);
            ::_exit(static_cast<const volatile char*>(bytes)[0]);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), handledByOthers);
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("reason");
        QTest::newRow("absent") << "absent.bin"
                                << "check the name";
        QTest::newRow("directory") << "."
                                   << "is a directory";
        QTest::newRow("dangling link") << "dangling"
                                       << "check the name";
        QTest::newRow("circle") << "circle"
                                << "check the name";
        QTest::newRow("pipe") << "pipe"
                              << "not a regular file";
    }
    void namesWhatIsWrong()
    {
        QFETCH(QString, file);
        QFETCH(QString, reason);
        QVERIFY(QFile::link("nowhere", m_folder->filePath("dangling")));
        QVERIFY(QFile::link("circle", m_folder->filePath("circle")));
        QCOMPARE(::mkfifo(m_folder->filePath("pipe").toStdString().c_str(), 0600), 0);
        const auto path = m_folder->filePath(file);
        const auto error = errorOf([&] { MappedFile::open(path.toStdString()); });
        QVERIFY2(error.contains(path) && error.contains(reason), qPrintable(error));
    }

private:
    /// A file named after `letters` full of its first letter.
    std::string make(const std::string& letters, std::size_t size)
    {
        const auto path = m_folder->filePath(QString::fromStdString(letters + ".bin")).toStdString();
        std::ofstream(path, std::ios::binary) << std::string(size, letters[0]);
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestMappedFile)
#include "test_mapped_file.moc"

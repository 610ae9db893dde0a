// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/write.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using core::io::AtomicFile;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("<missing>");
}

QStringList allFiles(const QString& folder)
{
    return QDir(folder).entryList(QDir::Files | QDir::Hidden | QDir::System);
}

/// What an Error says, or nothing.
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

} // namespace

class TestAtomicFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void keepsTheOldFileUntilCommit()
    {
        write("old");
        {
            AtomicFile file(path());
            file.write("new");
            QCOMPARE(contentOf(name()), QByteArray("old"));
            QCOMPARE(allFiles(m_folder->path()).size(), 2);
            QVERIFY(allFiles(m_folder->path()).first().startsWith(".x.bin."));
            QCOMPARE(allFiles(m_folder->path()).first().size(), qsizetype(sizeof(".x.bin.XXXXXX") - 1));
        }
        QCOMPARE(contentOf(name()), QByteArray("old"));
        QCOMPARE(allFiles(m_folder->path()), QStringList{"x.bin"});
        write("new");
        QCOMPARE(contentOf(name()), QByteArray("new"));
        QCOMPARE(allFiles(m_folder->path()), QStringList{"x.bin"});
    }

    void writesManyAndLargeBlocks()
    {
        QByteArray expected;
        AtomicFile file(path());
        for (int i = 0; i < 300; ++i) {
            const QByteArray block((i % 7 == 0 ? 1 << 20 : 1) * (i % 5), char('a' + i % 26));
            file.write(std::string_view(block.constData(), std::size_t(block.size())));
            expected += block;
        }
        file.rewrite(3, std::as_bytes(std::span("xyz", 3)));
        file.commit();
        expected.replace(3, 3, "xyz");
        QVERIFY(contentOf(name()) == expected);
    }

    void keepsPermissionsOfAReplacedFile()
    {
        write("old");
        for (const mode_t mode : {0600u, 0644u, 0755u, 0660u}) {
            QCOMPARE(::chmod(path().c_str(), mode), 0);
            write("new");
            struct stat status = {};
            QCOMPARE(::stat(path().c_str(), &status), 0);
            QCOMPARE(status.st_mode & 07777u, mode);
        }
    }

    void givesANewFileTheUsualPermissions()
    {
        const mode_t mask = ::umask(027);
        write("new");
        ::umask(mask);
        struct stat status = {};
        QCOMPARE(::stat(path().c_str(), &status), 0);
        QCOMPARE(status.st_mode & 07777u, 0640u);
    }

    void followsLinks()
    {
        QVERIFY(QDir(m_folder->path()).mkdir("sub"));
        const auto link = m_folder->filePath("link.bin");
        QVERIFY(QFile::link("sub/x.bin", link)); // relative, and dangling at first
        for (const char* text : {"one", "two"}) {
            AtomicFile file(link.toStdString());
            file.write(text);
            file.commit();
            QVERIFY(QFileInfo(link).isSymLink());
            QCOMPARE(contentOf(m_folder->filePath("sub/x.bin")), QByteArray(text));
        }
    }

    void writesPipesDirectly()
    {
        QCOMPARE(::mkfifo(path().c_str(), 0600), 0);
        QByteArray received;
        std::jthread reader([&] { received = contentOf(name()); });
        {
            AtomicFile file(path());
            QVERIFY(file.isStream());
            file.write("through the pipe");
            QVERIFY(errorOf([&] { file.rewrite(0, {}); }).contains("x.bin"));
            file.commit();
        }
        reader.join();
        QCOMPARE(received, QByteArray("through the pipe"));
    }

    void appendsToAGivenDescriptor()
    {
        write("before ");
        QFile target(name());
        QVERIFY(target.open(QIODevice::Append));
        AtomicFile file("/dev/fd/" + std::to_string(target.handle()));
        QVERIFY(file.isStream());
        file.write("after");
        file.commit();
        QCOMPARE(contentOf(name()), QByteArray("before after"));
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("reason");
        QTest::newRow("no folder") << "absent/x.bin"
                                   << "there is no folder";
        QTest::newRow("folder") << "."
                                << "it is a folder";
        QTest::newRow("folder with slash") << "absent/"
                                           << "";
        QTest::newRow("file as folder") << "plain/x.bin"
                                        << "there is no folder";
        QTest::newRow("long name") << QString(300, 'n') << "too long";
        QTest::newRow("link in a circle") << "circle"
                                          << "";
    }
    void namesWhatIsWrong()
    {
        QFETCH(QString, file);
        QFETCH(QString, reason);
        QFile plain(m_folder->filePath("plain"));
        QVERIFY(plain.open(QIODevice::WriteOnly));
        QVERIFY(QFile::link("circle", m_folder->filePath("circle")));
        const auto before = allFiles(m_folder->path());
        const auto full = m_folder->filePath(file);
        const auto error = errorOf([&] { AtomicFile(full.toStdString()).commit(); });
        QVERIFY2(error.contains(full), qPrintable(error));
        QVERIFY2(error.contains(reason), qPrintable(error));
        QCOMPARE(allFiles(m_folder->path()), before);
    }

    void takesTheLongestNames()
    {
        const auto longest = m_folder->filePath(QString(255, 'n'));
        AtomicFile file(longest.toStdString());
        file.write("x");
        file.commit();
        QCOMPARE(contentOf(longest), QByteArray("x"));
    }

    void saysWhenTheDiskIsFull()
    {
        if (!QFile::exists("/dev/full"))
            QSKIP("this machine has no /dev/full");
        const auto error = errorOf([] {
            AtomicFile file("/dev/full");
            file.write("x");
            file.commit();
        });
        QVERIFY2(error.contains("/dev/full") && error.contains("the disk is full"), qPrintable(error));
    }

    void leavesTheOldFileWhenWritingFails()
    {
        write("old");
        // A limit on the size of files stands in for a full disk.
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &limit), 0);
        const struct rlimit small = {1 << 20, limit.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto error = errorOf([&] {
            AtomicFile file(path());
            file.write(std::string(3 << 20, 'x'));
            file.commit();
        });
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &limit), 0);
        std::signal(SIGXFSZ, handler);
        QVERIFY2(error.contains(name()), qPrintable(error));
        QCOMPARE(contentOf(name()), QByteArray("old"));
        QCOMPARE(allFiles(m_folder->path()), QStringList{"x.bin"});
    }

    /// A writer is killed at a random step or a little after it, 500 times: the file is always one of the two, whole.
    void survivesKills()
    {
        const std::string old(300'000, 'o');
        const std::string fresh(2'500'000, 'n');
        write(old);
        constexpr unsigned seed = 7;
        std::mt19937 random(seed);
        int replaced = 0;
        for (int i = 0; i < 500; ++i) {
            killWriter(fresh, int(random() % 29), std::chrono::microseconds(random() % 500));
            const auto content = contentOf(name());
            const bool isNew = content == QByteArray::fromStdString(fresh);
            QVERIFY2(isNew || content == QByteArray::fromStdString(old),
                     qPrintable(QString("seed %1, kill %2: %3 bytes").arg(seed).arg(i).arg(content.size())));
            for (const auto& left : allFiles(m_folder->path())) {
                QVERIFY2(left == "x.bin" || left.startsWith(".x.bin."), qPrintable(left));
                if (left != "x.bin")
                    QFile::remove(m_folder->filePath(left));
            }
            if (isNew) {
                ++replaced;
                write(old);
            }
        }
        QVERIFY2(replaced > 0 && replaced < 500, qPrintable(QString("%1 of 500 writers finished").arg(replaced)));
    }

private:
    /// Starts a process that replaces the file in 25 steps and a commit, and kills it `later` than its step number `steps`.
    void killWriter(const std::string& text, int steps, std::chrono::microseconds later)
    {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const auto writer = ::fork();
        QVERIFY(writer >= 0);
        if (writer == 0) {
            const auto tell = [&] { [[maybe_unused]] const auto told = ::write(ends[1], "", 1); };
            AtomicFile file(path());
            tell();
            for (std::size_t done = 0; done < text.size(); done += text.size() / 25, tell())
                file.write(std::string_view(text).substr(done, text.size() / 25));
            tell();
            file.commit();
            tell();
            ::_exit(0);
        }
        ::close(ends[1]);
        char told = 0;
        for (int step = 0; step < steps && ::read(ends[0], &told, 1) == 1; ++step)
            ;
        const auto until = std::chrono::steady_clock::now() + later;
        while (std::chrono::steady_clock::now() < until)
            ;
        ::kill(writer, SIGKILL);
        ::waitpid(writer, nullptr, 0);
        ::close(ends[0]);
    }

    QString name() const { return m_folder->filePath("x.bin"); }
    std::string path() const { return name().toStdString(); }
    void write(const std::string& text)
    {
        AtomicFile file(path());
        file.write(text);
        file.commit();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestAtomicFile)
#include "test_atomic_file.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <fcntl.h>
#include <sys/stat.h>

namespace {

QStringList filesOf(const QTemporaryDir& folder)
{
    return QDir(folder.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
}

/// A program that runs in a folder; killed when it goes.
class Running
{
public:
    Running(const QTemporaryDir& folder, const QStringList& arguments,
            const QProcessEnvironment& environment = support::withoutDisplay())
    {
        m_process.setWorkingDirectory(folder.path());
        m_process.setProcessEnvironment(environment);
        m_process.start(QStringLiteral(ACTISCOPE_PROGRAM), arguments);
        m_process.waitForStarted();
    }
    /// Whether the thread that waits for signals has begun.
    bool isWatching() const { return threads() > 1; }
    int threads() const
    {
        const QDir folder(QString("/proc/%1/task").arg(m_process.processId()));
        return static_cast<int>(folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot).size());
    }
    ~Running()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    void send(int signal) { ::kill(static_cast<pid_t>(m_process.processId()), signal); }
    QProcess& process() { return m_process; }

private:
    QProcess m_process;
};

} // namespace

/// Ctrl+C and kills at a bad moment.
class TestCliInterrupt : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// A file of 256 Mi zeros (uint8) that takes no room on the disk: minutes of work as a table of coordinates.
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QFile file(m_folder->filePath("zeros.npy"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        constexpr char start[] = "\x93NUMPY\x01\0\x76\0{'descr': '|u1', 'fortran_order': False, 'shape': (268435456,), }";
        const auto header = QByteArray(start, sizeof start - 1).leftJustified(127, ' ') + '\n';
        file.write(header);
        QVERIFY(file.resize(128 + (qint64{1} << 28)));
    }

    void interruptLeavesNoPartialFile_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("code");
        QTest::newRow("Ctrl+C") << SIGINT << 130;
        QTest::newRow("SIGTERM") << SIGTERM << 143;
        QTest::newRow("SIGHUP") << SIGHUP << 129;
    }

    void interruptLeavesNoPartialFile()
    {
        QFETCH(int, signal);
        QFETCH(int, code);
        Running running(*m_folder, {"coords", "zeros.npy", "--where", "== 0", "-o", "rows.csv"});
        QTRY_VERIFY_WITH_TIMEOUT(filesOf(*m_folder).size() == 2, 20000);
        QElapsedTimer timer;
        timer.start();
        running.send(signal);
        QVERIFY(running.process().waitForFinished(10000));
        QVERIFY2(timer.elapsed() < 1500, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(running.process().exitStatus(), QProcess::NormalExit);
        QCOMPARE(running.process().exitCode(), code);
        QCOMPARE(running.process().readAllStandardOutput(), QByteArray());
        QCOMPARE(filesOf(*m_folder), QStringList{"zeros.npy"});
    }

    void interruptEndsABlockedWrite()
    {
        // Nobody reads the pipe, so the program cannot even open it.
        QCOMPARE(::mkfifo(m_folder->filePath("pipe.csv").toLocal8Bit().constData(), 0600), 0);
        Running running(*m_folder, {"coords", "zeros.npy", "--where", "== 0", "--limit", "3", "-o", "pipe.csv"});
        QTRY_VERIFY(running.isWatching());
        running.send(SIGINT);
        QVERIFY(running.process().waitForFinished(10000));
        QCOMPARE(running.process().exitCode(), 130);
    }

    void killLeavesTheOldFile()
    {
        QFile old(m_folder->filePath("rows.csv"));
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        Running running(*m_folder, {"coords", "zeros.npy", "--where", "== 0", "-o", "rows.csv"});
        QTRY_VERIFY_WITH_TIMEOUT(filesOf(*m_folder).size() == 3, 20000);
        running.send(SIGKILL);
        QVERIFY(running.process().waitForFinished(10000));
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), QByteArray("old"));
        for (const auto& name : filesOf(*m_folder))
            QVERIFY2(name == "rows.csv" || name == "zeros.npy" || name.startsWith(".rows.csv."), qPrintable(name));
    }

    /// Only commands wait for signals: the window ends as any program does.
    void signalsEndTheWindow_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGHUP") << SIGHUP;
    }

    void signalsEndTheWindow()
    {
        QFETCH(int, signal);
        auto environment = support::withoutDisplay();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        Running running(*m_folder, {"zeros.npy"}, environment);
        // The window has its workers by then.
        QTRY_VERIFY(running.threads() > 3);
        running.send(signal);
        QVERIFY(running.process().waitForFinished(10000));
        QCOMPARE(running.process().exitStatus(), QProcess::CrashExit);
        QCOMPARE(running.process().exitCode(), signal);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestCliInterrupt)
#include "test_cli_interrupt.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window_bench.h"
#include "ui/input_panel.h"

#include <QApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

// The real window with the real runner on files that try to do harm or are broken (tests/data/hostile).

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds beat{5};
/// What a person notices.
constexpr qint64 longestMs = 250;

qint64 msSince(Clock::time_point start)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

/// The longest time that a thread with nothing to do was kept from running: the machine's own pauses.
class IdlePulse
{
public:
    IdlePulse() : m_thread([this](const std::stop_token& stop) { run(stop); }) {}
    qint64 takeLongest()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_longest, 0);
    }

private:
    void run(const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        auto last = Clock::now();
        while (!stop.stop_requested()) {
            m_wake.wait_for(lock, stop, beat, [] { return false; });
            m_longest = std::max(m_longest, msSince(last));
            last = Clock::now();
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    qint64 m_longest = 0;
    std::jthread m_thread;
};

/// The longest time between two turns of this thread's event loop.
class Pulse
{
public:
    Pulse()
    {
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] {
            m_longest = std::max(m_longest, msSince(m_last));
            m_last = Clock::now();
        });
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.start(beat);
    }
    void restart()
    {
        m_last = Clock::now();
        m_longest = 0;
    }
    qint64 longest() const { return m_longest; }

private:
    QTimer m_timer;
    Clock::time_point m_last = Clock::now();
    qint64 m_longest = 0;
};

app::RunnerSettings settings()
{
    app::RunnerSettings settings;
    settings.program = ACTISCOPE_RUNNER;
    settings.memoryBytes = std::int64_t{3} << 30;
    settings.threads = 1;
    return settings;
}

/// A window with the hand on its pulse.
struct Bench : support::WindowBench
{
    Pulse pulse;
    IdlePulse idle;

    Bench() : WindowBench(core::makeCpuEngine(), core::makeCpuEngine(1), settings())
    {
        Q_EMIT window.runOptionsChanged({false, QStringLiteral("64M"), 1, {}});
    }
    ui::InputPanel* input() const { return window.findChild<ui::InputPanel*>(); }
    void give(const QString& shape)
    {
        auto choice = input()->choice();
        for (std::size_t i = 0; i < choice.arguments.size(); ++i)
            if (i == 0)
                choice.arguments[i] = {choice.arguments[i].name, ui::ArgumentChoice::Kind::random, shape};
        Q_EMIT window.inputChanged(input()->document(), choice);
        Q_EMIT window.runRequested(input()->document());
    }
};

} // namespace

class TestWindowAnswers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QSettings().clear(); }
    void cleanupTestCase()
    {
        qInfo("longest time between two turns of the event loop: %lld ms (%s)", m_longest, m_worst.data());
    }

    void answersThroughout_data()
    {
        QTest::addColumn<QString>("shape");
        QFile file(QStringLiteral(TEST_DATA "/hostile/hostile.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const auto& value : QJsonDocument::fromJson(file.readAll()).array()) {
            const auto facts = value.toObject();
            QStringList sides;
            for (const auto& side : facts[QStringLiteral("argument")].toArray())
                sides.append(QString::number(side.toInt()));
            QTest::newRow(qPrintable(facts[QStringLiteral("file")].toString())) << sides.join(u'x');
        }
    }

    void answersThroughout()
    {
        QFETCH(QString, shape);
        Bench bench;
        bench.pulse.restart();
        bench.idle.takeLongest();
        const QString file = QStringLiteral(TEST_DATA "/hostile/") + QString::fromLatin1(QTest::currentDataTag());
        Q_EMIT bench.window.openRequested({file});
        constexpr int longWait = 60000;
        QTRY_VERIFY_WITH_TIMEOUT(bench.isSettled(), longWait);
        if (bench.input()->document() > 0) {
            bench.give(shape);
            QTRY_VERIFY_WITH_TIMEOUT(bench.isSettled(), longWait);
            // The next run works, or ends as this one.
            Q_EMIT bench.window.runRequested(bench.input()->document());
            QTRY_VERIFY_WITH_TIMEOUT(bench.isSettled(), longWait);
        }
        const qint64 longest = bench.pulse.longest();
        const qint64 machine = bench.idle.takeLongest();
        if (longest > m_longest) {
            m_longest = longest;
            m_worst = QTest::currentDataTag();
        }
        if (longest > longestMs && machine > longestMs / 2)
            QSKIP(qPrintable(QStringLiteral("the machine itself paused for %1 ms").arg(machine)));
        QVERIFY2(longest <= longestMs, qPrintable(QStringLiteral("%1 ms, the machine %2 ms").arg(longest).arg(machine)));
    }

private:
    qint64 m_longest = 0;
    QByteArray m_worst;
};

int main(int argc, char** argv)
{
    const support::OwnSettings settings;
    QApplication application(argc, argv);
    TestWindowAnswers test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_window_answers.moc"

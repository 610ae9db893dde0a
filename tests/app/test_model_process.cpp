// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/model_process.h"
#include "core/error.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <tuple>

// The runner here is a program that plays what the model's name or the first layer says.

namespace {

const std::filesystem::path scripted = TEST_DATA "/torch/scripted.pt";

app::RunnerSettings fakeSettings()
{
    app::RunnerSettings settings;
    settings.program = FAKE_RUNNER;
    return settings;
}

app::RunRequest request(const std::string& layer)
{
    app::RunRequest request;
    request.layers = {layer};
    request.budgetBytes = 4096;
    const std::vector<float> input{7.5f, 1.0f};
    request.arguments.emplace_back("x", app::ModelValue{core::Tensor::fromValues(core::DType::f32, {2}, input)});
    return request;
}

std::vector<float> valuesOf(const app::Capture& capture)
{
    const auto& tensor = std::get<core::Tensor>(capture.value);
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    std::memcpy(values.data(), tensor.data(), values.size() * sizeof(float));
    return values;
}

/// The processes that this one started and that have not been waited for.
std::vector<pid_t> childProcesses()
{
    std::vector<pid_t> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream list(task.path() / "children");
        for (pid_t child = 0; list >> child;)
            found.push_back(child);
    }
    return found;
}

std::size_t openDescriptors()
{
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

} // namespace

class TestModelProcess : public QObject
{
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    /// The fixture under a name that tells the runner what to do.
    std::filesystem::path named(const QString& word)
    {
        const auto path = std::filesystem::path(m_folder.filePath(word + QStringLiteral(".pt")).toStdString());
        std::filesystem::copy_file(scripted, path, std::filesystem::copy_options::overwrite_existing);
        return path;
    }

private Q_SLOTS:
    void runsAndKeepsEarlierCaptures()
    {
        app::ModelProcess process(fakeSettings());
        const auto info = process.open(named(QStringLiteral("good")), {});
        QCOMPARE(info.arguments.at(0).name, std::string("x"));
        QCOMPARE(info.layers.at(0).parameters, std::int64_t{3});
        QCOMPARE(info.channels, std::optional<std::int64_t>(3));
        QVERIFY(!info.features);
        std::vector<std::string> seen;
        app::RunEvents events;
        events.progress = [&](const std::string& layer, std::int64_t, std::int64_t) { seen.push_back(layer); };
        const auto first = process.run(request("ok"), events, {});
        QCOMPARE(first.failure, std::string());
        QCOMPARE(seen, std::vector<std::string>{"ok"});
        QCOMPARE(first.notExecuted, std::vector<std::string>{"aux"});
        QCOMPARE(valuesOf(first.captures.at(0)), (std::vector<float>{7.5f, 8.5f, 9.5f, 10.5f}));
        const auto second = process.run(request("ok"), {}, {});
        QCOMPARE(valuesOf(second.captures.at(0)), valuesOf(first.captures.at(0)));
        QVERIFY(std::get<core::Tensor>(first.captures[0].value).data() !=
                std::get<core::Tensor>(second.captures[0].value).data());
    }

    void writesUnderNoCaptureThatIsHeld()
    {
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        const auto held = process.run(request("ok"), {}, {});
        const void* freed = nullptr;
        for (int i = 0; i < 5; ++i) {
            auto wanted = request("ok");
            const std::vector<float> input{100.0f * static_cast<float>(i + 1), 1.0f};
            wanted.arguments[0].second.value = core::Tensor::fromValues(core::DType::f32, {2}, input);
            const auto result = process.run(wanted, {}, {});
            QCOMPARE(valuesOf(result.captures.at(0)).at(0), input[0]);
            QCOMPARE(valuesOf(held.captures.at(0)), (std::vector<float>{7.5f, 8.5f, 9.5f, 10.5f}));
            // Nobody held the run before: its memory is used again.
            const void* place = std::get<core::Tensor>(result.captures[0].value).data();
            QVERIFY(i == 0 || place == freed);
            freed = place;
        }
    }

    void survivesEveryDeath_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("reason");
        QTest::newRow("segv") << "segv"
                              << "bad memory access";
        QTest::newRow("fpe") << "fpe"
                             << "divides an integer by zero";
        QTest::newRow("abort") << "abort"
                               << "doing abort";
        QTest::newRow("kill") << "kill"
                              << "more memory";
        QTest::newRow("exit") << "exit"
                              << "exit code 7";
        QTest::newRow("garbage") << "garbage"
                                 << "no message";
        QTest::newRow("endless") << "endless"
                                 << "longer message";
    }

    void survivesEveryDeath()
    {
        QFETCH(QString, word);
        QFETCH(QString, reason);
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        const auto result = process.run(request(word.toStdString()), {}, {});
        QVERIFY2(QString::fromStdString(result.failure).contains(reason), result.failure.c_str());
        // What came before stays, and the next run works.
        QCOMPARE(valuesOf(result.captures.at(0)).at(0), 7.5f);
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
        // The same while loading: nothing is open then, and the message names the file.
        try {
            process.open(named(word), {});
            QFAIL("opened");
        } catch (const core::Error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(reason), error.what());
            QVERIFY2(QString::fromUtf8(error.what()).contains(word + QStringLiteral(".pt")), error.what());
        }
        process.open(named(QStringLiteral("good")), {});
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
    }

    void believesNoLie_data()
    {
        QTest::addColumn<QString>("word");
        for (const auto* word : {"outside", "unaligned", "negative", "overflow", "dtype", "fraction"})
            QTest::newRow(word) << QString::fromLatin1(word);
    }

    void believesNoLie()
    {
        QFETCH(QString, word);
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        const auto result = process.run(request(word.toStdString()), {}, {});
        QVERIFY(!result.failure.empty());
        QCOMPARE(result.captures.size(), std::size_t{1});
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
    }

    void namesTheLayerThatFailed()
    {
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        const auto result = process.run(request("failed"), {}, {});
        QCOMPARE(result.failure, std::string("the model failed in layer fc: shapes do not fit"));
        QCOMPARE(result.traceback, std::string("traceback"));
        QCOMPARE(result.captures.size(), std::size_t{1});
    }

    void namesMissingOperators()
    {
        app::ModelProcess process(fakeSettings());
        QVERIFY_EXCEPTION_THROWN(process.open(named(QStringLiteral("missing")), {}), core::Error);
        try {
            process.open(named(QStringLiteral("missing")), {});
        } catch (const core::Error& error) {
            QVERIFY2(
                QString::fromUtf8(error.what()).contains(QStringLiteral("needs mylib::op: give its library with --op-library")),
                error.what());
        }
    }

    void stopsWithinMoments()
    {
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        std::stop_source source;
        core::Job job;
        job.stop = source.get_token();
        app::RunEvents events;
        QElapsedTimer sinceStop;
        events.captured = [&](const app::Capture&) {
            source.request_stop();
            sinceStop.start();
        };
        bool cancelled = false;
        try {
            process.run(request("hang"), events, job);
        } catch (const core::Cancelled&) {
            cancelled = true;
        }
        QVERIFY(cancelled);
        // A guard against hanging, not a measurement.
        QVERIFY(sinceStop.elapsed() < 5000);
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
    }

    void stopsInAnEvent()
    {
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        app::RunEvents events;
        events.progress = [](const std::string&, std::int64_t, std::int64_t) { throw core::Cancelled{}; };
        QVERIFY_EXCEPTION_THROWN(process.run(request("hang"), events, {}), core::Cancelled);
        // The one that hangs is gone.
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
    }

    void endsAHangAtTheTimeLimit()
    {
        auto settings = fakeSettings();
        settings.timeLimit = std::chrono::seconds(1);
        app::ModelProcess process(settings);
        process.open(named(QStringLiteral("good")), {});
        const auto result = process.run(request("hang"), {}, {});
        QVERIFY2(result.failure.find("time limit") != std::string::npos, result.failure.c_str());
    }

    void leaksNothing()
    {
        const auto before = openDescriptors();
        for (int i = 0; i < 20; ++i) {
            app::ModelProcess process(fakeSettings());
            process.open(named(QStringLiteral("good")), {});
            process.run(request(i % 2 ? "segv" : "ok"), {}, {});
        }
        QCOMPARE(openDescriptors(), before);
        // No child is left, dead or alive.
        QVERIFY(::waitpid(-1, nullptr, WNOHANG) < 0);
    }

    void saysWhatIsMissing()
    {
        app::RunnerSettings settings;
        settings.program = "/nowhere/actiscope-runner";
        app::ModelProcess process(settings);
        try {
            process.open(named(QStringLiteral("good")), {});
            QFAIL("opened");
        } catch (const core::Error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QStringLiteral("not installed")), error.what());
        }
        // No TorchScript program at all.
        QVERIFY_EXCEPTION_THROWN(process.open(TEST_DATA "/torch/dtypes.pt", {}), core::Error);
    }

    void startsAheadOfTheModelAndAfterADeath()
    {
        auto settings = fakeSettings();
        settings.startsAhead = true;
        app::ModelProcess process(settings);
        process.startAhead();
        const auto waiting = childProcesses();
        QCOMPARE(waiting.size(), std::size_t{1});
        process.open(named(QStringLiteral("good")), {});
        QCOMPARE(childProcesses(), waiting);
        QVERIFY(!process.run(request("segv"), {}, {}).failure.empty());
        // The next one is there before anybody asks for it, and is the one that runs.
        const auto next = childProcesses();
        QCOMPARE(next.size(), std::size_t{1});
        QVERIFY(next != waiting);
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
        QCOMPARE(childProcesses(), next);
    }

    void startsAnewWhatDiedWhileItWaited()
    {
        app::ModelProcess process(fakeSettings());
        process.startAhead();
        const auto waiting = childProcesses().at(0);
        QCOMPARE(::kill(waiting, SIGKILL), 0);
        siginfo_t end{};
        QCOMPARE(::waitid(P_PID, static_cast<id_t>(waiting), &end, WEXITED | WNOWAIT), 0);
        process.open(named(QStringLiteral("good")), {});
        QCOMPARE(process.run(request("ok"), {}, {}).failure, std::string());
        auto settings = fakeSettings();
        settings.program = "/nowhere/actiscope-runner";
        app::ModelProcess none(settings);
        none.startAhead();
        QVERIFY_EXCEPTION_THROWN(none.open(named(QStringLiteral("good")), {}), core::Error);
    }

    void cutsALongLogAtALine()
    {
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        process.run(request("chatty"), {}, {});
        const auto log = process.takeLog();
        const auto end = log.find('\n');
        QCOMPARE(log.substr(0, end), std::string("... (what came before is left out)"));
        // Whole lines follow, up to the last that was printed.
        const auto line = log.substr(end + 1, log.find('\n', end + 1) - end - 1);
        QVERIFY2(line.starts_with("line ") && line.ends_with(" of many"), line.c_str());
        QVERIFY(log.ends_with("line 19999 of many\n"));
        QVERIFY(log.size() < 66000);
        QVERIFY(process.takeLog().empty());
    }

    void tellsProgress()
    {
        app::ModelProcess process(fakeSettings());
        process.open(named(QStringLiteral("good")), {});
        std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> seen;
        app::RunEvents events;
        events.progress = [&](const std::string& layer, std::int64_t done, std::int64_t total) {
            seen.emplace_back(layer, done, total);
        };
        QCOMPARE(process.run(request("ok"), events, {}).failure, std::string());
        QCOMPARE(seen.size(), std::size_t{1});
        QVERIFY((seen[0] == std::tuple<std::string, std::int64_t, std::int64_t>{"ok", 1, 2}));
        QVERIFY(!process.run(request("oddprogress"), events, {}).failure.empty());
        QCOMPARE(seen.size(), std::size_t{2});
    }

    void names()
    {
        const auto capture = [](const char* layer, int call, const char* member) {
            app::Capture one;
            one.layer = layer;
            one.call = call;
            one.member = member;
            return one;
        };
        std::vector<app::Capture> captures{capture("a", 0, ""), capture("rnn", 0, "[0]"), capture("rnn", 0, "[1][0]"),
                                           capture("b", 0, ""), capture("b", 1, ""),      capture("d", 0, ".key")};
        captures.push_back(capture("b", 0, ""));
        captures.back().op = app::OperatorSite{"aten::relu", "x.1", "net.py:3"};
        captures.push_back(capture("", 0, "[0]"));
        captures.back().isOutput = true;
        app::nameCaptures(captures);
        std::vector<std::string> found;
        for (const auto& one : captures)
            found.push_back(one.name);
        QCOMPARE(found,
                 (std::vector<std::string>{"a", "rnn[0]", "rnn[1][0]", "b#0", "b#1", "d.key", "b%x.1@net.py:3", "output[0]"}));
    }
};

QTEST_GUILESS_MAIN(TestModelProcess)
#include "test_model_process.moc"

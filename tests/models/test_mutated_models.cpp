// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/script_scan.h"
#include "tests/core/io/mutate.h"
#include "tests/models/model_index.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <fstream>
#include <memory>

using nlohmann::json;
using support::ClientArena;
using support::RunnerClient;

namespace {

/// ACTISCOPE_MUTATIONS, or 300.
int count()
{
    const char* asked = std::getenv("ACTISCOPE_MUTATIONS");
    return asked ? std::atoi(asked) : 300;
}

/// ACTISCOPE_SEED, or another one every day.
std::uint64_t seed()
{
    const char* asked = std::getenv("ACTISCOPE_SEED");
    if (asked)
        return std::strtoull(asked, nullptr, 10);
    const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    return static_cast<std::uint64_t>(days.time_since_epoch().count()) << 20;
}

} // namespace

/// Damaged archives, loaded and run by one runner until it dies; half of them are looked at first, as the program does.
class TestMutatedModels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyEndIsTold();

private:
    enum class End { refused, failed, ran, died };
    End openAndRun(const std::filesystem::path& file, const support::ModelIndex& model, bool scanned);
    void check(const json& message);

    std::unique_ptr<RunnerClient> m_runner;
};

void TestMutatedModels::check(const json& message)
{
    QVERIFY2(!message["message"].get<std::string>().empty() || !message["missing"].empty(), message.dump().c_str());
}

TestMutatedModels::End TestMutatedModels::openAndRun(const std::filesystem::path& file, const support::ModelIndex& model,
                                                     bool scanned)
{
    try {
        if (scanned)
            core::io::scanScript(file, {});
    } catch (const core::Error&) {
        return End::refused;
    }
    if (!m_runner)
        m_runner = std::make_unique<RunnerClient>(std::vector<std::string>{"--threads", "1", "--memory", "8589934592"});
    const auto opened = m_runner->open(file);
    if (opened.is_null())
        return End::died;
    if (opened["type"] == "failed") {
        check(opened);
        return End::failed;
    }
    ClientArena arena(model.argumentBytes(), 1 << 20);
    const auto answers = m_runner->run({{"arguments", model.arguments(arena)}, {"layers", "*"}, {"operators", false}}, arena);
    if (answers.empty() || (answers.back()["type"] != "done" && answers.back()["type"] != "failed"))
        return End::died;
    if (answers.back()["type"] == "failed")
        check(answers.back());
    return answers.back()["type"] == "failed" ? End::failed : End::ran;
}

void TestMutatedModels::everyEndIsTold()
{
    const std::vector<std::string> names{"control_flow", "interfaces", "lstm", "arguments", "in_place", "forks"};
    std::vector<tests::Bytes> seeds;
    std::vector<support::ModelIndex> models;
    for (const auto& name : names) {
        seeds.push_back(tests::readBytes(TEST_DATA "/models/" + name + ".pt"));
        models.emplace_back(name);
    }
    QTemporaryDir folder;
    QVERIFY(QDir::setCurrent(folder.path()));
    const auto file = std::filesystem::path(folder.filePath("mutated.pt").toStdString());
    std::map<End, int> ends;
    for (int i = 0; i < count(); ++i) {
        const auto number = seed() + static_cast<std::uint64_t>(i);
        const auto which = static_cast<std::size_t>(number % names.size());
        const auto bytes = tests::Mutator(seeds[which], number).damage();
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        const auto end = openAndRun(file, models[which], i % 2 == 0);
        ++ends[end];
        if (end == End::died) {
            const int status = m_runner->wait();
            QVERIFY2(status != 0, qPrintable(QStringLiteral("%1, seed %2: the runner ended without a word")
                                                 .arg(QString::fromStdString(names[which]))
                                                 .arg(number)));
            m_runner.reset();
        }
        // Nothing but the archive itself lies there.
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden).size(), 1);
    }
    qInfo("seed %llu: %d refused before, %d failed, %d ran, %d runners died", static_cast<unsigned long long>(seed()),
          ends[End::refused], ends[End::failed], ends[End::ran], ends[End::died]);
    QVERIFY(ends[End::failed] + ends[End::ran] + ends[End::died] > count() / 5);
}

QTEST_GUILESS_MAIN(TestMutatedModels)
#include "test_mutated_models.moc"

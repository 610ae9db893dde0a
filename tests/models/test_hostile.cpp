// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/models/model_index.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <memory>

using nlohmann::json;
using support::ClientArena;
using support::RunnerClient;

namespace {

const std::string folder = TEST_DATA "/hostile/";

/// How a file ended, in the words of hostile.json, and what was said.
struct End
{
    std::string how;
    std::string message;
};

bool isAmong(const json& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool holdsOne(const json& words, const QString& message)
{
    return std::any_of(words.begin(), words.end(), [&](const json& word) {
        return message.contains(QString::fromStdString(word.get<std::string>()), Qt::CaseInsensitive);
    });
}

} // namespace

/// Files that try to do harm or are broken, through the runner alone: what is caught before, or stopped by a time limit, is
/// tested with the program that does so (make_hostile.py says what is in hostile.json).
class TestHostile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ends_data();
    void ends();

private:
    End openAndRun(const std::string& file, const core::Shape& shape);

    std::unique_ptr<RunnerClient> m_runner;
    QTemporaryDir m_folder;
};

void TestHostile::ends_data()
{
    QTest::addColumn<QByteArray>("facts");
    int rows = 0;
    for (const json& facts : json::parse(std::ifstream(folder + "hostile.json"))) {
        if (isAmong(facts["ends"], "stopped"))
            continue;
        QTest::newRow(facts["file"].get<std::string>().c_str()) << QByteArray::fromStdString(facts.dump());
        ++rows;
    }
    QVERIFY(rows >= 25);
    // Files that a model writes would land here.
    QVERIFY(QDir::setCurrent(m_folder.path()));
}

End TestHostile::openAndRun(const std::string& file, const core::Shape& shape)
{
    const json opened = m_runner->open(folder + file);
    if (opened.is_null())
        return {"died", {}};
    if (opened["type"] == "failed")
        return {"failed", opened["message"].get<std::string>()};
    const std::vector<float> ones(static_cast<std::size_t>(core::elementCount(shape)), 1.0F);
    ClientArena arena(ones.size() * sizeof(float), 1 << 20);
    json arguments = json::array();
    if (!opened["arguments"].empty())
        arguments.push_back({{"name", opened["arguments"][0]["name"]},
                             {"value", arena.add(core::Tensor::fromValues(core::DType::f32, shape, ones))}});
    const auto answers = m_runner->run({{"arguments", arguments}, {"layers", "*"}}, arena);
    if (answers.empty() || (answers.back()["type"] != "done" && answers.back()["type"] != "failed"))
        return {"died", {}};
    return {answers.back()["type"].get<std::string>(), answers.back().value("message", "")};
}

void TestHostile::ends()
{
    QFETCH(const QByteArray, facts);
    const json expected = json::parse(facts.toStdString());
    if (!m_runner)
        m_runner = std::make_unique<RunnerClient>(std::vector<std::string>{"--threads", "1", "--memory", "8589934592"});
    const End end = openAndRun(expected["file"].get<std::string>(), expected["argument"].get<core::Shape>());
    if (end.how == "died")
        m_runner.reset();
    const bool isCaughtBefore = isAmong(expected["ends"], "refused");
    QVERIFY2(isAmong(expected["ends"], end.how) || isCaughtBefore, (end.how + ": " + end.message).c_str());
    if (end.how == "failed") {
        QVERIFY(!end.message.empty());
        QVERIFY2(isCaughtBefore || holdsOne(expected["cause"], QString::fromStdString(end.message)), end.message.c_str());
        QVERIFY2(end.message.find('\n') == std::string::npos && end.message.find("frame #") == std::string::npos,
                 end.message.c_str());
    }
    QVERIFY(QDir(m_folder.path()).isEmpty());
    QVERIFY(!QFile::exists(QStringLiteral("/tmp/actiscope_hostile_output")));
}

QTEST_GUILESS_MAIN(TestHostile)
#include "test_hostile.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/models/model_index.h"

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

using nlohmann::json;
using support::ClientArena;
using support::ModelIndex;
using support::RunnerClient;

namespace {

/// For QCOMPARE, which takes a json for something else.
std::string text(const json& value)
{
    return value.dump();
}

/// Name and value, or name and what the index tells of it.
using Capture = std::pair<std::string, json>;

constexpr std::uint64_t budget = 256u << 20;

/// How often each layer was captured, to name captures as the index does.
std::map<std::string, std::set<int>> callsOf(const std::vector<json>& answers)
{
    std::map<std::string, std::set<int>> calls;
    for (const json& answer : answers) {
        if (answer["type"] == "captured")
            calls[answer["layer"].get<std::string>()].insert(answer["call"].get<int>());
    }
    return calls;
}

/// Name and value of everything captured, in order; the model itself as "output".
std::vector<Capture> capturesOf(const std::vector<json>& answers)
{
    const auto calls = callsOf(answers);
    std::vector<Capture> captures;
    for (const json& answer : answers) {
        if (answer["type"] == "output")
            captures.emplace_back("output" + answer["member"].get<std::string>(), answer["value"]);
        if (answer["type"] != "captured" || answer["layer"] == "")
            continue;
        const auto layer = answer["layer"].get<std::string>();
        const std::string call = calls.at(layer).size() > 1 ? fmt::format("#{}", answer["call"].get<int>()) : "";
        captures.emplace_back(layer + call + answer["member"].get<std::string>(), answer["value"]);
    }
    return captures;
}

/// The captures of the index that a file gives, under the file's names for them.
std::vector<Capture> expectedOf(const ModelIndex& model, const json& file)
{
    std::vector<Capture> expected;
    const json lost = file.value("lost", json::array());
    const json renamed = file.value("renamed", json::object());
    for (const json& capture : model.index["captures"]) {
        const auto name = capture["name"].get<std::string>();
        const bool isLost = std::find(lost.begin(), lost.end(), name) != lost.end();
        if (!isLost && (file["made"] != "frozen" || capture["layer"].is_null()))
            expected.emplace_back(renamed.value(name, name), capture);
    }
    return expected;
}

std::string namesOf(const std::vector<Capture>& captures)
{
    std::string names;
    for (const auto& [name, value] : captures)
        names += name + " ";
    return names;
}

void compare(const std::vector<json>& answers, const ClientArena& arena, const ModelIndex& model, const json& file)
{
    auto captures = capturesOf(answers);
    auto expected = expectedOf(model, file);
    if (!file.value("renamed", json::object()).empty()) {
        // A traced module may return the members of a dict in another order.
        std::ranges::sort(captures, {}, &Capture::first);
        std::ranges::sort(expected, {}, &Capture::first);
    }
    QCOMPARE(namesOf(captures), namesOf(expected));
    for (std::size_t i = 0; i < captures.size(); ++i) {
        const std::string found = difference(captures[i].second, arena, expected[i].second, model);
        QVERIFY2(found.empty(), (captures[i].first + ": " + found).c_str());
    }
}

} // namespace

/// Each model under tests/data/models against what eager PyTorch's forward hooks saw of it.
class TestHooks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void captures_data();
    void captures();

private:
    /// One thread: the tests' values were made so, and sums keep their order.
    RunnerClient m_runner{{"--threads", "1"}};
};

void TestHooks::captures_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("file");
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(TEST_DATA "/models")) {
        if (entry.path().extension() == ".json")
            files.insert(entry.path());
    }
    QVERIFY(files.size() >= 30);
    for (const auto& path : files) {
        const std::string name = path.stem();
        const ModelIndex model(name);
        for (const json& file : model.index["files"]) {
            const auto fileName = file["file"].get<std::string>();
            QTest::newRow(fileName.c_str()) << QString::fromStdString(name) << QString::fromStdString(fileName);
        }
    }
}

void TestHooks::captures()
{
    QFETCH(const QString, model);
    QFETCH(const QString, file);
    const ModelIndex index(model.toStdString());
    const json& files = index.index["files"];
    const json facts =
        *std::find_if(files.begin(), files.end(), [&](const json& one) { return one["file"] == file.toStdString(); });
    const json opened =
        m_runner.open(TEST_DATA "/models/" + file.toStdString(), {{"operators", facts.value("operators", json::array())}});
    QVERIFY2(!opened.is_null() && opened["type"] == "opened", opened.dump().c_str());

    // Twice: a run leaves nothing behind.
    for (int run = 0; run < 2; ++run) {
        ClientArena arena(index.argumentBytes(), budget);
        const json arguments = index.arguments(arena);
        const auto answers = m_runner.run({{"arguments", arguments}, {"layers", "*"}, {"seed", index.index["seed"]}}, arena);
        QVERIFY(!answers.empty());
        const json& end = answers.back();
        if (index.index.contains("failure")) {
            QCOMPARE(text(end["type"]), text(json("failed")));
            QCOMPARE(text(end["layer"]), text(index.index["failure"]["layer"]));
            const auto message = end["message"].get<std::string>();
            QVERIFY2(message.find(index.index["failure"]["message"].get<std::string>()) != std::string::npos, message.c_str());
            QVERIFY2(message.find('\n') == std::string::npos, message.c_str());
        } else {
            QVERIFY2(end["type"] == "done", end.dump().c_str());
            if (facts["made"] != "frozen")
                QCOMPARE(end["notExecuted"].get<std::set<std::string>>(), facts["notExecuted"].get<std::set<std::string>>());
        }
        compare(answers, arena, index, facts);
        // A run on a model in training mode changes its running averages, as eager does.
        if (opened["training"] == true || QTest::currentTestFailed())
            break;
    }
}

QTEST_GUILESS_MAIN(TestHooks)
#include "test_hooks.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/models/model_index.h"

#include <QFile>
#include <QTest>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

const std::string models = TEST_DATA "/models/";

/// An input of the model "resnet" and its index.
struct Resnet
{
    ModelIndex index{"resnet"};
    ClientArena arena;
    json arguments;

    explicit Resnet(std::uint64_t budget) : arena(index.argumentBytes(), budget), arguments(index.arguments(arena)) {}
};

std::vector<json> only(const std::vector<json>& answers, const char* type)
{
    std::vector<json> chosen;
    for (const json& answer : answers) {
        if (answer["type"] == type)
            chosen.push_back(answer);
    }
    return chosen;
}

/// Ended, whether or not somebody has asked for its exit code.
bool isGone(int process)
{
    QFile file(QStringLiteral("/proc/%1/cmdline").arg(process));
    return !file.open(QIODevice::ReadOnly) || file.readAll().isEmpty();
}

/// A memfd with these bytes.
int fileOf(const std::string& bytes)
{
    const int file = ::memfd_create("model", MFD_CLOEXEC);
    if (::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("no file");
    return file;
}

} // namespace

/// The protocol of docs/runner-protocol.md, spoken with the real program.
class TestRunner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysHello();
    void tellsOfTheModel();
    void capturesChosenLayersOnly();
    void capturesOperatorsWithTheirLines();
    void givesStatisticsWithoutRoom();
    void seedsRandomInputs();
    void refuses_data();
    void refuses();
    void namesMissingOperators();
    void loadsALibraryThatNamesAllOfLibTorch();
    void refusesAnArenaThatCanShrink();
    void survivesDamagedFiles();
    void endsWithItsParent();
    void endsAtTheMemoryLimit();
    void reportsAStartThatFails();
};

void TestRunner::saysHello()
{
    RunnerClient runner;
    QCOMPARE(text(runner.first["type"]), text(json("hello")));
    QCOMPARE(text(runner.first["protocol"]), text(json(1)));
    QCOMPARE(runner.first["libtorch"].get<std::string>().substr(0, 2), std::string("2."));
    QCOMPARE(text(runner.first["sandbox"]["seccomp"]), text(json(true)));
    QVERIFY(runner.first["cuda"].is_null());
    RunnerClient trusting({"--trust"});
    QCOMPARE(text(trusting.first["sandbox"]), text(json({{"landlock", 0}, {"seccomp", false}})));
}

void TestRunner::tellsOfTheModel()
{
    RunnerClient runner;
    const json opened = runner.open(models + "resnet.pt");
    QCOMPARE(text(opened["type"]), text(json("opened")));
    QCOMPARE(text(opened["model"]), text(json("models_vision.NarrowResNet")));
    QCOMPARE(text(opened["training"]), text(json(false)));
    QCOMPARE(text(opened["arguments"]), text(json::parse(R"([{"name":"x","type":"Tensor","default":null,"required":true}])")));
    QCOMPARE(text(opened["hints"]["channels"]), text(json(3)));
    QCOMPARE(text(opened["hints"]["axes"]), text(json(2)));
    const json& first = opened["layers"][0];
    QCOMPARE(text(first["name"]), text(json("conv1")));
    QCOMPARE(text(first["type"]), text(json("torch.nn.modules.conv.Conv2d")));
    QCOMPARE(text(first["calls"]), text(json(1)));
    QVERIFY(first["same"].is_null());
    // 7x7 filters over 3 channels without bias; the second number of its shape comes from the file's own tensor.
    QCOMPARE(first["parameters"].get<int>() % (7 * 7 * 3), 0);
    QVERIFY(opened["warnings"].empty());

    const json frozen = runner.open(models + "resnet_frozen.pt");
    QVERIFY(frozen["layers"].empty());
    QCOMPARE(frozen["warnings"].size(), std::size_t{1});

    // Freezing keeps modules whose parameters an operator takes; nothing calls them.
    const json kept = runner.open(models + "encoder_frozen.pt");
    QVERIFY(!kept["layers"].empty());
    QCOMPARE(kept["warnings"].size(), std::size_t{1});
    QVERIFY(runner.open(models + "encoder.pt")["warnings"].empty());

    const json shared = runner.open(models + "shared.pt");
    std::map<std::string, std::string> same;
    for (const json& layer : shared["layers"]) {
        if (!layer["same"].is_null())
            same[layer["name"].get<std::string>()] = layer["same"].get<std::string>();
    }
    const std::map<std::string, std::string> expected{
        {"second", "first"}, {"second.linear", "first.linear"}, {"left.0", "first.linear"}, {"right.0", "first.linear"}};
    QVERIFY2(same == expected, shared["layers"].dump().c_str());
}

void TestRunner::capturesChosenLayersOnly()
{
    RunnerClient runner({"--threads", "1"});
    runner.open(models + "resnet.pt");
    Resnet resnet(64u << 20);
    const auto answers = runner.run({{"arguments", resnet.arguments}, {"layers", {"layer1", "", "conv1"}}}, resnet.arena);
    QCOMPARE(text(answers.back()["type"]), text(json("done")));
    std::vector<std::string> names;
    for (const json& answer : only(answers, "captured"))
        names.push_back(answer["layer"].get<std::string>());
    QCOMPARE(names, (std::vector<std::string>{"conv1", "layer1", ""}));
    // The model itself lies where its output does.
    QCOMPARE(text(only(answers, "captured")[2]["value"]), text(only(answers, "output")[0]["value"]));
    QCOMPARE(text(answers.back()["dropped"]), text(json(0)));
}

void TestRunner::capturesOperatorsWithTheirLines()
{
    RunnerClient runner({"--threads", "1"});
    runner.open(models + "resnet.pt");
    Resnet resnet(64u << 20);
    const auto answers =
        runner.run({{"arguments", resnet.arguments}, {"layers", {"conv1", "bn1"}}, {"operators", true}}, resnet.arena);
    QCOMPARE(text(answers.back()["type"]), text(json("done")));
    int convolutions = 0;
    json layer;
    for (const json& answer : only(answers, "captured")) {
        const json& op = answer["operator"];
        QVERIFY(answer["layer"] == "conv1" || answer["layer"] == "bn1");
        if (op.is_null() && answer["layer"] == "conv1")
            layer = answer["value"]["tensor"];
        if (op.is_null() || op["name"] != "aten::conv2d")
            continue;
        ++convolutions;
        QVERIFY2(op["line"].get<std::string>().find("conv.py:") != std::string::npos, op.dump().c_str());
        // The operator's output is the layer's.
        const auto value = resnet.arena.tensor(answer["value"]["tensor"]);
        QVERIFY(value.elements() > 0);
        QCOMPARE(text(answer["value"]["tensor"]["shape"]), text(json(value.shape())));
    }
    QCOMPARE(convolutions, 1);
    QVERIFY(!layer.is_null());

    // A frozen model has only operators.
    runner.open(models + "resnet_frozen.pt");
    const auto frozen = runner.run({{"arguments", resnet.arguments}, {"layers", "*"}, {"operators", true}}, resnet.arena);
    QCOMPARE(text(frozen.back()["type"]), text(json("done")));
    QVERIFY(only(frozen, "captured").size() > 10);
}

void TestRunner::givesStatisticsWithoutRoom()
{
    RunnerClient runner({"--threads", "1"});
    runner.open(models + "resnet.pt");
    Resnet roomy(64u << 20);
    const auto kept = only(runner.run({{"arguments", roomy.arguments}, {"layers", {"conv1"}}}, roomy.arena), "captured");
    const core::Tensor values = roomy.arena.tensor(kept.at(0)["value"]["tensor"]);
    double sum = 0;
    double squares = 0;
    double most = -INFINITY;
    int zeros = 0;
    for (std::int64_t i = 0; i < values.elements(); ++i) {
        float value = 0;
        std::memcpy(&value, values.data() + i * 4, 4);
        sum += value;
        squares += static_cast<double>(value) * value;
        most = std::max(most, static_cast<double>(value));
        zeros += value == 0;
    }
    const auto count = static_cast<double>(values.elements());

    Resnet tight(0);
    const auto answers = runner.run({{"arguments", tight.arguments}, {"layers", {"conv1"}}}, tight.arena);
    const json statistics = only(answers, "captured").at(0)["value"]["statistics"];
    QCOMPARE(text(statistics["shape"]), text(json(values.shape())));
    QCOMPARE(text(statistics["dtype"]), text(json("float32")));
    QCOMPARE(text(statistics["elements"]), text(json(values.elements())));
    QCOMPARE(text(statistics["max"]), text(json(most)));
    QCOMPARE(text(statistics["zeros"]), text(json(zeros)));
    const double mean = sum / count;
    QVERIFY(std::abs(statistics["mean"].get<double>() - mean) < 1e-9);
    QVERIFY(std::abs(statistics["std"].get<double>() - std::sqrt(squares / count - mean * mean)) < 1e-6);
    int told = 0;
    for (const json& answer : answers)
        told += answer.contains("value") && answer["value"].contains("statistics");
    QCOMPARE(text(answers.back()["dropped"]), text(json(told)));
    QVERIFY(answers.back()["droppedBytes"].get<std::int64_t>() >= values.bytes());
}

void TestRunner::seedsRandomInputs()
{
    RunnerClient runner({"--threads", "1"});
    runner.open(models + "resnet.pt");
    const json random = {{{"name", "x"}, {"value", {{"random", {{"dtype", "float32"}, {"shape", {1, 3, 32, 32}}}}}}}};
    const auto mean = [&](int seed) {
        ClientArena arena(0, 64);
        const auto answers = runner.run({{"arguments", random}, {"layers", {"conv1"}}, {"seed", seed}}, arena);
        return only(answers, "captured").at(0)["value"]["statistics"]["mean"].get<double>();
    };
    const double first = mean(7);
    QCOMPARE(mean(7), first);
    QVERIFY(mean(8) != first);
}

void TestRunner::refuses_data()
{
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* message, const char* reason) {
        QTest::newRow(name) << QString::fromUtf8(message) << QString::fromUtf8(reason);
    };
    row("layer", R"({"type":"run","layers":["nosuch"]})", "no layer named nosuch");
    row("argument", R"({"type":"run","arguments":[{"name":"y","value":{"int":1}}]})", "no argument named y");
    row("missing", R"({"type":"run","arguments":[]})", "x (Tensor) has no default");
    row("twice", R"({"type":"run","arguments":[{"name":"x","value":{"int":1}},{"name":"x","value":{"int":1}}]})",
        "given twice");
    row("type", R"({"type":"run","arguments":[{"name":"x","value":{"int":1}}]})", "Expected a value of type 'Tensor'");
    row("outside", R"({"type":"run","arguments":[{"name":"x","value":{"tensor":{"dtype":"float32","shape":[4],"offset":0}}}]})",
        "outside the capture arena");
    row("overflow",
        R"({"type":"run","arguments":[{"name":"x","value":{"ones":{"dtype":"float32","shape":[4611686018427387904,16]}}}]})",
        "shape is impossible");
    row("negative", R"({"type":"run","arguments":[{"name":"x","value":{"ones":{"dtype":"float32","shape":[-1]}}}]})",
        "shape is impossible");
    row("dtype", R"({"type":"run","arguments":[{"name":"x","value":{"ones":{"dtype":"float99","shape":[1]}}}]})",
        "no dtype float99");
    row("kind", R"({"type":"run","arguments":[{"name":"x","value":{"thing":1}}]})", "no kind of value named thing");
    row("malformed", R"({"type":"run","arguments":[{"name":"x","value":{"int":"a"}}]})", "malformed");
    row("huge", R"({"type":"run","arguments":[{"name":"x","value":{"ones":{"dtype":"float32","shape":[274877906944]}}}]})",
        "not enough memory");
    row("shape", R"({"type":"run","arguments":[{"name":"x","value":{"ones":{"dtype":"float32","shape":[1,4,32,32]}}}]})",
        "to have 3 channels, but got 4 channels");
    row("message", R"({"type":"dance"})", "no message of type dance");
    row("no arena", R"({"type":"run","arena":4096,"arguments":[]})", "without its capture arena");
    row("no file", R"({"type":"open"})", "without an open file");
    row("no GPU", R"({"type":"open","device":"cuda"})", "open file");
}

void TestRunner::refuses()
{
    QFETCH(const QString, message);
    QFETCH(const QString, reason);
    // One runner for all: none of these ends it.
    static RunnerClient runner({"--memory", "68719476736"});
    runner.open(models + "resnet.pt");
    runner.send(json::parse(message.toStdString()));
    const auto answer = runner.receive();
    QVERIFY(answer.has_value());
    QVERIFY2((*answer)["type"] == "failed", answer->dump().c_str());
    const auto text = (*answer)["message"].get<std::string>();
    QVERIFY2(text.find(reason.toStdString()) != std::string::npos, text.c_str());
    QVERIFY2(text.find('\n') == std::string::npos && text.find("frame #") == std::string::npos, text.c_str());
}

void TestRunner::namesMissingOperators()
{
    RunnerClient runner;
    const json failed =
        runner.open(models + "resnet.pt", {{"operators", {"aten::relu", "torchvision::nms", "mylib::first", "mylib::second"}}});
    QCOMPARE(text(failed["type"]), text(json("failed")));
    QCOMPARE(text(failed["missing"]), text(json({"mylib::first", "mylib::second"})));
    QVERIFY(failed["message"].get<std::string>().find("--op-library") != std::string::npos);
}

void TestRunner::refusesAnArenaThatCanShrink()
{
    RunnerClient runner;
    runner.open(models + "resnet.pt");
    const int file = ::memfd_create("arena", MFD_CLOEXEC);
    QCOMPARE(::ftruncate(file, 4096), 0);
    runner.send({{"type", "run"}, {"arena", 4096}, {"used", 0}, {"arguments", json::array()}}, file);
    const json sealed = runner.receive().value_or(json());
    QVERIFY2(sealed["message"].get<std::string>().find("not sealed") != std::string::npos, sealed.dump().c_str());
    runner.send({{"type", "run"}, {"arena", 1 << 20}, {"used", 0}, {"arguments", json::array()}}, file);
    const json size = runner.receive().value_or(json());
    QVERIFY2(size["message"].get<std::string>().find("smaller") != std::string::npos, size.dump().c_str());
    ::close(file);
}

void TestRunner::survivesDamagedFiles()
{
    RunnerClient runner;
    for (const std::string& bytes : {std::string(), std::string("PK\3\4"), std::string(100'000, 'x')}) {
        const int file = fileOf(bytes);
        runner.send({{"type", "open"}}, file);
        ::close(file);
        const json failed = runner.receive().value_or(json());
        QVERIFY2(failed["type"] == "failed", failed.dump().c_str());
        QVERIFY2(!failed["message"].get<std::string>().empty(), failed.dump().c_str());
    }
    QCOMPARE(text(runner.open(models + "resnet.pt")["type"]), text(json("opened")));
}

void TestRunner::endsWithItsParent()
{
    std::array<int, 2> ends{};
    QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        auto* runner = new RunnerClient;
        const int process = runner->process();
        if (::write(ends[1], &process, sizeof process) != sizeof process)
            ::_exit(1);
        ::_exit(0);
    }
    int process = 0;
    QCOMPARE(::read(ends[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
    QVERIFY(process > 0);
    QTRY_VERIFY_WITH_TIMEOUT(isGone(process), 10000);
    ::close(ends[0]);
    ::close(ends[1]);
}

void TestRunner::endsAtTheMemoryLimit()
{
    constexpr std::uint64_t limit = 8ull << 30;
    RunnerClient runner({"--memory", std::to_string(limit)});
    rlimit now{};
    QCOMPARE(::prlimit(runner.process(), RLIMIT_AS, nullptr, &now), 0);
    QCOMPARE(now.rlim_max, limit);
    QCOMPARE(::prlimit(runner.process(), RLIMIT_FSIZE, nullptr, &now), 0);
    QCOMPARE(now.rlim_max, rlim_t{0});
    QCOMPARE(::prlimit(runner.process(), RLIMIT_CORE, nullptr, &now), 0);
    QCOMPARE(now.rlim_max, rlim_t{0});
}

void TestRunner::loadsALibraryThatNamesAllOfLibTorch()
{
    RunnerClient runner({"--op-library", OPERATOR_LIBRARY});
    QVERIFY2(runner.first["type"] == "hello", runner.first.dump().c_str());
    const json opened = runner.open(models + "../hostile/unknown_operator.pt", {{"operators", {"mylib::magic"}}});
    QVERIFY2(opened["type"] == "opened", opened.dump().c_str());
}

void TestRunner::reportsAStartThatFails()
{
    RunnerClient runner({"--op-library", "/nowhere/lib.so"});
    QCOMPARE(text(runner.first["type"]), text(json("failed")));
    QCOMPARE(text(runner.first["stage"]), text(json("start")));
    QVERIFY(runner.first["message"].get<std::string>().find("/nowhere/lib.so") != std::string::npos);
    QCOMPARE(runner.wait(), 1);
    RunnerClient unknown({"--nosuch", "1"});
    QVERIFY(unknown.first.is_null());
    QCOMPARE(unknown.wait(), 2);
}

QTEST_GUILESS_MAIN(TestRunner)
#include "test_runner.moc"

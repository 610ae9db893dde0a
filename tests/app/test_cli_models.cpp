// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/open.h"
#include "tests/support/program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstring>
#include <map>

using Json = nlohmann::ordered_json;

// The command line on TorchScript models; the expected values are those of the eager models' forward hooks (tests/models).

namespace {

const QString folder = QStringLiteral(TEST_DATA "/models");

/// The bytes of a tensor of a file; empty when it has none of this name.
QByteArray bytesOf(const QString& file, const std::string& name)
{
    const auto document = core::io::open(file.toStdString());
    const auto* entry = document.find(name);
    if (!entry)
        return {};
    const auto tensor = std::get<core::Tensor>(entry->load({})).toContiguous();
    return QByteArray(reinterpret_cast<const char*>(tensor.data()), static_cast<qsizetype>(tensor.bytes()));
}

support::Outcome run(const QString& line, const QTemporaryDir& out)
{
    auto arguments = line.split(' ');
    for (auto& argument : arguments)
        argument.replace("OUT", out.filePath("out"));
    return support::runProgram(arguments, folder);
}

} // namespace

class TestCliModels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void exitCodes_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("err");
        const auto row = [](const char* line, int code, const char* err) {
            QTest::newRow(line) << QString::fromUtf8(line) << code << QString::fromUtf8(err);
        };
        row("analyze control_flow.pt --random 2x4 --layer first", 0, "");
        row("analyze control_flow.pt --random 2x4 --layer step", 0, "");
        row("analyze control_flow.pt --random 2x4 --layer step#1", 0, "");
        row("analyze control_flow.pt --random 2x4 --layer output", 0, "");
        // The first call by its number, where there is no other too.
        row("analyze control_flow.pt --random 2x4 --layer first#0", 0, "");
        row("analyze control_flow.pt --random 2x4 --layer step#0", 0, "");
        row("analyze control_flow.pt --random 2x4 --layer output#0", 0, "");
        row("analyze lstm.pt --random 2x5x6 --layer rnn#0[1][0]", 0, "");
        row("analyze control_flow.pt --random 2x4 --layer first#1", 1, "the run gave no first#1");
        row("analyze control_flow.pt --random 2x4 --layer first#01", 1, "the run gave no first#01");
        row("analyze control_flow.pt --random 2x4 --all", 0, "");
        row("capture control_flow.pt --random 2x4 --layers first -o OUT.npz", 0, "");
        row("capture control_flow.pt --random 2x4 --device tpu -o OUT.npz", 2, "tpu");
        row("capture control_flow.pt --random 2x4 --device cuda:x -o OUT.npz", 2, "cuda:x");
        row("capture control_flow.pt --random 2x4 --budget 0 -o OUT.npz", 0, "did not fit the budget");
        row("capture control_flow.pt --random 2x4 --budget 64mb -o OUT.npz", 0, "");
        row("info encoder_frozen.pt", 0, "none of the model's layers is called (a frozen file");
        row("capture encoder_frozen.pt --random 1x4 --dtype int64 -o OUT.npz", 0, "none of the model's layers is called");
        // What cannot be had.
        row("analyze control_flow.pt --random 2x4 --layer nothing", 1, "has no layer nothing; it has");
        row("analyze control_flow.pt --random 2x4 --layer step#9", 1, "the run gave no step#9");
        row("analyze control_flow.pt --random 2x4 --layer notTaken", 1, "was not executed");
        row("capture output.pt --random 2x4 --layers never -o OUT.npz", 1, "not executed with this input: never");
        row("capture output.pt --random 2x4 --layers never --layers first -o OUT.npz", 0, "never was not executed");
        row("capture output.pt --random 2x4 --layers never --layers output -o OUT.npz", 0, "never was not executed");
        row("capture control_flow.pt --random 2x4 --layers nothing* -o OUT.npz", 1, "no layer matches nothing*");
        row("analyze resnet.pt --random 1x3x32x32 --layer layer1.7", 1, "resnet.pt has no layer layer1.7; it has\n  layer1.0 ");
        row("analyze output.pt --random 2x4 --layer output~2.7", 1, "has no layer output~2.7; it has\n  output.0 ");
        row("analyze containers.pt --random 2x4 --layer steps", 1,
            "steps is a container (torch.nn.modules.container.ModuleList)");
        row("capture containers.pt --random 2x4 --layers steps -o OUT.npz", 1, "containers have no output of their own");
        // What may help.
        row("analyze half.pt --random 1x3x8x8 --layer output", 1,
            "the model got input as float32 [1, 3, 8, 8]: give it with --dtype float16");
        row("analyze bfloat16.pt --random 1x3x8x8 --layer output", 1, "give it with --dtype bfloat16");
        row("analyze half.pt --random 1x3x8x8 --dtype float16 --layer output", 0, "");
        row("analyze raising.pt --random 2x3 --layer output", 1, "inner.1: ValueError: values must not");
        row("analyze resnet.pt --random 32x32x3 --layer output", 1, "give it with --layout-in HWC");
        row("analyze resnet.pt ../files/png_grey_alpha16.png --dtype int64 --layer output", 1,
            "png_grey_alpha16.png: give it with --dtype float32");
        row("analyze several_inputs.pt --random 2x2 --random 2x16 --random 2x1x6x6 --layer output", 1,
            "give it with --dtype int64");
        row("analyze resnet.pt --random 1x3x32x32 --layer fc --op-library /nowhere/ops.so", 1,
            "/nowhere/ops.so: the operator library cannot be loaded: No such file");
        row("analyze ../hostile/spins.pt --random 2x3 --layer output --time-limit 1", 1, "the time limit of 1 s");
        row("analyze mismatch.pt --random 2x3 --layer output", 1, "the model failed in layer");
        row("analyze control_flow.pt missing.png --layer first", 1, "missing.png");
        row("capture ../hostile/takes_class.pt --random 2x3 -o OUT.npz", 1, "stream is an object");
        // What makes no sense.
        row("analyze control_flow.pt --random 2x4", 2, "name one with --layer");
        row("analyze control_flow.pt --layer first", 2, "nothing is given for x (--input FILE, --random SHAPE");
        row("analyze control_flow.pt --random 2x4 --ones 2x4 --layer first", 2, "more than the model takes");
        row("analyze control_flow.pt --random 2x4 --layer first --tensor first.weight", 2, "give one of them");
        row("analyze control_flow.pt --random y=2x4 --layer first", 2, "no argument y");
        row("analyze control_flow.pt --random 2x4 --layer first --budget 5Q", 2, "--budget 5Q: write a size like 500M or 2G");
        row("analyze resnet.pt --random 1x3x32x32 --layer fc --std 0", 2, "--std 0: give finite numbers other than 0");
        row("analyze resnet.pt --random 1x3x32x32 --layer fc --std 1,nan,1", 2, "--std 1,nan,1: give");
        row("analyze resnet.pt --random 1x3x32x32 --layer fc --mean inf", 2, "--mean inf: give");
        row("analyze control_flow.pt --random 2y4 --layer first", 2, "write a shape as");
        row("analyze control_flow.pt --random 2x4 --layer first --preset much", 2, "--preset is");
        row("capture output.pt --random 2x4 --arg lines=1 --arg lines=2 -o OUT.npz", 2, "two values are given for lines");
        row("capture output.pt --random x=2x4 --arg lines=1 --input lines=output.safetensors -o OUT.npz", 2,
            "lines is given twice");
        row("capture output.pt --random x=2x4 --random x=2x4 -o OUT.npz", 2, "2 inputs are given for it");
        row("analyze lstm.pt --random 2x5x6 --layer rnn", 2, "gives 3 tensors: name one with --layer");
        row("capture control_flow.pt --random 2x4 -o OUT.png", 2, "captures are written as");
        row("analyze control_flow.safetensors --random 2x4 --layer first", 2, "is no TorchScript program");
    }

    void exitCodes()
    {
        QFETCH(QString, line);
        QFETCH(int, code);
        QFETCH(QString, err);
        QTemporaryDir out;
        const auto outcome = run(line, out);
        QVERIFY2(outcome.code == code, outcome.err);
        QVERIFY2(QString::fromUtf8(outcome.err).contains(err) && (!err.isEmpty() || outcome.err.isEmpty()), outcome.err);
        if (code != 0)
            QVERIFY(QDir(out.path()).isEmpty());
    }

    void capturesEqualHooks()
    {
        QTemporaryDir out;
        for (const auto* ending : {"npz", "safetensors"}) {
            const auto file = out.filePath(QStringLiteral("out.") + QLatin1String(ending));
            const auto outcome = support::runProgram(
                {"capture", "control_flow.pt", "--input", "x=control_flow.safetensors:input x", "-o", file}, folder);
            QVERIFY2(outcome.code == 0, outcome.err);
            const auto document = core::io::open(file.toStdString());
            std::vector<std::string> names;
            for (const auto& entry : document.entries)
                names.push_back(entry.name);
            QCOMPARE(names, (std::vector<std::string>{"first", "step#0", "step#1", "often#0", "often#1", "taken", "output"}));
            for (const auto& name : names)
                QCOMPARE(bytesOf(file, name), bytesOf(folder + "/control_flow.safetensors", name));
        }
    }

    /// The model's own output keeps its name where a layer is called output.
    void tellsTheOutputFromALayerOfThatName()
    {
        QTemporaryDir out;
        const auto file = out.filePath("out.npz");
        const QStringList input{"output.pt", "--input", "x=output.safetensors:input x"};
        // The file's names are in the order of the calls: there the layer comes first.
        const std::map<std::string, std::string> expected{
            {"first", "first"}, {"output.0", "output.0"}, {"output~2", "output"}, {"output", "output~2"}};
        const auto outcome = support::runProgram(QStringList{"capture"} + input + QStringList{"-o", file}, folder);
        QVERIFY2(outcome.code == 0, outcome.err);
        QCOMPARE(core::io::open(file.toStdString()).entries.size(), expected.size());
        for (const auto& [name, saved] : expected) {
            const auto values = bytesOf(folder + "/output.safetensors", saved);
            QVERIFY(!values.isEmpty());
            QCOMPARE(bytesOf(file, name), values);
            const auto plane = out.filePath("plane.npy");
            const auto drawn = support::runProgram(
                QStringList{"render"} + input +
                    QStringList{"--layer", QString::fromStdString(name), "--layout", "HW", "--view", "channel", "-o", plane},
                folder);
            QVERIFY2(drawn.code == 0, drawn.err);
            QCOMPARE(bytesOf(plane, "plane"), values);
        }
        const auto info = Json::parse(support::runProgram({"info", "output.pt", "--json"}, folder).out.toStdString());
        std::vector<std::string> layers;
        for (const auto& entry : info["entries"])
            if (entry["kind"] == "layer")
                layers.push_back(entry["name"].get<std::string>());
        QCOMPARE(layers, (std::vector<std::string>{"first", "output~2", "output.0", "never"}));
        const auto only =
            support::runProgram(QStringList{"capture"} + input + QStringList{"--layers", "output", "-o", file}, folder);
        QVERIFY2(only.code == 0, only.err);
        QCOMPARE(core::io::open(file.toStdString()).entries.size(), std::size_t{1});
        QCOMPARE(bytesOf(file, "output"), bytesOf(folder + "/output.safetensors", "output~2"));
    }

    /// Whole lines, up to the last that was printed before the answer.
    void tellsWhatTheModelPrints()
    {
        QTemporaryDir out;
        for (const int count : {1, 2000}) {
            const auto outcome = support::runProgram({"capture", "output.pt", "--random", "2x4", "--arg",
                                                      QStringLiteral("lines=%1").arg(count), "-o", out.filePath("out.npz")},
                                                     folder);
            QVERIFY2(outcome.code == 0, outcome.err);
            QVERIFY(outcome.out.isEmpty());
            QCOMPARE(outcome.err.count(" of the model\n"), count);
            QVERIFY2(outcome.err.contains(QStringLiteral("line %1 of the model").arg(count - 1).toUtf8()),
                     outcome.err.right(200));
        }
    }

    void analyzesALayer()
    {
        QTemporaryDir out;
        const QStringList model{"lstm.pt", "--input", "lstm.safetensors:input x", "--layer", "rnn[1][0]", "--where", "> 0"};
        const auto outcome = support::runProgram(QStringList{"analyze"} + model + QStringList{"--json"}, folder);
        QVERIFY2(outcome.code == 0, outcome.err);
        auto json = Json::parse(outcome.out.toStdString());
        QCOMPARE(json["file"].get<std::string>(), std::string("lstm.pt"));
        QCOMPARE(json["tensor"].get<std::string>(), std::string("rnn[1][0]"));
        // The same question about the values that the eager model's hook saw.
        const auto saved = Json::parse(
            support::runProgram({"analyze", "lstm.safetensors", "--tensor", "rnn[1][0]", "--where", "> 0", "--json"}, folder)
                .out.toStdString());
        for (const auto* member : {"dtype", "shape", "layout", "threshold", "elements", "count", "values", "channels"})
            QCOMPARE(json[member].dump(), saved[member].dump());
        QVERIFY(json["count"].get<int>() > 0);
        const auto map = out.filePath("mask.npy");
        QCOMPARE(support::runProgram(QStringList{"render"} + model + QStringList{"--view", "mask", "-o", map}, folder).code, 0);
        const auto rows = out.filePath("rows.npy");
        QCOMPARE(support::runProgram(QStringList{"coords"} + model + QStringList{"-o", rows}, folder).code, 0);
        QCOMPARE(bytesOf(rows, "rows").size(), json["count"].get<int>() * 3 * 8);
    }

    void warningsNameTheFileOnce()
    {
        const auto outcome = support::runProgram({"info", "../hostile/mutated_weight.pt"}, folder);
        QVERIFY2(outcome.code == 0 && outcome.err.contains("checksum"), outcome.err);
        QCOMPARE(outcome.err.count("../hostile/mutated_weight.pt"), 1);
    }

    void versionTellsOfLibTorch()
    {
        const auto version = support::runProgram({"--version"}, folder).out;
        QVERIFY2(version.contains("LibTorch: 2."), version);
    }

    void infoListsLayersAndArguments()
    {
        const auto outcome = support::runProgram({"info", "arguments.pt", "--json"}, folder);
        QVERIFY2(outcome.code == 0, outcome.err);
        const auto json = Json::parse(outcome.out.toStdString());
        QCOMPARE(json["format"].get<std::string>(), std::string("torchscript"));
        std::vector<std::string> layers;
        for (const auto& entry : json["entries"])
            if (entry["kind"] == "layer")
                layers.push_back(entry["name"].get<std::string>() + " " + entry["type"].get<std::string>());
        QCOMPARE(layers,
                 (std::vector<std::string>{"linear torch.nn.modules.linear.Linear", "other torch.nn.modules.linear.Linear"}));
        QCOMPARE(json["arguments"][0].dump(), std::string(R"({"name":"x","type":"Tensor","required":true,"default":null})"));
        QCOMPARE(json["arguments"].size(), std::size_t{7});
        QCOMPARE(json["operators"].dump(), std::string("[]"));
        const auto detector = Json::parse(support::runProgram({"info", "faster_rcnn.pt", "--json"}, folder).out.toStdString());
        QCOMPARE(detector["operators"].dump(), std::string(R"(["torchvision::nms","torchvision::roi_align"])"));
    }

    void plainArguments()
    {
        QTemporaryDir out;
        const auto file = out.filePath("out.safetensors");
        const auto outcome = support::runProgram({"capture",  "arguments_given.pt",
                                                  "--input",  "x=arguments_given.safetensors:input x",
                                                  "--input",  "shift=arguments_given.safetensors:input shift",
                                                  "--arg",    "scale=-0.5",
                                                  "--arg",    "times=2",
                                                  "--arg",    "flip=true",
                                                  "--arg",    "mode=other",
                                                  "--arg",    "sizes=1,2",
                                                  "--layers", "output",
                                                  "-o",       file},
                                                 folder);
        QVERIFY2(outcome.code == 0, outcome.err);
        QCOMPARE(bytesOf(file, "output"), bytesOf(folder + "/arguments_given.safetensors", "output"));
    }

    void interruptEndsAModel()
    {
        QProcess process;
        process.setWorkingDirectory(QStringLiteral(TEST_DATA "/hostile"));
        process.start(QStringLiteral(ACTISCOPE_PROGRAM), {"analyze", "spins.pt", "--random", "2x3", "--layer", "output"});
        QVERIFY(process.waitForStarted());
        QVERIFY(!process.waitForFinished(3000));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(10000));
        QCOMPARE(process.exitCode(), 130);
    }
};

QTEST_GUILESS_MAIN(TestCliModels)
#include "test_cli_models.moc"

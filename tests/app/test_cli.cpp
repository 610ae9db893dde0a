// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

using Json = nlohmann::ordered_json;

namespace {

const QString dataFolder = QStringLiteral(TEST_DATA "/cli");

Json parsed(const QByteArray& text)
{
    return Json::parse(text.toStdString());
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A copy of a fixture with one byte changed.
QString damagedCopy(const QString& name, const QTemporaryDir& folder, qsizetype position)
{
    auto bytes = contentOf(dataFolder + "/" + name);
    if (position >= 0 && position < bytes.size())
        bytes[position] = static_cast<char>(bytes[position] ^ 1);
    QFile file(folder.filePath(name));
    if (file.open(QIODevice::WriteOnly))
        file.write(bytes);
    return file.fileName();
}

} // namespace

class TestCli : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void exitCodes_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("err"); // part of stderr; empty: stderr is empty
        const auto row = [](const char* line, int code, const char* err) {
            QTest::newRow(line) << QString::fromUtf8(line) << code << QString::fromUtf8(err);
        };
        // Neither a command nor a file: no window opens, with or without a display.
        row("foo", 2, "\"foo\" is no command");
        row("anlyze acts.npy --json", 2, "did you mean \"analyze\"?");
        row("inf acts.npy", 2, "did you mean \"info\"?");
        row("absent.npy", 1, "absent.npy: there is no such file");
        row("absent.npy also_absent.npy", 1, "also_absent.npy: there is no such file");
        row("--input photo.png", 2, "--input is for models");
        row("acts.npy --input photo.png", 2, "--input is for models");
        // Done.
        row("--help", 0, "");
        row("--version", 0, "");
        row("info --help", 0, "");
        row("analyze --help", 0, "");
        row("coords --help", 0, "");
        row("render --help", 0, "");
        row("info acts.npy", 0, "");
        row("analyze acts.npy", 0, "");
        row("analyze acts.npy --channel 0 --batch 0", 0, "");
        row("analyze row.npy --batch 0 --channel 0", 0, "");
        row("analyze several.safetensors --all", 0, "");
        row("analyze --tensor brain several.safetensors", 0, "");
        // Failed: what was named is not there, or the question has no answer.
        row("info absent.npy", 1, "absent.npy");
        row("analyze absent.npy", 1, "absent.npy");
        row("analyze several.safetensors --tensor nose", 1, "deep.weight");
        row("analyze acts.npy --tensor other", 1, "other");
        row("analyze acts.npy --batch 2", 1, "index 2");
        row("analyze acts.npy --channel -1", 1, "index -1");
        row("analyze acts.npy --at 4=0", 1, "axis 4");
        row("analyze acts.npy --at D=0", 1, "axis D");
        row("analyze acts.npy --at W=5", 1, "index 5");
        row("analyze row.npy --channel 1", 1, "channel");
        row("analyze c64.npy --where >1", 1, "complex64");
        row("analyze c64.npy --where otsu", 1, "complex64");
        row("render c64.npy -o OUT.png", 1, "complex");
        row("render empty.npy -o OUT.png", 1, "no elements");
        row("render acts.npy --view overlay --image absent.png -o OUT.png", 1, "absent.png");
        row("coords acts.npy -o absent/x.npy", 1, "absent");
        row("analyze acts.npy -o absent/x.json", 1, "absent");
        row("analyze expected.json", 1, "expected.json");
        // Wrong usage: cannot be read.
        row("info", 2, "FILE");
        row("analyze", 2, "FILE");
        row("analyze acts.npy --nonsense", 2, "--nonsense");
        row("analyze acts.npy extra.npy", 2, "acts.npy is no TorchScript program");
        row("analyze acts.npy --tensor", 2, "--tensor");
        row("analyze acts.npy --threshold abc", 2, "abc");
        row("analyze acts.npy --threshold 0,8", 2, "0,8");
        row("analyze acts.npy --where sideways", 2, "percentile P");
        row("analyze acts.npy --where between@1", 2, "between A B");
        row("analyze u8.npy --threshold 18446744073709551616", 2, "18446744073709551616");
        row("analyze acts.npy --comparison fuzzy", 2, "fuzzy");
        row("analyze acts.npy --layout NCH", 2, "3 letters");
        row("analyze acts.npy --layout NCHX", 2, "X");
        row("analyze acts.npy --at 0", 2, "--at");
        row("analyze acts.npy --at Z=0", 2, "--at Z=0");
        row("analyze acts.npy --at 0=x", 2, "x");
        row("analyze acts.npy --batch one", 2, "one");
        row("analyze acts.npy --device tpu", 2, "tpu");
        row("analyze acts.npy --batch=", 2, "--batch");
        row("analyze acts.npy --layout= --csv", 2, "--layout: the value is empty");
        row("--self-test acts.npy", 2, "--self-test");
        row("analyze acts.npy --threshold 1 --threshold 2", 2, "--threshold");
        row("coords acts.npy", 2, "--output");
        row("coords acts.npy -o OUT.txt", 2, ".npy");
        row("coords acts.npy -o OUT.npy --limit many", 2, "many");
        row("coords acts.npy -o OUT.npy --limit -1", 2, "-1");
        row("render acts.npy", 2, "--output");
        row("render acts.npy -o OUT.gif", 2, ".png");
        row("render acts.npy -o OUT.png --view top", 2, "top");
        row("render acts.npy -o OUT.png --reduce median", 2, "median");
        row("render acts.npy -o OUT.png --colormap jet", 2, "jet");
        row("render acts.npy -o OUT.png --range 1", 2, "1");
        row("render acts.npy -o OUT.png --scale 0", 2, "--scale");
        row("render acts.npy -o OUT.png --scale 1.5", 2, "1.5");
        row("render acts.npy -o OUT.png --view overlay --opacity 2", 2, "--opacity");
        row("--nonsense", 2, "--nonsense");
        // Wrong usage: contradicts itself or is ambiguous.
        row("analyze several.safetensors", 2, "deep.weight");
        row("coords several.safetensors -o OUT.npy", 2, "brain");
        row("analyze acts.npy --threshold 1 --where nan", 2, "--where");
        row("analyze acts.npy --json --csv", 2, "--csv");
        row("analyze acts.npy --batch 0 --at N=1", 2, "contradict");
        row("analyze acts.npy --all --channel 1", 2, "--all");
        row("analyze several.safetensors --all --tensor half", 2, "--all");
        row("coords acts.npy -o OUT.npy --values", 2, ".npz");
        row("render acts.npy -o OUT.npy --view wall", 2, "wall");
        row("render acts.npy -o OUT.npy --view overlay", 2, "overlay");
        row("render acts.npy -o OUT.npy --colormap gray", 2, "--colormap");
        row("render acts.npy -o OUT.png --view mask --reduce max", 2, "--reduce");
        row("render acts.npy -o OUT.png --view channel --all-values", 2, "--all-values");
        row("render acts.npy -o OUT.png --view heat --contour", 2, "--contour");
        row("render acts.npy -o OUT.png --view mask --colorbar", 2, "--colorbar");
        row("render acts.npy -o OUT.png --image photo.png", 2, "--image");
    }

    void exitCodes()
    {
        QFETCH(QString, line);
        QFETCH(int, code);
        QFETCH(QString, err);
        QTemporaryDir folder;
        auto arguments = line.split(' ');
        for (auto& argument : arguments)
            argument.replace("OUT", folder.filePath("out")).replace('@', ' ');
        const auto outcome = support::runProgram(arguments, dataFolder);
        QVERIFY2(outcome.code == code, outcome.err);
        if (code == 0) {
            QCOMPARE(outcome.err, QByteArray());
            QVERIFY(!outcome.out.isEmpty());
            return;
        }
        QCOMPARE(outcome.out, QByteArray());
        QVERIFY2(outcome.err.startsWith("error: "), outcome.err);
        QVERIFY2(outcome.err.contains(err.toUtf8()), outcome.err);
        QVERIFY(QDir(folder.path()).isEmpty(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::Hidden));
    }

    /// What changes nothing is said to, and is no failure.
    void tellsOfIdleOptions()
    {
        QTemporaryDir folder;
        const auto picture = folder.filePath("out.png");
        const auto idle = support::runProgram({"analyze", "acts.npy", "--threshold", "0.5", "--per-channel"}, dataFolder);
        QCOMPARE(idle.code, 0);
        QVERIFY2(idle.err.startsWith("warning: --per-channel changes nothing"), idle.err);
        const auto wall =
            support::runProgram({"render", "acts.npy", "--view", "wall", "--threshold", "0.5", "-o", picture}, dataFolder);
        QCOMPARE(wall.code, 0);
        QVERIFY2(wall.err.startsWith("warning: the condition changes nothing"), wall.err);
        const auto dense = support::runProgram({"analyze", "acts.npy", "--stored-only"}, dataFolder);
        QCOMPARE(dense.code, 0);
        QCOMPARE(dense.err, QByteArray());
    }

    /// A reader that goes, and standard streams that take nothing.
    void closedStreams()
    {
        const auto shell = [](const QString& line) {
            QProcess process;
            process.setWorkingDirectory(dataFolder);
            process.start(QStringLiteral("bash"), {"-c", QString(line).replace("PROGRAM", ACTISCOPE_PROGRAM)});
            process.waitForFinished();
            return process.readAllStandardOutput() + process.readAllStandardError();
        };
        // true ends at once; yes-or-no by what the shell saw of the program.
        QCOMPARE(shell("PROGRAM analyze acts.npy --csv | true; echo ${PIPESTATUS[0]}"), QByteArray("0\n"));
        QCOMPARE(shell("PROGRAM analyze acts.npy --threshold x 2>/dev/full; echo $?"), QByteArray("2\n"));
        QCOMPARE(shell("PROGRAM analyze acts.npy --per-channel 2>&- | head -c 0; echo ${PIPESTATUS[0]}"), QByteArray("0\n"));
        QVERIFY(shell("PROGRAM analyze acts.npy >/dev/full; echo $?").startsWith("1\nerror: cannot write"));
        QVERIFY(shell("PROGRAM analyze acts.npy >&-; echo $?").contains("it is closed"));
    }

    void missingDeviceFails()
    {
        const auto version = support::runProgram({"--version"}, dataFolder).out;
        if (version.contains("GPU: none"))
            for (const auto* device : {"cuda", "cuda:0", "cuda:7"}) {
                const auto run = support::runProgram({"analyze", "acts.npy", "--device", device}, dataFolder);
                QCOMPARE(run.code, 1);
                QVERIFY(run.err.contains(QByteArray("the device ") + device));
            }
        for (const auto* device : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cpu:0", "CUDA"})
            QCOMPARE(support::runProgram({"analyze", "acts.npy", "--device", device}, dataFolder).code, 2);
        QVERIFY(version.contains("GPU: ") && version.contains("vector width: ") && version.contains("LibTorch: "));
        QCOMPARE(support::runProgram({"analyze", "acts.npy", "--device", "cpu"}, dataFolder).code, 0);
    }

    void helpShowsExamples()
    {
        for (const auto* command : {"info", "analyze", "coords", "render", "capture"}) {
            const auto help = support::runProgram({command, "--help"}, dataFolder).out;
            QVERIFY(help.contains(QByteArray("actiscope ") + command));
            QCOMPARE(help.contains("--input"), std::string_view(command) != "info");
        }
        const auto help = support::runProgram({"--help"}, dataFolder).out;
        for (const auto* word :
             {"info", "analyze", "coords", "render", "capture", "--self-test", "--bench-drag", "--image", "--version"})
            QVERIFY2(help.contains(word), word);
    }

    void infoTellsWhatAFileHolds()
    {
        const auto json = parsed(support::runProgram({"info", "several.safetensors", "--json"}, dataFolder).out);
        QCOMPARE(json["file"].get<std::string>(), std::string("several.safetensors"));
        QCOMPARE(json["format"].get<std::string>(), std::string("safetensors"));
        QCOMPARE(json["entries"].size(), std::size_t{3});
        for (const auto& entry : json["entries"])
            if (entry["name"] == "half")
                QCOMPARE(entry.dump(), std::string(R"({"name":"half","kind":"tensor","dtype":"float16","shape":[1,2,3,3],)"
                                                   R"("strides":[18,9,3,1],"bytes":36,"storage":"strided","notes":[]})"));
        QCOMPARE(json["warnings"].dump(), std::string("[]"));
    }

    void infoTellsSparseAndOtherEntries()
    {
        const auto coo = parsed(support::runProgram({"info", "coo.pt", "--json"}, dataFolder).out)["entries"][0];
        QCOMPARE(coo["storage"].get<std::string>(), std::string("coo"));
        QCOMPARE(coo["stored"].get<int>(), 5);
        const auto checkpoint = parsed(support::runProgram({"info", "checkpoint.pt", "--json"}, dataFolder).out);
        QCOMPARE(checkpoint["format"].get<std::string>(), std::string("torch"));
        std::vector<std::string> names;
        for (const auto& entry : checkpoint["entries"])
            names.push_back(entry["name"]);
        QCOMPARE(names, (std::vector<std::string>{"model.conv.weight", "model.bias", "epoch", "steps[0]"}));
        QCOMPARE(checkpoint["entries"][2]["kind"].get<std::string>(), std::string("value"));
        QCOMPARE(checkpoint["entries"][2]["value"].get<std::string>(), std::string("7"));
    }

    void folderIsOneDocument()
    {
        QTemporaryDir folder;
        for (const auto* name : {"acts.npy", "several.safetensors"})
            QVERIFY(QFile::copy(dataFolder + "/" + name, folder.filePath(name)));
        const auto info = parsed(support::runProgram({"info", ".", "--json"}, folder.path()).out);
        QCOMPARE(info["format"].get<std::string>(), std::string("directory"));
        QCOMPARE(info["entries"].size(), std::size_t{4});
        const auto analyze = [&](const QString& tensor) {
            return support::runProgram({"analyze", ".", "--json", "--tensor", tensor}, folder.path());
        };
        QCOMPARE(parsed(analyze("acts.npy").out)["count"].get<int>(), 113);
        QCOMPARE(parsed(analyze("acts.npy:acts").out)["count"].get<int>(), 113);
        QCOMPARE(parsed(analyze("several.safetensors:half").out)["dtype"].get<std::string>(), std::string("float16"));
        const auto ambiguous = analyze("several.safetensors");
        QCOMPARE(ambiguous.code, 2);
        QVERIFY2(ambiguous.err.contains("several.safetensors:brain"), ambiguous.err);
        QCOMPARE(analyze("nothing.npy").code, 1);
    }

    void allTellsEveryTensorAndGoesOnAfterADamagedOne()
    {
        QTemporaryDir folder;
        for (const auto* name : {"acts.npy", "u8.npy", "c64.npy"})
            QVERIFY(QFile::copy(dataFolder + "/" + name, folder.filePath(name)));
        const auto whole = support::runProgram({"analyze", ".", "--all", "--json"}, folder.path());
        QVERIFY2(whole.code == 0, whole.err);
        const auto rows = parsed(whole.out)["tensors"];
        QCOMPARE(rows.size(), std::size_t{3});
        QCOMPARE(rows[0]["name"].get<std::string>(), std::string("acts.npy"));
        QCOMPARE(rows[0]["count"].get<int>(), 113);
        QVERIFY(rows[1]["mean"].is_null());
        QCOMPARE(rows[0]["dead_channels"].get<int>(), 0);

        const auto some = support::runProgram({"analyze", ".", "--all", "--json", "--threshold", "1"}, folder.path());
        QCOMPARE(some.code, 1);
        const auto partly = parsed(some.out)["tensors"];
        QCOMPARE(partly.size(), std::size_t{3});
        QVERIFY(partly[1]["count"].is_null());
        QVERIFY(QByteArray::fromStdString(partly[1]["error"].get<std::string>()).contains("complex64"));
        QVERIFY(partly[2]["error"].is_null());
        QVERIFY(some.err.contains("1 of 3"));

        const auto csv = support::runProgram({"analyze", ".", "--all", "--csv"}, folder.path());
        QCOMPARE(csv.out.split('\n').size(), qsizetype{5});
        QVERIFY(csv.out.startsWith("name,dtype,shape,elements,threshold,count,fraction,min,max,mean,std,sum,zeros,nan,"));
    }

    void wrongChecksumIsAWarning()
    {
        QTemporaryDir folder;
        const auto bytes = contentOf(dataFolder + "/coo.pt");
        const float value = 1.25F;
        const auto position = bytes.indexOf(QByteArray(reinterpret_cast<const char*>(&value), sizeof value));
        QVERIFY(position > 0);
        damagedCopy("coo.pt", folder, position);
        const auto outcome = support::runProgram({"analyze", "coo.pt", "--json"}, folder.path());
        QCOMPARE(outcome.code, 0);
        QVERIFY2(outcome.err.startsWith("warning: "), outcome.err);
        QVERIFY(parsed(outcome.out)["elements"] == 30);
    }

    void storedOnlyLeavesImplicitZerosOut()
    {
        const auto all = support::runProgram({"analyze", "coo.pt", "--json", "--where", "<= 0"}, dataFolder);
        const auto stored =
            support::runProgram({"analyze", "coo.pt", "--json", "--where", "<= 0", "--stored-only"}, dataFolder);
        QCOMPARE(parsed(all.out)["count"].get<int>(), 27);
        QCOMPARE(parsed(stored.out)["count"].get<int>(), 1);
    }

    void outputReplacesAFileWhole()
    {
        QTemporaryDir folder;
        QFile old(folder.filePath("table.csv"));
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        const auto bad =
            support::runProgram({"analyze", "acts.npy", "--csv", "--tensor", "no", "-o", old.fileName()}, dataFolder);
        QCOMPARE(bad.code, 1);
        QCOMPARE(contentOf(old.fileName()), QByteArray("old"));
        const auto good = support::runProgram({"analyze", "acts.npy", "--csv", "-o", old.fileName()}, dataFolder);
        QCOMPARE(good.code, 0);
        QCOMPARE(good.out, QByteArray());
        QCOMPARE(contentOf(old.fileName()), support::runProgram({"analyze", "acts.npy", "--csv"}, dataFolder).out);
    }

    void pipesAndDevicesAreWrittenDirectly()
    {
        const auto direct = support::runProgram({"analyze", "acts.npy", "--csv"}, dataFolder);
        const auto piped = support::runProgram({"analyze", "acts.npy", "--csv", "-o", "/dev/stdout"}, dataFolder);
        QCOMPARE(piped.code, 0);
        QCOMPARE(piped.out, direct.out);
        const auto full = support::runProgram({"analyze", "acts.npy", "-o", "/dev/full"}, dataFolder);
        QCOMPARE(full.code, 1);
        QVERIFY2(full.err.contains("/dev/full"), full.err);

        QTemporaryDir folder;
        const auto fifo = folder.filePath("rows.npy");
        QCOMPARE(::mkfifo(fifo.toLocal8Bit().constData(), 0600), 0);
        QProcess reader;
        reader.start("cat", {fifo});
        QCOMPARE(support::runProgram({"coords", "acts.npy", "--threshold", "1", "-o", fifo}, dataFolder).code, 0);
        QVERIFY(reader.waitForFinished());
        const auto plain = folder.filePath("plain.npy");
        QCOMPARE(support::runProgram({"coords", "acts.npy", "--threshold", "1", "-o", plain}, dataFolder).code, 0);
        QCOMPARE(reader.readAllStandardOutput().toHex(), contentOf(plain).toHex());
    }

    void coordsWriteValues()
    {
        QTemporaryDir folder;
        const auto csv = folder.filePath("hot.csv");
        QCOMPARE(support::runProgram({"coords", "special.npy", "--where", "inf", "--values", "-o", csv}, dataFolder).code, 0);
        QCOMPARE(contentOf(csv), QByteArray("i0,i1,i2,value\n0,0,1,Infinity\n0,0,2,-Infinity\n"));
        QCOMPARE(support::runProgram({"coords", "special.npy", "--where", "inf", "-o", csv}, dataFolder).code, 0);
        QCOMPARE(contentOf(csv), QByteArray("i0,i1,i2\n0,0,1\n0,0,2\n"));

        const auto npz = folder.filePath("hot.npz");
        QCOMPARE(support::runProgram({"coords", "u8.npy", "--threshold", "250", "--values", "-o", npz}, dataFolder).code, 0);
        const auto info = parsed(support::runProgram({"info", npz, "--json"}, dataFolder).out)["entries"];
        QCOMPARE(info.size(), std::size_t{2});
        QCOMPARE(info[0]["name"].get<std::string>(), std::string("coords"));
        QCOMPARE(info[0]["dtype"].get<std::string>(), std::string("int64"));
        QCOMPARE(info[1]["name"].get<std::string>(), std::string("values"));
        QCOMPARE(info[1]["dtype"].get<std::string>(), std::string("uint8"));
        const auto values = parsed(support::runProgram({"analyze", npz, "--tensor", "values", "--json"}, dataFolder).out);
        const auto hot = parsed(support::runProgram({"analyze", "u8.npy", "--threshold", "250", "--json"}, dataFolder).out);
        QCOMPARE(values["elements"].dump(), hot["count"].dump());
        QVERIFY(values["values"]["min"].get<int>() > 250);
        int sum = 0;
        for (const auto& row : hot["channels"])
            sum += row["hot_sum"].get<int>();
        QCOMPARE(values["values"]["sum"].get<int>(), sum);
    }

    void limitWarnsOrRefuses()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath("rows.npy");
        const auto cut = support::runProgram({"coords", "acts.npy", "--limit", "7", "-o", path}, dataFolder);
        QCOMPARE(cut.code, 0);
        QVERIFY2(cut.err.startsWith("warning: ") && cut.err.contains("7 of 113"), cut.err);
        const auto enough = support::runProgram({"coords", "acts.npy", "--limit", "113", "-o", path}, dataFolder);
        QCOMPARE(enough.err, QByteArray());
        QVERIFY(QFile::remove(path));
        const auto sparse =
            support::runProgram({"coords", "coo.pt", "--where", "<= 0", "--limit", "7", "-o", path}, dataFolder);
        QCOMPARE(sparse.code, 1);
        QVERIFY(!QFile::exists(path));
        QVERIFY2(sparse.err.contains("27"), sparse.err);
    }

    void rowsPastTheFreeDiskAreRefused()
    {
        // A coordinate matrix of 2^31 x 2^31 with one element: as many zeros as no disk has room for.
        QTemporaryDir folder;
        QVERIFY(QFile::copy(dataFolder + "/huge_coo.npz", folder.filePath("huge.npz")));
        const auto outcome =
            support::runProgram({"coords", "huge.npz", "--where", "== 0", "-o", folder.filePath("out.npy")}, folder.path());
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains("free"), outcome.err);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"huge.npz"});
        const auto picture = support::runProgram({"render", "huge.npz", "-o", folder.filePath("out.png")}, folder.path());
        QCOMPARE(picture.code, 1);
        QVERIFY2(picture.err.contains("16,384") || picture.err.contains("16384"), picture.err);
    }

    void numbersHaveAPointInEveryLocale()
    {
        auto environment = support::withoutDisplay();
        const auto plain = support::runProgram({"analyze", "acts.npy", "--csv"}, dataFolder, environment);
        environment.insert("LC_ALL", "de_DE.UTF-8");
        environment.insert("LANG", "de_DE.UTF-8");
        QCOMPARE(support::runProgram({"analyze", "acts.npy", "--csv"}, dataFolder, environment).out, plain.out);
    }

    void colorBarNeedsNoDisplay()
    {
        QTemporaryDir folder;
        const auto path = folder.filePath("bar.png");
        const auto outcome = support::runProgram({"render", "acts.npy", "--colorbar", "--scale", "20", "-o", path}, dataFolder);
        QCOMPARE(outcome.err, QByteArray());
        QCOMPARE(outcome.code, 0);
        QVERIFY(contentOf(path).startsWith("\x89PNG"));
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "test_cli.moc"

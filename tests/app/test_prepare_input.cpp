// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"
#include "app/image_file.h"
#include "app/model/argument_text.h"
#include "app/model/arguments.h"
#include "core/cast.h"
#include "core/error.h"
#include "core/io/open.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>

// The expected values are torchvision's (tests/data/fixtures_inputs.py).

namespace {

const std::string folder = TEST_DATA "/inputs/";

std::vector<float> floatsOf(const core::Tensor& tensor)
{
    const auto dense = core::cast(tensor, core::DType::f32).toContiguous();
    std::vector<float> values(static_cast<std::size_t>(dense.elements()));
    std::memcpy(values.data(), dense.data(), values.size() * sizeof(float));
    return values;
}

app::ModelInfo model(const std::vector<app::ModelArgument>& arguments)
{
    app::ModelInfo info;
    info.arguments = arguments;
    return info;
}

core::Tensor noDecoder(const std::filesystem::path&)
{
    throw core::Error("no picture was expected");
}

app::InputSource ones(core::Shape shape, std::string argument = {})
{
    return {std::move(argument), app::GeneratedTensor{false, core::DType::f32, std::move(shape)}};
}

/// The message of the UsageError that these inputs give; empty for none.
std::string usageError(const app::ModelInfo& info, const app::ModelInput& input)
{
    try {
        app::makeArguments(info, input, noDecoder, {});
    } catch (const core::UsageError& error) {
        return error.what();
    }
    return {};
}

} // namespace

class TestPrepareInput : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void asTorchvision()
    {
        std::ifstream file(folder + "expected.json");
        const auto rows = nlohmann::json::parse(file);
        const auto arrays = core::io::open(folder + "expected.npz");
        QVERIFY(rows.size() > 15);
        for (const auto& row : rows) {
            app::cli::ModelOptions options;
            options.input = folder + row["picture"].get<std::string>();
            options.preset = row["options"]["preset"];
            options.resize = row["options"].value("resize", "");
            options.crop = row["options"].value("crop", "");
            const auto prepared =
                app::makeArguments(model({{"x", "Tensor", {}, true}}), app::cli::makeInput(options), app::decodePicture, {});
            const auto& tensor = std::get<core::Tensor>(prepared.values.at(0).second.value);
            const auto expected = std::get<core::Tensor>(arrays.find(row["array"].get<std::string>())->load({}));
            QCOMPARE(tensor.dtype(), core::DType::f32);
            QCOMPARE(tensor.shape(), expected.shape());
            const auto values = floatsOf(tensor);
            const auto wanted = floatsOf(expected);
            // A resized level may differ by one: by 1 of 255, over the smallest std of imagenet.
            const bool resized = row["resized"];
            const float level = options.preset == "none"       ? 1.0f
                                : options.preset == "imagenet" ? 1.0f / 255 / 0.224f
                                                               : 1.0f / 127;
            for (std::size_t i = 0; i < values.size(); ++i)
                if (resized ? std::abs(values[i] - wanted[i]) > level * 1.001f : values[i] != wanted[i])
                    QFAIL(qPrintable(QStringLiteral("%1: value %2 is %3, not %4")
                                         .arg(QString::fromStdString(row.dump()))
                                         .arg(i)
                                         .arg(double(values[i]), 0, 'g', 9)
                                         .arg(double(wanted[i]), 0, 'g', 9)));
        }
    }

    void tensorsGoInAsTheyAre()
    {
        const std::vector<std::int16_t> numbers{1, 2, 3, 4, 5, 6};
        const auto tensor = core::Tensor::fromValues(core::DType::i16, {1, 2, 3}, numbers);
        const auto same = app::prepareTensor(tensor, {});
        QCOMPARE(same.tensor.dtype(), core::DType::i16);
        QCOMPARE(same.tensor.shape(), (core::Shape{1, 2, 3}));
        app::InputPreparation how;
        how.layoutIn = "HWC";
        const auto turned = app::prepareTensor(tensor, how);
        QCOMPARE(turned.tensor.shape(), (core::Shape{1, 3, 1, 2}));
        QCOMPARE(floatsOf(turned.tensor), (std::vector<float>{1, 4, 2, 5, 3, 6}));
        how.layoutIn = "NCHW";
        QVERIFY_EXCEPTION_THROWN(app::prepareTensor(tensor, how), core::Error);
    }

    void geometryLeadsBackToThePicture()
    {
        // 200 x 100, shorter side to 50 (half), the middle 40 x 40 of 100 x 50: it begins at column 30, row 5, of the half.
        const std::vector<std::uint8_t> pixels(200 * 100 * 3, 9);
        app::InputPreparation how;
        how.resize = app::parseResize("short=50");
        how.crop = app::parseCrop("40x40");
        const auto prepared = app::preparePicture(core::Tensor::fromValues(core::DType::u8, {100, 200, 3}, pixels), how);
        const auto& geometry = *prepared.geometry;
        QCOMPARE(geometry.width, std::int64_t{40});
        QCOMPARE(geometry.left, 60.0);
        QCOMPARE(geometry.top, 10.0);
        QCOMPARE(geometry.stepX, 2.0);
        QCOMPARE(geometry.stepY, 2.0);
    }

    void aRampTellsWhereEachPixelComesFrom()
    {
        // Interpolation keeps straight lines: a pixel that holds its own column (row) holds, away from the edges, the place of
        // the original below its middle. The filter's few samples bend the line a little, but to both sides alike; a wrong half
        // pixel would be off by a third.
        constexpr int width = 53;
        constexpr int height = 97;
        std::vector<float> values;
        for (int channel = 0; channel < 2; ++channel)
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x)
                    values.push_back(static_cast<float>(channel == 0 ? x : y));
        const auto ramp = core::Tensor::fromValues(core::DType::f32, {2, height, width}, values);
        for (const char* size : {"short=31", "40x61"}) {
            app::InputPreparation how;
            how.resize = app::parseResize(size);
            how.crop = app::parseCrop("21x24");
            const auto prepared = app::prepareTensor(ramp, how);
            const auto& place = *prepared.geometry;
            const auto given = floatsOf(prepared.tensor);
            double offX = 0;
            double offY = 0;
            for (int y = 0; y < 24; ++y)
                for (int x = 0; x < 21; ++x) {
                    const auto at = static_cast<std::size_t>(21 * y + x);
                    const double dx = given[at] - (place.left + (x + 0.5) * place.stepX - 0.5);
                    const double dy = given[21 * 24 + at] - (place.top + (y + 0.5) * place.stepY - 0.5);
                    QVERIFY(std::abs(dx) < 0.15 && std::abs(dy) < 0.15);
                    offX += dx / (21 * 24);
                    offY += dy / (21 * 24);
                }
            QVERIFY2(std::abs(offX) < 0.01 && std::abs(offY) < 0.01,
                     qPrintable(QStringLiteral("%1: %2 %3").arg(QLatin1String(size)).arg(offX).arg(offY)));
        }
    }

    void assignsInputs()
    {
        const auto info = model({{"x", "Tensor", {}, true},
                                 {"mask", "Optional[Tensor]", "None", false},
                                 {"y", "Tensor", {}, true},
                                 {"scale", "float", "1.0", false},
                                 {"names", "List[int]", {}, false}});
        app::ModelInput input;
        input.sources = {ones({1}), ones({2})};
        input.texts = {{"scale", "0.5"}, {"names", "4,5"}};
        const auto values = app::makeArguments(info, input, noDecoder, {}).values;
        QCOMPARE(values.size(), std::size_t{4});
        QCOMPARE(values[0].first, std::string("x"));
        QCOMPARE(std::get<app::GeneratedTensor>(values[0].second.value).shape, core::Shape{1});
        // The optional mask leaves the second input to y, which must have one.
        QCOMPARE(values[1].first, std::string("y"));
        QCOMPARE(std::get<double>(values[2].second.value), 0.5);
        QCOMPARE(std::get<std::int64_t>(std::get<app::ModelList>(values[3].second.value).items.at(1).value), std::int64_t{5});
        input.sources.push_back(ones({3}));
        const auto all = app::makeArguments(info, input, noDecoder, {}).values;
        QCOMPARE(all[1].first, std::string("mask"));
        QCOMPARE(std::get<app::GeneratedTensor>(all[1].second.value).shape, core::Shape{2});
        input.sources.push_back(ones({4}));
        QVERIFY(usageError(info, input).find("more than the model takes") != std::string::npos);
        input.sources = {ones({1})};
        QVERIFY(usageError(info, input).find("nothing is given for y") != std::string::npos);
        input.sources = {ones({1}), ones({2}), ones({3}, "z")};
        QVERIFY(usageError(info, input).find("no argument z") != std::string::npos);
        input.sources = {ones({1}), ones({2})};
        input.texts = {{"scale", "much"}};
        QVERIFY(usageError(info, input).find("--arg scale=much: the argument is float") != std::string::npos);
    }

    void listsTakeTheRest()
    {
        const auto info = model({{"images", "List[Tensor]", {}, true}});
        app::ModelInput input;
        input.sources = {ones({1}), ones({2}), ones({3})};
        const auto values = app::makeArguments(info, input, noDecoder, {}).values;
        QCOMPARE(std::get<app::ModelList>(values[0].second.value).items.size(), std::size_t{3});
        // A picture in a list has no batch axis.
        input.sources = {{{}, std::filesystem::path(folder + "rgb.png")}};
        const auto pictures = app::makeArguments(info, input, noDecoder, {}).values;
        const auto& items = std::get<app::ModelList>(pictures[0].second.value).items;
        QCOMPARE(std::get<core::Tensor>(items.at(0).value).shape(), (core::Shape{3, 37, 53}));
    }

    void types()
    {
        using Kind = app::ArgumentType::Kind;
        const auto tuple = app::ArgumentType::parse("Optional[Tuple[Tensor, List[Tuple[int, int]], Tensor]]");
        QVERIFY(tuple.isOptional);
        QCOMPARE(tuple.kind, Kind::tuple);
        QCOMPARE(tuple.inner, (std::vector<std::string>{"Tensor", "List[Tuple[int, int]]", "Tensor"}));
        QVERIFY(!tuple.holdsTensors());
        QVERIFY(app::ArgumentType::parse("Dict[str, Tensor]").holdsTensors());
        QVERIFY(app::ArgumentType::parse("Tuple[Tensor, Tensor]").holdsTensors());
        QCOMPARE(app::ArgumentType::parse("__torch__.Odd").kind, Kind::other);
    }

    void sizes()
    {
        QCOMPARE(app::parseShape("1x3x4", "--random"), (core::Shape{1, 3, 4}));
        QCOMPARE(app::parseShape("1,3", "--random"), (core::Shape{1, 3}));
        QCOMPARE(app::cli::parseBytes("2G", "--budget"), std::int64_t{2} << 30);
        QCOMPARE(app::cli::parseBytes("1.5K", "--budget"), std::int64_t{1536});
        for (const auto* bad : {"", "x", "1x", "1x-3", "axb"})
            QVERIFY_EXCEPTION_THROWN(app::parseShape(bad, "--random"), core::UsageError);
        for (const auto* bad : {"", "5", "x5", "5x", "0x4", "short=", "short=0", "99999999x1"})
            QVERIFY_EXCEPTION_THROWN(app::parseResize(bad), core::UsageError);
        for (const auto* bad : {"", "G", "-1", "1Q", "99999999T"})
            QVERIFY_EXCEPTION_THROWN(app::cli::parseBytes(bad, "--budget"), core::UsageError);
    }
};

QTEST_GUILESS_MAIN(TestPrepareInput)
#include "test_prepare_input.moc"

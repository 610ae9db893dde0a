// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/engine/part_copy.h"
#include "tests/support/random_tensor.h"

#include <QtTest>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace core;

/// New tensors of updates and fusions keep the order of their source's memory, and hold what those of a contiguous source hold.
namespace {

struct StridesCase
{
    Shape shape;
    Strides strides;
    Strides expected;
};

/// The last column: strides of torch.where(t > 1, 5.0, t), PyTorch 2.11.
const StridesCase stridesCases[] = {
    {{2, 3, 4, 5}, {60, 1, 15, 3}, {60, 1, 15, 3}},
    {{2, 3, 4, 5}, {1, 40, 2, 8}, {1, 40, 2, 8}},
    {{2, 1, 4, 5}, {20, 1, 5, 1}, {20, 1, 5, 1}},
    {{2, 3, 1, 5}, {15, 1, 15, 3}, {15, 1, 15, 3}},
    {{1, 3, 4, 5}, {60, 1, 15, 3}, {60, 1, 15, 3}},
    {{2, 3, 4, 5}, {240, 80, 20, 2}, {60, 20, 5, 1}},
    {{2, 3, 4, 5}, {240, 1, 60, 6}, {60, 1, 15, 3}},
    {{5, 3, 4}, {4, 0, 1}, {12, 4, 1}},
    {{4, 3, 5}, {1, 0, 4}, {1, 4, 12}},
    {{4, 3, 6}, {1, 0, 4}, {1, 4, 12}},
    {{7, 3}, {1, 0}, {3, 1}},
    {{3, 4}, {0, 6}, {4, 1}},
    {{3, 2, 3, 3}, {1, 30, 60, 12}, {1, 9, 18, 3}},
    {{2, 3, 4, 5, 6}, {1, 2, 6, 24, 120}, {1, 2, 6, 24, 120}},
    {{4, 1, 6}, {1, 4, 20}, {1, 4, 4}},
    {{4}, {3}, {1}},
    {{2, 3, 4, 5}, {0, 1, 0, 3}, {60, 1, 3, 12}},
};

/// The same elements with the axes in the order of `letters` in memory, outermost first.
Tensor reordered(const Tensor& tensor, const std::string& axes, const std::string& letters)
{
    Strides strides(axes.size());
    std::int64_t step = 1;
    for (std::size_t i = letters.size(); i-- > 0;) {
        const std::size_t axis = axes.find(letters[i]);
        strides[axis] = step;
        step *= tensor.shape()[axis];
    }
    const auto size = static_cast<std::size_t>(itemSize(tensor.dtype()));
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.bytes()));
    support::forIndices(tensor.shape(), [&](const std::vector<std::int64_t>& indices) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < indices.size(); ++axis)
            offset += indices[axis] * strides[axis];
        std::memcpy(bytes.data() + static_cast<std::size_t>(offset) * size, support::elementAt(tensor, indices), size);
    });
    return Tensor(tensor.dtype(), tensor.shape(), strides, Storage::fromVector(std::move(bytes)));
}

bool sameElements(const Tensor& a, const Tensor& b)
{
    const Tensor left = a.toContiguous();
    const Tensor right = b.toContiguous();
    return left.dtype() == right.dtype() && left.shape() == right.shape() &&
           std::equal(left.data(), left.data() + left.bytes(), right.data());
}

/// One of each kind that the dtype takes, one threshold for all and one per channel.
std::vector<SelectQuery> queriesFor(DType dtype)
{
    std::vector<SelectQuery> queries;
    for (const Update update : {Update::set, Update::replace, Update::negate, Update::scale, Update::absolute, Update::clamp})
        for (const bool perChannel : {false, true}) {
            if (dtype == DType::boolean && update != Update::set && update != Update::replace)
                continue;
            if (isComplex(dtype) && (perChannel || update == Update::absolute || update == Update::clamp))
                continue;
            SelectQuery query;
            query.where = Where::parse(isComplex(dtype) ? "!= 0" : perChannel ? "max 0.5" : "outside -1 2");
            query.where.perChannel = perChannel;
            query.update = update;
            query.value = Number::fromInteger(1);
            if (update == Update::scale)
                query.value = isInteger(dtype) ? Number::fromInteger(3) : Number::fromReal(1.5);
            if (update == Update::clamp)
                query.lower = Number::fromInteger(1);
            queries.push_back(query);
        }
    return queries;
}

/// What an engine holds of a tensor and of its partner for replacements and fusions.
struct Pair
{
    std::unique_ptr<LoadedTensor> first;
    std::unique_ptr<LoadedTensor> second;
};

std::string difference(const Pair& found, const Pair& expected)
{
    for (SelectQuery query : queriesFor(found.first->dtype())) {
        query.other = found.second.get();
        const Selected a = found.first->select(query);
        query.other = expected.second.get();
        const Selected b = expected.first->select(query);
        const std::string name =
            fmt::format("update {}{}", static_cast<int>(query.update), query.where.perChannel ? " per channel" : "");
        if (!sameElements(std::get<Tensor>(a.values), std::get<Tensor>(b.values)))
            return name;
        if (a.before != b.before || a.after != b.after)
            return "counts of " + name;
    }
    const Fused a = found.first->fuse(*found.second, {2});
    const Fused b = expected.first->fuse(*expected.second, {2});
    const auto isSame = [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    return std::equal(a.norms.begin(), a.norms.end(), b.norms.begin(), b.norms.end(), isSame) &&
                   sameElements(a.values, b.values)
               ? std::string()
               : "fusion";
}

} // namespace

class TestPartOrder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stridesAreThoseOfPyTorch()
    {
        for (const auto& [shape, strides, expected] : stridesCases) {
            const std::string name = shapeText(shape) + " " + shapeText(strides);
            const Strides packed = packedStrides(shape, strides);
            // Of one index no stride means anything.
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                QVERIFY2(shape[axis] == 1 || packed[axis] == expected[axis], name.c_str());
        }
        // Where PyTorch has none: steps backwards count by their length.
        QVERIFY(packedStrides({2, 3, 4}, {-1, 8, -2}) == (Strides{1, 8, 2}));
        QVERIFY(packedStrides({}, {}).empty());
    }

    void resultsKeepTheOrder()
    {
        support::Random random(1);
        const Tensor plain = support::randomTensor(DType::f32, {2, 3, 4, 5}, support::Strides::contiguous, random);
        const auto engine = makeCpuEngine(2);
        for (const std::string letters : {"NCHW", "NHWC", "WHCN", "CWNH", "HNCW"}) {
            const Tensor tensor = reordered(plain, "NCHW", letters);
            const auto loaded = engine->load(tensor, Selection::all(Layout::guess(4)));
            SelectQuery query;
            query.where = Where::parse("> 1");
            query.value = Number::fromInteger(0);
            QVERIFY(std::get<Tensor>(loaded->select(query).values).strides() == tensor.strides());
            // As the first one's.
            const auto other = engine->load(plain, Selection::all(Layout::guess(4)));
            QVERIFY(loaded->fuse(*other, {2}).values.strides() == tensor.strides());
        }
    }

    void everyOrderHoldsTheSame_data()
    {
        QTest::addColumn<int>("dtype");
        for (const DType dtype : support::allDTypes)
            QTest::newRow(dtypeName(dtype).data()) << static_cast<int>(dtype);
    }

    void everyOrderHoldsTheSame()
    {
        QFETCH(int, dtype);
        const auto type = static_cast<DType>(dtype);
        support::Random random(static_cast<std::uint64_t>(dtype));
        for (const Shape& shape : {Shape{2, 3, 13, 7}, Shape{3, 70, 5, 9}, Shape{1, 1, 4, 6}, Shape{2, 5, 1, 300}}) {
            // Without NaN each tensor has planes of larger norms.
            const bool special = shape[1] != 70;
            const Tensor plain = support::randomTensor(type, shape, support::Strides::contiguous, random, special);
            const Tensor plainOther = support::randomTensor(type, shape, support::Strides::contiguous, random, special);
            std::string letters = "CHNW";
            int round = 0;
            do {
                Selection selection = Selection::all(Layout::guess(4));
                if (++round % 3 == 0) {
                    const auto axis = static_cast<std::size_t>(random() % 4);
                    selection.fixed[axis] = shape[axis] - 1;
                }
                const auto engine = makeCpuEngine(1 + round % 2 * 2);
                const Pair found{engine->load(reordered(plain, "NCHW", letters), selection),
                                 engine->load(round % 2 ? plainOther : reordered(plainOther, "NCHW", "WNHC"), selection)};
                const Pair expected{engine->load(plain, selection), engine->load(plainOther, selection)};
                const std::string wrong = difference(found, expected);
                QVERIFY2(wrong.empty(), fmt::format("{} {}: {}", shapeText(shape), letters, wrong).c_str());
            } while (std::next_permutation(letters.begin(), letters.end()));
        }
    }

    /// Past the caches, in several parts that begin anywhere in a row of channels.
    void largeTensorsHoldTheSame()
    {
        support::Random random(3);
        for (const auto& [type, shape] : {std::pair{DType::f32, Shape{2, 61, 131, 137}},
                                          {DType::u8, Shape{3, 61, 211, 223}},
                                          {DType::f16, Shape{2, 64, 256, 130}},
                                          {DType::u8, Shape{1, 3, 1700, 1711}}}) {
            const Tensor plain = support::randomTensor(type, shape, support::Strides::contiguous, random);
            const Tensor plainOther = support::randomTensor(type, shape, support::Strides::contiguous, random);
            const auto engine = makeCpuEngine(2);
            const Selection selection = Selection::all(Layout::guess(4));
            const Pair expected{engine->load(plain, selection), engine->load(plainOther, selection)};
            for (const std::string letters : {"NHWC", "WHCN", "NHCW", "CHWN"}) {
                const Pair found{engine->load(reordered(plain, "NCHW", letters), selection),
                                 engine->load(reordered(plainOther, "NCHW", letters), selection)};
                const std::string wrong = difference(found, expected);
                QVERIFY2(wrong.empty(), fmt::format("{} {}: {}", shapeText(shape), letters, wrong).c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestPartOrder)
#include "test_part_order.moc"

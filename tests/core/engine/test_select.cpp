// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "tests/core/engine/operation_cases.h"
#include "tests/core/engine/torch_tables.h"

#include <fmt/format.h>

#include <map>

using namespace core;
using naive::Case;
using naive::Element;

namespace {

std::unique_ptr<LoadedTensor> load(const Content& content, const Selection& selection, int threads = 2)
{
    return makeCpuEngine(threads)->load(content, selection);
}

std::unique_ptr<LoadedTensor> load(const Tensor& tensor)
{
    return load(tensor, Selection::all(Layout::guess(tensor.rank())));
}

Update updateFromName(const std::string& name)
{
    const std::map<std::string, Update> names = {{"set", Update::set},       {"abs", Update::absolute},
                                                 {"negate", Update::negate}, {"clamp", Update::clamp},
                                                 {"scale", Update::scale},   {"replace", Update::replace}};
    return names.at(name);
}

std::optional<Number> numberOf(const std::string& text)
{
    if (text == "-")
        return std::nullopt;
    return text == "nan" ? Number::fromReal(std::nan("")) : Number::parse(text);
}

SelectQuery queryOf(const std::string& update, const std::string& a, const std::string& b, const std::string& where)
{
    SelectQuery query;
    query.where = Where::parse(where);
    query.update = updateFromName(update);
    if (query.update == Update::clamp) {
        query.lower = numberOf(a);
        query.upper = numberOf(b);
    } else {
        query.value = numberOf(a);
    }
    return query;
}

/// Several copies behind each other, so that vectors and their rests both see every element.
Tensor repeated(DType dtype, const std::string& hex, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += hex;
    const auto n = static_cast<std::int64_t>(all.size()) / 2 / itemSize(dtype);
    return tables::tensorOf(dtype, {n}, all);
}

/// The selected elements in the order of the tensor's own axes, one after the other.
Tensor inOrder(const Case& c, const Tensor& tensor)
{
    std::vector<std::byte> bytes;
    for (const Element& e : c.elements) {
        const std::byte* at = support::elementAt(tensor, e.indices);
        bytes.insert(bytes.end(), at, at + itemSize(tensor.dtype()));
    }
    return Tensor::contiguous(tensor.dtype(), {static_cast<std::int64_t>(c.elements.size())},
                              Storage::fromVector(std::move(bytes)));
}

/// One update of each kind that the dtype takes.
std::vector<SelectQuery> queriesFor(DType dtype, support::Random& random)
{
    static const char* real[] = {"> 0.5", "< -1.5", "!= 0", "between -1 2", "outside -3 3", "nan", "abs > 2"};
    static const char* complex[] = {"== 1", "!= 0", "abs > 2", "nan"};
    const std::string where = isComplex(dtype) ? complex[random() % std::size(complex)] : real[random() % std::size(real)];
    std::vector<SelectQuery> queries = {queryOf("set", "3", "-", where), queryOf("replace", "-", "-", where)};
    if (dtype == DType::boolean)
        return queries;
    queries.push_back(queryOf("negate", "-", "-", where));
    queries.push_back(queryOf("scale", isInteger(dtype) ? "3" : "1.5", "-", where));
    if (isComplex(dtype))
        return queries;
    queries.push_back(queryOf("abs", "-", "-", where));
    queries.push_back(queryOf("clamp", "1", "2", where));
    return queries;
}

bool haveSameBytes(const Tensor& a, const Tensor& b)
{
    return a.bytes() == b.bytes() &&
           (a.bytes() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

} // namespace

class TestSelect : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersAsPyTorch()
    {
        std::map<std::string, std::string> values;
        for (const std::string& line : tables::lines("updates.txt")) {
            std::istringstream words(line);
            std::string name, update, a, b, where, after;
            words >> name;
            if (name == "values") {
                words >> name >> values[name];
                continue;
            }
            words >> update >> a >> b >> where >> after;
            const DType dtype = *dtypeFromName(name);
            const auto loaded = load(repeated(dtype, values[name], 3));
            const SelectQuery query = queryOf(update, a, b, where);
            if (after == "refused") {
                QVERIFY_EXCEPTION_THROWN(loaded->select(query), Error);
                continue;
            }
            const Selected selected = loaded->select(query);
            const Tensor expected = repeated(dtype, after, 3);
            QVERIFY2(tables::same(std::get<Tensor>(selected.values).data(), expected.data(), expected.elements(), dtype),
                     line.substr(0, 100).c_str());
        }
    }

    /// Any layout gives what the same elements give in a row, which answersAsPyTorch() settles; counts by plain loops.
    void answersForEveryDTypeLayoutAndTarget()
    {
        operations::forCases(1, [](const Case& c) {
            support::Random random(c.seed);
            const DType dtype = c.tensor.dtype();
            const Tensor otherTensor = support::randomTensor(dtype, c.tensor.shape(), support::Strides::permuted, random);
            const auto loaded = load(c.tensor, c.selection);
            const auto other = load(otherTensor, c.selection);
            const auto row = load(inOrder(c, c.tensor));
            const auto otherRow = load(inOrder(c, otherTensor));
            for (SelectQuery query : queriesFor(dtype, random)) {
                // As checkHits() compares.
                query.where.comparison = Comparison::exact;
                query.other = other.get();
                const Selected selected = loaded->select(query);
                query.other = otherRow.get();
                const Selected expected = row->select(query);
                const Tensor values = std::get<Tensor>(selected.values).toContiguous();
                QVERIFY2(haveSameBytes(values, std::get<Tensor>(expected.values)), c.name.c_str());
                // The part in the tensor's own axes.
                for (std::size_t axis = 0; axis < c.tensor.shape().size(); ++axis)
                    QCOMPARE(values.shape()[axis], c.selection.fixed[axis] ? 1 : c.tensor.shape()[axis]);
                checkHits(c, query, selected, values);
            }
        });
    }

    void hitsStayHitsInManyElements()
    {
        // Past the caches; a plane that does not begin where a vector does.
        const Shape shape = {3, 911, 1013};
        support::Random random(1);
        const Tensor tensor = support::randomTensor(DType::f32, shape, support::Strides::contiguous, random, false);
        for (const int threads : {1, 3}) {
            const auto loaded = load(tensor, Selection::all(Layout::guess(3)), threads);
            SelectQuery query = queryOf("set", "7", "-", "> 0.5");
            const Selected selected = loaded->select(query);
            QVERIFY(selected.before == selected.after);
            const auto& values = std::get<Tensor>(selected.values);
            for (std::int64_t i = 0; i < values.elements(); ++i) {
                float before = 0;
                float after = 0;
                std::memcpy(&before, tensor.data() + 4 * i, 4);
                std::memcpy(&after, values.data() + 4 * i, 4);
                QVERIFY(after == (before > 0.5f ? 7 : before));
            }
            query.value = Number::fromInteger(0);
            QVERIFY(loaded->select(query).after == std::vector<std::int64_t>(3));
        }
    }

    void takesOneThresholdPerChannel()
    {
        const Tensor tensor = Tensor::fromValues(DType::f32, {2, 1, 4}, std::vector<float>{1, 2, 3, 4, 10, 20, 30, 40});
        SelectQuery query = queryOf("set", "0", "-", "max 0.5");
        query.where.perChannel = true;
        const Selected selected = load(tensor)->select(query);
        const Tensor expected = Tensor::fromValues(DType::f32, {2, 1, 4}, std::vector<float>{1, 2, 0, 0, 10, 20, 0, 0});
        QVERIFY(haveSameBytes(std::get<Tensor>(selected.values), expected));
        QVERIFY(selected.before == std::vector<std::int64_t>({2, 2}));
        QVERIFY(selected.after == std::vector<std::int64_t>({0, 0}));
    }

    void sparseUpdatesEqualDenseOnes()
    {
        support::Random random(11);
        const Selection selection = Selection::all(Layout::guess(4));
        for (const DType dtype : {DType::f32, DType::f16, DType::i16, DType::u8, DType::f64, DType::f8e4m3fn, DType::c64})
            for (SelectQuery query : queriesFor(dtype, random)) {
                if (query.update == Update::replace || query.update == Update::clamp)
                    continue;
                query.where = Where::parse("!= 0");
                const Tensor dense = operations::mostlyZero(dtype, {2, 3, 4, 5}, 3, random);
                const SparseTensor sparse = operations::toSparse(dense);
                const Selected expected = load(dense, selection)->select(query);
                const Selected selected = load(sparse, selection)->select(query);
                const auto& coo = std::get<SparseTensor>(selected.values);
                QVERIFY(haveSameBytes(coo.indices, sparse.indices));
                QVERIFY(coo.shape == dense.shape());
                QVERIFY(selected.before == expected.before);
                QVERIFY(selected.after == expected.after);
                const Tensor all = std::get<Tensor>(expected.values);
                const SparseTensor kept = operations::toSparse(all);
                // Nothing stored became zero here, so that the two store the same elements.
                if (kept.values.elements() == coo.values.elements())
                    QVERIFY(haveSameBytes(coo.values, kept.values));
            }
    }

    void refusesWhatHasNoAnswer()
    {
        const Tensor tensor = Tensor::fromValues(DType::f32, {2, 3}, std::vector<float>(6));
        const auto loaded = load(tensor);
        QVERIFY_EXCEPTION_THROWN(loaded->select(queryOf("set", "-", "-", "> 1")), Error);
        QVERIFY_EXCEPTION_THROWN(loaded->select(queryOf("scale", "-", "-", "> 1")), Error);
        QVERIFY_EXCEPTION_THROWN(loaded->select(queryOf("clamp", "-", "-", "> 1")), Error);
        QVERIFY_EXCEPTION_THROWN(loaded->select(queryOf("replace", "-", "-", "> 1")), Error);
        SelectQuery replace = queryOf("replace", "-", "-", "> 1");
        const auto narrow = load(Tensor::fromValues(DType::f32, {3, 2}, std::vector<float>(6)));
        replace.other = narrow.get();
        QVERIFY_EXCEPTION_THROWN(loaded->select(replace), Error);
        // Zeros that are not stored stay zeros, or the tensor would be dense.
        const auto sparse = load(operations::toSparse(tensor), Selection::all(Layout::guess(2)));
        QVERIFY_EXCEPTION_THROWN(sparse->select(queryOf("set", "1", "-", "<= 0")), Error);
        replace.other = loaded.get();
        QVERIFY_EXCEPTION_THROWN(sparse->select(replace), Error);
        QVERIFY(sparse->select(queryOf("abs", "-", "-", "<= 0")).after == std::vector<std::int64_t>({6}));
        std::stop_source source;
        source.request_stop();
        QVERIFY_EXCEPTION_THROWN(loaded->select(queryOf("set", "1", "-", "> 1"), {source.get_token(), {}}), Cancelled);
    }

    void roundsToFloat8AsPyTorch()
    {
        for (const std::string& line : tables::lines("float8.txt")) {
            std::istringstream words(line);
            std::string name, from, to;
            words >> name >> from >> to;
            const DType dtype = *dtypeFromName(name);
            const auto inputs = tables::bytesOf(from);
            const auto outputs = tables::bytesOf(to);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                float value = 0;
                std::memcpy(&value, inputs.data() + 4 * i, 4);
                const float rounded = float8ToFloat(dtype, toFloat8(dtype, value));
                const float expected = float8ToFloat(dtype, std::to_integer<std::uint8_t>(outputs[i]));
                QVERIFY2((std::isnan(rounded) && std::isnan(expected)) ||
                             (rounded == expected && std::signbit(rounded) == std::signbit(expected)),
                         fmt::format("{} {}: {} expected {}", name, value, rounded, expected).c_str());
            }
        }
    }

private:
    static void checkHits(const Case& c, const SelectQuery& query, const Selected& selected, const Tensor& values)
    {
        const auto isHot = naive::test(query.where.text, c.tensor.dtype());
        std::vector<std::int64_t> before(c.planes());
        std::vector<std::int64_t> after(c.planes());
        for (std::size_t i = 0; i < c.elements.size(); ++i) {
            Element e = c.elements[i];
            before[c.planeOf(e)] += isHot(e);
            const std::byte* at = values.data() + static_cast<std::int64_t>(i) * itemSize(values.dtype());
            e.re = support::realPart(values.dtype(), at);
            e.im = support::imaginaryPart(values.dtype(), at);
            after[c.planeOf(e)] += isHot(e);
        }
        QVERIFY2(selected.before == before, c.name.c_str());
        QVERIFY2(selected.after == after, c.name.c_str());
    }
};

QTEST_APPLESS_MAIN(TestSelect)
#include "test_select.moc"

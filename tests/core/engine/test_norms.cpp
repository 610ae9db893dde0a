// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "tests/core/engine/operation_cases.h"
#include "tests/core/engine/torch_tables.h"

#include <map>

using namespace core;
using naive::Case;
using naive::Element;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::unique_ptr<LoadedTensor> load(const Content& content, const Selection& selection, int threads = 2)
{
    return makeCpuEngine(threads)->load(content, selection);
}

std::unique_ptr<LoadedTensor> load(const Tensor& tensor)
{
    return load(tensor, Selection::all(Layout::guess(tensor.rank())));
}

bool isClose(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * std::abs(b);
}

bool isSame(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// A plane's norm by the rules of norms.h and lane_sum.h.
double naiveNorm(const std::vector<double>& values, double p)
{
    std::vector<double> terms;
    double largest = 0;
    double nonzero = 0;
    bool hasNan = false;
    for (const double v : values) {
        hasNan = hasNan || std::isnan(v);
        largest = std::max(largest, std::abs(v));
        nonzero += v != 0;
        terms.push_back(p == 1 ? std::abs(v) : p == 2 ? v * v : std::pow(std::abs(v), p));
    }
    if (p == 0)
        return nonzero;
    if (p == inf)
        return hasNan ? std::nan("") : largest;
    const double sum = naive::laneSum(terms);
    return p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p);
}

std::vector<std::vector<double>> planesOf(const Case& c)
{
    std::vector<std::vector<double>> planes(c.planes(), std::vector<double>(c.planeElements()));
    for (const Element& e : c.elements) {
        const bool isNan = std::isnan(e.re) || std::isnan(e.im);
        planes[c.planeOf(e)][c.inPlane(e)] = isNan ? std::nan("") : static_cast<double>(e.magnitude(c.tensor.dtype()));
    }
    return planes;
}

} // namespace

class TestNorms : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersAsPyTorch()
    {
        std::map<std::string, std::string> values;
        for (const std::string& line : tables::lines("norms.txt")) {
            std::istringstream words(line);
            std::string name, p;
            words >> name;
            if (name == "values") {
                words >> name >> values[name];
                continue;
            }
            words >> p;
            const auto loaded = load(tables::tensorOf(*dtypeFromName(name), {2, 5, 3, 7}, values[name]));
            const std::vector<double> norms = loaded->norms({std::stod(p)});
            QCOMPARE(norms.size(), std::size_t{10});
            for (const double norm : norms) {
                std::string expected;
                words >> expected;
                QVERIFY2(isClose(norm, std::stod(expected)), (name + " " + p + ": " + std::to_string(norm)).c_str());
            }
        }
    }

    void haveTheSameBitsForEveryDTypeLayoutAndTarget()
    {
        operations::forCases(1, [](const Case& c) {
            const auto loaded = load(c.tensor, c.selection);
            const auto planes = planesOf(c);
            for (const double p : {0.0, 1.0, 2.0, 2.5, inf}) {
                const std::vector<double> norms = loaded->norms({p});
                QCOMPARE(norms.size(), planes.size());
                for (std::size_t plane = 0; plane < planes.size(); ++plane)
                    QVERIFY2(isSame(norms[plane], naiveNorm(planes[plane], p)),
                             fmt::format("{}, p {}, plane {}: {} expected {}", c.name, p, plane, norms[plane],
                                         naiveNorm(planes[plane], p))
                                 .c_str());
            }
        });
    }

    void sparseNormsEqualDenseOnes()
    {
        support::Random random(3);
        for (const DType dtype : {DType::f32, DType::bf16, DType::i32, DType::u8, DType::c64})
            for (const double p : {0.0, 0.5, 1.0, 2.0, inf}) {
                const Tensor dense = operations::mostlyZero(dtype, {2, 3, 70, 90}, 2, random);
                const Selection selection = Selection::all(Layout::guess(4));
                const auto expected = load(dense, selection)->norms({p});
                const auto norms = load(operations::toSparse(dense), selection)->norms({p});
                for (std::size_t i = 0; i < expected.size(); ++i)
                    QVERIFY(isSame(norms[i], expected[i]));
            }
    }

    void fusesByPlane()
    {
        operations::forCases(1, [](const Case& c) {
            support::Random random(c.seed + 1000);
            const auto first = load(c.tensor, c.selection);
            const Tensor otherTensor =
                support::randomTensor(c.tensor.dtype(), c.tensor.shape(), support::Strides::permuted, random);
            const auto second = load(otherTensor, c.selection, 1);
            const Fused fused = first->fuse(*second, {2});
            const auto norms = first->norms({2});
            const auto otherNorms = second->norms({2});
            const int size = itemSize(c.tensor.dtype());
            QCOMPARE(fused.values.elements(), c.extents.elements());
            const Tensor values = fused.values.toContiguous();
            for (std::size_t i = 0; i < c.elements.size(); ++i) {
                const Element& e = c.elements[i];
                const bool isFirst = norms[c.planeOf(e)] >= otherNorms[c.planeOf(e)];
                QCOMPARE(fused.isFirst(c.planeOf(e)), isFirst);
                QVERIFY2(std::memcmp(values.data() + static_cast<std::int64_t>(i) * size,
                                     support::elementAt(isFirst ? c.tensor : otherTensor, e.indices),
                                     static_cast<std::size_t>(size)) == 0,
                         c.name.c_str());
            }
        });
    }

    /// Planes that fit into a core's cache, and planes that do not.
    void fusesSmallAndLargePlanes()
    {
        for (const std::int64_t side : {100, 400}) {
            std::vector<float> x(static_cast<std::size_t>(5 * side * side));
            std::vector<float> y = x;
            support::Random random(1);
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] = static_cast<float>(random() % 1000) / 7;
                y[i] = static_cast<float>(random() % 1000) / 7;
            }
            const Shape shape = {5, side, side};
            const auto plane = static_cast<std::size_t>(side * side);
            // A tie, which is the first one's, and a NaN, which loses.
            std::copy_n(x.begin(), plane, y.begin());
            y[0] = -y[0];
            x[plane + 7] = std::nanf("");
            y[2 * plane + 7] = std::nanf("");
            const auto first = load(Tensor::fromValues(DType::f32, shape, x));
            const auto second = load(Tensor::fromValues(DType::f32, shape, y));
            for (const double p : {1.0, 2.0, inf}) {
                const Fused fused = first->fuse(*second, {p});
                for (std::size_t i = 0; i < 5; ++i) {
                    const std::vector<double> a(x.begin() + static_cast<std::ptrdiff_t>(i * plane),
                                                x.begin() + static_cast<std::ptrdiff_t>((i + 1) * plane));
                    const std::vector<double> b(y.begin() + static_cast<std::ptrdiff_t>(i * plane),
                                                y.begin() + static_cast<std::ptrdiff_t>((i + 1) * plane));
                    const bool isFirst = naiveNorm(a, p) >= naiveNorm(b, p);
                    QCOMPARE(fused.isFirst(i), isFirst);
                    QVERIFY(std::memcmp(fused.values.data() + i * plane * 4, (isFirst ? x : y).data() + i * plane, plane * 4) ==
                            0);
                }
            }
        }
    }

    void refusesWhatDoesNotFit()
    {
        const auto tensor = load(Tensor::fromValues(DType::f32, {2, 3}, std::vector<float>(6)));
        QVERIFY_EXCEPTION_THROWN(tensor->norms({-1}), Error);
        QVERIFY_EXCEPTION_THROWN(tensor->norms({std::nan("")}), Error);
        const auto narrow = load(Tensor::fromValues(DType::f32, {3, 2}, std::vector<float>(6)));
        const auto twice = load(Tensor::fromValues(DType::f64, {2, 3}, std::vector<double>(6)));
        const Tensor dense = Tensor::fromValues(DType::f32, {2, 3}, std::vector<float>(6));
        const auto sparse = load(operations::toSparse(dense), Selection::all(Layout::guess(2)));
        QVERIFY_EXCEPTION_THROWN(tensor->fuse(*narrow, {}), Error);
        QVERIFY_EXCEPTION_THROWN(tensor->fuse(*twice, {}), Error);
        QVERIFY_EXCEPTION_THROWN(tensor->fuse(*sparse, {}), Error);
        QVERIFY_EXCEPTION_THROWN(sparse->fuse(*tensor, {}), Error);
        std::stop_source source;
        source.request_stop();
        QVERIFY_EXCEPTION_THROWN(tensor->norms({}, {source.get_token(), {}}), Cancelled);
        QVERIFY_EXCEPTION_THROWN(tensor->fuse(*tensor, {}, {source.get_token(), {}}), Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestNorms)
#include "test_norms.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "tests/core/engine/torch_tables.h"

#include <map>

using namespace core;

namespace {

std::unique_ptr<LoadedTensor> load(const Tensor& tensor)
{
    return makeCpuEngine(2)->load(tensor, Selection::all(Layout::guess(tensor.rank())));
}

bool isClose(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * std::abs(b);
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
};

QTEST_APPLESS_MAIN(TestNorms)
#include "test_norms.moc"

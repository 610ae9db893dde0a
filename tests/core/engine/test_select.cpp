// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "tests/core/engine/torch_tables.h"

#include <fmt/format.h>

#include <map>

using namespace core;

namespace {

std::unique_ptr<LoadedTensor> load(const Tensor& tensor)
{
    return makeCpuEngine(2)->load(tensor, Selection::all(Layout::guess(tensor.rank())));
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
};

QTEST_APPLESS_MAIN(TestSelect)
#include "test_select.moc"

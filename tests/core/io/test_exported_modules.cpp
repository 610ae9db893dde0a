// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/exported_modules.h"

#include <QTest>

#include <algorithm>
#include <string>

namespace {

using Modules = std::vector<std::vector<std::string>>;

/// JSON that was written with ' in the place of ".
std::string quoted(std::string text)
{
    std::ranges::replace(text, '\'', '"');
    return text;
}

/// Names, classes and calls.
Modules read(const std::string& text)
{
    Modules found;
    for (const auto& module : core::io::readExportedModules(quoted(text), "model.json", {}))
        found.push_back({module.name, module.type, std::to_string(module.calls)});
    return found;
}

std::string program(const std::string& stacks, const std::string& names)
{
    return "{'graph_module':{'graph':{'nodes':[" + stacks + "]},'module_call_graph':[" + names + "]}}";
}

std::string node(const std::string& stack)
{
    return "{'target':'x','metadata':{'nn_module_stack':'" + stack + "'}}";
}

std::string repeated(const std::string& text, int count)
{
    std::string all;
    for (int i = 0; i < count; ++i)
        all += text;
    return all;
}

} // namespace

class TestExportedModules : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void joinsNamesAndClasses()
    {
        const auto stacks = node("0,,net.Net;1,b,net.B") + "," + node("0,,net.Net;1,b,net.B") + "," +
                            node("0,,net.Net;1@1,b,net.B;2,b.c,typing.Callable[[int, str], (a,b)]");
        QCOMPARE(read(program(stacks, "{'fqn':''},{'fqn':'a'},{'fqn':'b','signature':{'fqn':'no'}}")),
                 (Modules{{"", "net.Net", "1"},
                          {"a", "", "0"},
                          {"b", "net.B", "2"},
                          {"b.c", "typing.Callable[[int, str], (a,b)]", "1"}}));
    }

    void takesNothingFromElsewhere()
    {
        // Words of the same name in other places, items of too few and too many parts, and values that are no text.
        QCOMPARE(read("{'fqn':'a','graph_module':{'fqn':'b','module_call_graph':[['x',{'fqn':'c'}],{'fqn':7},{'fqn':['d']}],"
                      "'graph':{'nn_module_stack':'1,e,E','nodes':[{'metadata':{'nn_module_stack':'1,f;2,g,G,x;;3'}}]}}}"),
                 Modules{});
        QCOMPARE(read("{}"), Modules{});
        QCOMPARE(read("[[]]"), Modules{});
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        QTest::newRow("cut") << QByteArray("{'graph_module':{") << "cannot be read";
        QTest::newRow("empty") << QByteArray() << "cannot be read";
        QTest::newRow("no UTF-8") << QByteArray("{'graph_module':'\xff'}") << "cannot be read";
        QTest::newRow("deep lists") << QByteArray(1 << 20, '[') << "nested too deeply";
        QTest::newRow("deep objects") << QByteArray::fromStdString(repeated("{'graph_module':", 300)) << "nested too deeply";
        std::string many;
        for (int i = 0; i <= 1 << 18; ++i)
            many += (i ? ",{'fqn':'" : "{'fqn':'") + std::to_string(i) + "'}";
        QTest::newRow("many") << QByteArray::fromStdString(program("", many)) << "names more than";
    }

    void refuses()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, reason);
        try {
            read(text.toStdString());
            QFAIL("read");
        } catch (const core::Error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(reason), error.what());
            QVERIFY2(QString::fromUtf8(error.what()).startsWith(QStringLiteral("model.json")), error.what());
        }
    }

    void stops()
    {
        std::stop_source source;
        source.request_stop();
        core::Job job;
        job.stop = source.get_token();
        QVERIFY_EXCEPTION_THROWN(core::io::readExportedModules("{}", "model.json", job), core::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestExportedModules)
#include "test_exported_modules.moc"

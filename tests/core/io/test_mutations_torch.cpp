// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/io/mutate.h"

#include <QtTest/QTest>

/// Seeded damage of good files: nothing but Error may come out (see mutate.h).
class TestMutationsTorch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void survivesDamage_data();
    void survivesDamage();
};

using Readers = core::io::Reader*;
Q_DECLARE_METATYPE(Readers)

void TestMutationsTorch::survivesDamage_data()
{
    QTest::addColumn<Readers>("reader");
    QTest::addColumn<QList<QByteArray>>("seeds");
    QTest::newRow("torch") << &core::io::readTorchZip
                           << QList<QByteArray>{"dtypes.pt",          "views.pt",      "lazy_bits.pt", "nested.pt",
                                                "module.pt",          "quantized.pt",  "sparse.pt",    "numpy_protocol2.pt",
                                                "numpy_protocol5.pt", "big_endian.pt", "deflated.pt",  "protocol4.pt"};
    QTest::newRow("torch-legacy") << &core::io::readTorchLegacy
                                  << QList<QByteArray>{"legacy_protocol2.pt", "legacy_protocol4.pt", "legacy_bare.pt"};
    QTest::newRow("torchscript") << &core::io::readTorchScript
                                 << QList<QByteArray>{"traced.pt", "attributes.pt", "cpp_tensor.pt", "cpp_module.pt"};
    QTest::newRow("pt2") << &core::io::readPt2
                         << QList<QByteArray>{"exported.pt2", "exported_nested.pt2", "exported_branches.pt2"};
}

void TestMutationsTorch::survivesDamage()
{
    QFETCH(Readers, reader);
    QFETCH(QList<QByteArray>, seeds);
    std::vector<std::string> paths;
    for (const auto& seed : seeds)
        paths.push_back(std::string(TEST_DATA "/torch/") + seed.toStdString());
    tests::runMutations(reader, paths);
}

QTEST_APPLESS_MAIN(TestMutationsTorch)
#include "test_mutations_torch.moc"

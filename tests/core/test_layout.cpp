// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/layout.h"

#include <QTest>

class TestLayout : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void guessesByRank()
    {
        const char* expected[] = {"", "W", "HW", "CHW", "NCHW", "NCDHW", "-NCDHW", "--NCDHW"};
        for (int rank = 0; rank < 8; ++rank)
            QCOMPARE(core::Layout::guess(rank).letters(), std::string(expected[rank]));
        QCOMPARE(core::Layout::guess(3, true).letters(), std::string("HWC"));
        QCOMPARE(core::Layout::guess(64).letters().size(), 64u);
    }

    void refusesWrongLetters()
    {
        for (const char* letters : {"NCH", "NCHWW", "NCXW", "NCCW", "NCLW", "nchw"})
            QVERIFY_THROWS_EXCEPTION(core::UsageError, core::Layout::parse(letters, 4));
        QCOMPARE(core::Layout::parse("N--W", 4).letters(), std::string("N--W"));
    }

    void extentsFollowRoles()
    {
        const core::Shape shape{2, 3, 4, 5, 6};
        core::Selection selection = core::Selection::all(core::Layout::parse("WHCN-", 5));
        core::Extents extents = core::extentsOf(shape, selection);
        QCOMPARE(extents.width, 2);
        QCOMPARE(extents.height, 3);
        QCOMPARE(extents.channels, 4);
        QCOMPARE(extents.batches, 5);
        QCOMPARE(extents.elements(), 120);
        QVERIFY(!extents.hasDepth);
        selection.fixed[3] = 4;
        extents = core::extentsOf(shape, selection);
        QCOMPARE(extents.batches, 1);
        QCOMPARE(extents.firstBatch, 4);
    }

    void tokensAreARow()
    {
        const core::Selection selection = core::Selection::all(core::Layout::parse("NLC", 3));
        const core::Extents extents = core::extentsOf(core::Shape{2, 197, 768}, selection);
        QCOMPARE(extents.width, 197);
        QCOMPARE(extents.height, 1);
        QCOMPARE(extents.channels, 768);
    }

    void holdsAnAxisWithoutEntries()
    {
        const core::Selection selection = core::Selection::all(core::Layout::guess(6));
        const core::Shape shape{0, 2, 3, 4, 5, 6};
        selection.validate(shape);
        QCOMPARE(core::extentsOf(shape, selection).elements(), 0);
        QCOMPARE(core::extentsOf(shape, selection).planes(), 6);
    }

    void refusesIndicesOutside()
    {
        core::Selection selection = core::Selection::all(core::Layout::guess(4));
        const core::Shape shape{2, 3, 4, 5};
        selection.validate(shape);
        selection.fixed[1] = 3;
        QVERIFY_THROWS_EXCEPTION(core::Error, selection.validate(shape));
        selection.fixed[1] = -1;
        QVERIFY_THROWS_EXCEPTION(core::Error, selection.validate(shape));
    }
};

QTEST_APPLESS_MAIN(TestLayout)
#include "test_layout.moc"

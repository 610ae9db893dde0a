// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/arena.h"
#include "app/runner/channel.h"
#include "core/error.h"

#include <QTest>

#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

// The runner's ends of what it shares with the parent: the socket and the arena.

namespace {

/// The parent's end of a channel.
struct Parent
{
    Parent()
    {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            qFatal("no socketpair");
        mine = runner::Descriptor(ends[0]);
        channel.emplace(runner::Descriptor(ends[1]));
    }
    void send(const std::string& bytes, int descriptor = -1) const
    {
        iovec part{const_cast<char*>(bytes.data()), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        if (descriptor >= 0) {
            message.msg_control = control;
            message.msg_controllen = sizeof(control);
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
        }
        QCOMPARE(::sendmsg(mine.number(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }

    runner::Descriptor mine;
    std::optional<runner::Channel> channel;
};

runner::Descriptor memory(std::int64_t bytes, int seals)
{
    runner::Descriptor file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (::ftruncate(file.number(), bytes) != 0 || ::fcntl(file.number(), F_ADD_SEALS, seals) != 0)
        qFatal("no memory");
    return file;
}

bool isSameFile(int one, int other)
{
    struct stat a = {};
    struct stat b = {};
    return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_ino == b.st_ino;
}

} // namespace

class TestChannel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void joinsPiecesAndSplitsLines()
    {
        Parent parent;
        parent.send("{\"a\"");
        parent.send(":1}\nsecond\nthi");
        parent.send("rd\n");
        for (const char* line : {"{\"a\":1}", "second", "third"})
            QCOMPARE(parent.channel->receive()->line, std::string(line));
        parent.mine = runner::Descriptor();
        QVERIFY(!parent.channel->receive());
    }

    void givesADescriptorToItsLine()
    {
        Parent parent;
        const auto file = memory(4096, F_SEAL_SHRINK);
        // In one piece with the end of an earlier line, and before a later one.
        parent.send("first\nsec");
        parent.send("ond\n");
        parent.send("third\n", file.number());
        parent.send("fourth\n");
        QVERIFY(parent.channel->receive()->descriptors.empty());
        QVERIFY(parent.channel->receive()->descriptors.empty());
        const auto third = parent.channel->receive();
        QCOMPARE(third->descriptors.size(), std::size_t{1});
        QVERIFY(isSameFile(third->descriptors.front().number(), file.number()));
        QVERIFY(parent.channel->receive()->descriptors.empty());
    }

    void refusesAnEndlessLine()
    {
        Parent parent;
        std::jthread sender([&] {
            const std::string piece(1 << 20, 'x');
            while (::send(parent.mine.number(), piece.data(), piece.size(), MSG_NOSIGNAL) > 0) {
            }
        });
        QVERIFY_EXCEPTION_THROWN(parent.channel->receive(), core::Error);
        parent.channel.reset();
    }

    void sendsWhatIsNoUtf8AndNoticesTheEnd()
    {
        Parent parent;
        QVERIFY(parent.channel->send({{"name", "a\xff"}}));
        char bytes[64] = {};
        const auto count = ::recv(parent.mine.number(), bytes, sizeof(bytes), 0);
        QCOMPARE(std::string(bytes, static_cast<std::size_t>(count)), std::string("{\"name\":\"a\xEF\xBF\xBD\"}\n"));
        parent.mine = runner::Descriptor();
        QVERIFY(!parent.channel->send({{"name", "b"}}));
    }

    void arenaGivesAlignedPlacesBehindTheInputs()
    {
        constexpr std::uint64_t size = 1 << 20;
        const auto file = memory(size, F_SEAL_SHRINK);
        runner::Arena arena(file, size, 100);
        QCOMPARE(arena.allocate(10), std::optional<std::uint64_t>(128));
        QCOMPARE(arena.allocate(64), std::optional<std::uint64_t>(192));
        std::memset(arena.at(192, 64).data(), 7, 64);
        // What is written is what the parent reads.
        unsigned char seen = 0;
        QCOMPARE(::pread(file.number(), &seen, 1, 255), ssize_t{1});
        QCOMPARE(seen, static_cast<unsigned char>(7));
        QVERIFY(!arena.allocate(size - 255));
        QVERIFY(!arena.allocate(UINT64_MAX));
        // One that did not fit takes nothing: the rest is still there, to the last byte.
        QCOMPARE(arena.allocate(size - 256), std::optional<std::uint64_t>(256));
        QVERIFY(!arena.allocate(1));
        QCOMPARE(arena.allocate(0), std::optional<std::uint64_t>(size));
    }

    void arenaRefusesWhatIsOutsideOrUnsealed()
    {
        const auto file = memory(4096, F_SEAL_SHRINK);
        runner::Arena arena(file, 4096, 0);
        QVERIFY_EXCEPTION_THROWN(arena.at(4096, 1), core::Error);
        QVERIFY_EXCEPTION_THROWN(arena.at(1, UINT64_MAX), core::Error);
        QVERIFY_EXCEPTION_THROWN(runner::Arena(file, 8192, 0), core::Error);
        QVERIFY_EXCEPTION_THROWN(runner::Arena(file, 4096, 4097), core::Error);
        QVERIFY_EXCEPTION_THROWN(runner::Arena(memory(4096, F_SEAL_GROW), 4096, 0), core::Error);
        runner::Arena none;
        QVERIFY(!none.allocate(1));
    }

    void arenaMakesPagesOnlyAroundWhatIsWritten()
    {
        constexpr std::int64_t megabyte = 1 << 20;
        const auto file = memory(256 * megabyte, F_SEAL_SHRINK);
        {
            runner::Arena arena(file, 256 * megabyte, 0);
            for (int i = 0; i < 8; ++i)
                QVERIFY(arena.allocate(2 * megabyte));
        }
        struct stat status = {};
        QCOMPARE(::fstat(file.number(), &status), 0);
        QVERIFY(status.st_blocks * 512 >= 16 * megabyte);
        QVERIFY(status.st_blocks * 512 <= 24 * megabyte);
    }
};

QTEST_GUILESS_MAIN(TestChannel)
#include "test_channel.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/suite.h"

#include "tests/bench/read_speed.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>

namespace bench {

std::string percent(double fraction)
{
    return fmt::format("{:g}%", fraction * 100);
}

Suite::Suite(const Options& options, Peers* peers)
    : m_options(options), m_peers(peers), m_workers(options.threads), m_engine(core::makeCpuEngine(options.threads))
{
}

bool Suite::wantsAny(const std::vector<std::string>& names) const
{
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return wants(name); });
}

void Suite::add(Case work, std::span<const std::byte> bytes)
{
    if (!wants(work.name))
        return;
    work.name += m_ending;
    work.read = [&] { readOnce(bytes, m_workers); };
    double& best = m_bestReads.try_emplace(fmt::format("{}{}", bytes.size(), m_ending), 0).first->second;
    for (Row& row : measure(work, m_options.rounds, best)) {
        print(row);
        m_rows.push_back(std::move(row));
    }
}

void Suite::addTime(const std::string& name, double ms, std::span<const std::byte> bytes, std::optional<bool> equal)
{
    // The unit only: nothing else is measured.
    Row read = measure({name, [] {}, {}, [&] { readOnce(bytes, m_workers); }, std::nullopt}, 1);
    Row row;
    row.name = name + m_ending;
    row.oursMs = ms;
    row.readMs = read.readMs;
    row.reads = ms / read.readMs;
    row.equal = equal;
    row.rounds = 1;
    print(row);
    m_rows.push_back(std::move(row));
}

void Suite::addBytes(const std::string& name, double ours, const std::string& peer, double peerBytes)
{
    Row row;
    row.name = name + m_ending;
    row.oursMs = ours;
    row.peer = peer;
    row.peerMs = peerBytes;
    row.ratio = peerBytes / ours;
    row.rounds = 1;
    print(row);
    m_rows.push_back(std::move(row));
}

void Suite::eachTarget(const std::function<void()>& rows)
{
    if (m_options.targets.size() < 2)
        return rows();
    for (const std::int64_t target : m_options.targets) {
        chooseTarget(target);
        m_ending = fmt::format("/{}", hwy::TargetName(target));
        rows();
    }
    m_ending.clear();
}

std::vector<Peer> Suite::peersOf(const std::function<std::vector<Peer>(Peers&)>& make)
{
    return m_peers ? make(*m_peers) : std::vector<Peer>();
}

std::optional<bool> Suite::equal(const std::function<bool(Peers&)>& compare)
{
    return m_peers ? std::optional<bool>(compare(*m_peers)) : std::nullopt;
}

} // namespace bench

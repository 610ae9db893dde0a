// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/bench_run.h"

#include "core/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>

#include <malloc.h>
#include <unistd.h>

namespace bench {
namespace {

double millisecondsOf(const std::function<void()>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Times of one round: the slower and the faster of two reads, one before and one after ours; ours; then the peers.
using Round = std::vector<double>;

Round runRound(const Case& work)
{
    const double before = millisecondsOf(work.read);
    const double ours = millisecondsOf(work.ours);
    const double after = millisecondsOf(work.read);
    Round round = {std::max(before, after), std::min(before, after), ours};
    for (const Peer& peer : work.peers)
        round.push_back(millisecondsOf(peer.run));
    return round;
}

std::vector<Round> accepted(const std::vector<Round>& rounds, double bestRead)
{
    constexpr double slowest = 1.3;
    std::vector<Round> out;
    std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(out),
                 [&](const Round& round) { return round[0] <= bestRead * slowest; });
    // Never calm: the calmest round.
    if (out.empty())
        out.push_back(
            *std::min_element(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) { return a[0] < b[0]; }));
    return out;
}

std::vector<double> column(const std::vector<Round>& rounds, std::size_t index)
{
    std::vector<double> out;
    for (const Round& round : rounds)
        out.push_back(round[index]);
    return out;
}

/// The row against the fastest of the peers of a group ("": of all).
Row rowOf(const Case& work, const std::vector<Round>& good, const std::string& group)
{
    Row row;
    row.name = group.empty() ? work.name : work.name + "/" + group;
    row.readMs = median(column(good, 1));
    row.oursMs = median(column(good, 2));
    row.reads = row.oursMs / row.readMs;
    row.equal = work.equal;
    row.rounds = static_cast<int>(good.size());
    for (std::size_t i = 0; i < work.peers.size(); ++i) {
        const double time = median(column(good, i + 3));
        if ((group.empty() || work.peers[i].group == group) && (row.peer.empty() || time < row.peerMs)) {
            row.peer = work.peers[i].name;
            row.peerMs = time;
        }
    }
    row.ratio = row.peerMs / row.oursMs;
    return row;
}

/// Gives freed memory back before it takes half of the machine's: LibTorch's copies of a gigabyte do not fit into the room that
/// earlier ones left, so that the heap, which keeps all, grows with every round.
void releaseWhenFull()
{
    std::int64_t pages = 0;
    std::int64_t resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    if (resident * sysconf(_SC_PAGESIZE) > core::machineBytes() / 2)
        malloc_trim(0);
}

} // namespace

std::vector<Row> measure(const Case& work, int rounds, double& bestRead)
{
    runRound(work);
    std::vector<Round> all;
    do {
        releaseWhenFull();
        all.push_back(runRound(work));
        bestRead = bestRead > 0 ? std::min(bestRead, all.back()[1]) : all.back()[1];
    } while (std::ssize(accepted(all, bestRead)) < rounds && std::ssize(all) < 4 * rounds);
    const std::vector<Round> good = accepted(all, bestRead);
    std::set<std::string> groups = {""};
    for (const Peer& peer : work.peers)
        groups.insert(peer.group);
    std::vector<Row> rows;
    for (const std::string& group : groups)
        rows.push_back(rowOf(work, good, group));
    return rows;
}

Row measure(const Case& work, int rounds)
{
    double bestRead = 0;
    return measure(work, rounds, bestRead).front();
}

void printHeader()
{
    fmt::print("{:<34}{:>10}{:>8}{:>10}{:>8}{:>7}{:>7}  {}\n", "name", "ours ms", "reads", "peer ms", "ratio", "equal",
               "rounds", "fastest peer");
}

void print(const Row& row)
{
    const std::string equal = !row.equal ? "-" : *row.equal ? "yes" : "NO";
    if (row.peer.empty())
        fmt::print("{:<34}{:>10.3f}{:>8.2f}{:>10}{:>8}{:>7}{:>7}\n", row.name, row.oursMs, row.reads, "-", "-", equal,
                   row.rounds);
    else
        fmt::print("{:<34}{:>10.3f}{:>8.2f}{:>10.2f}{:>8.2f}{:>7}{:>7}  {}\n", row.name, row.oursMs, row.reads, row.peerMs,
                   row.ratio, equal, row.rounds, row.peer);
    std::fflush(stdout);
}

void writeJson(const std::vector<Row>& rows, const std::string& path)
{
    auto list = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
        nlohmann::ordered_json entry = {{"name", row.name}, {"ours_ms", row.oursMs}, {"peer", nullptr}, {"peer_ms", nullptr},
                                        {"ratio", nullptr}, {"reads", nullptr},      {"equal", nullptr}};
        if (row.readMs > 0)
            entry["reads"] = row.reads;
        if (!row.peer.empty()) {
            entry["peer"] = row.peer;
            entry["peer_ms"] = row.peerMs;
            entry["ratio"] = row.ratio;
        }
        if (row.equal)
            entry["equal"] = *row.equal;
        list.push_back(entry);
    }
    std::ofstream file(path);
    file << list.dump(1) << '\n';
    if (!file.flush())
        throw std::runtime_error(fmt::format("cannot write {}", path));
}

} // namespace bench

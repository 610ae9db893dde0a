// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/peers.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A line of the table. Times are medians over the accepted rounds.
struct Row
{
    std::string name;
    double oursMs = 0;
    /// The fastest of the peers; empty without one.
    std::string peer;
    double peerMs = 0;
    /// peerMs / oursMs.
    double ratio = 0;
    /// oursMs / R.
    double reads = 0;
    double readMs = 0;
    /// Whether ours and the peer's results are the same; nothing where nothing was compared.
    std::optional<bool> equal;
    int rounds = 0;
};

/// What is measured together.
struct Case
{
    std::string name;
    std::function<void()> ours;
    std::vector<Peer> peers;
    /// One pure read of the same bytes by the same threads.
    std::function<void()> read;
    std::optional<bool> equal;
};

/// Runs a read, ours and every peer by turns until `rounds` rounds are accepted. A round counts when its read was at most 1.3
/// times the fastest one ever seen, `bestRead` (0: none yet): contention flatters the shorter side. After four times as many
/// rounds, what there is counts. The first row compares with the fastest peer; one more follows for each group of peers.
std::vector<Row> measure(const Case& work, int rounds, double& bestRead);
/// The first row alone, with its own fastest read.
Row measure(const Case& work, int rounds);

void printHeader();
void print(const Row& row);

/// A list of {"name","ours_ms","peer","peer_ms","ratio","reads","equal"}; without a peer the last three but `reads` are null.
void writeJson(const std::vector<Row>& rows, const std::string& path);

} // namespace bench

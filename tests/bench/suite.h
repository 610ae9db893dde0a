// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/engine.h"
#include "core/engine/parallel.h"
#include "tests/bench/bench_run.h"
#include "tests/bench/options.h"

#include <map>
#include <span>

namespace bench {

/// What the groups of rows share: options, threads, memory, peers, and the table so far.
class Suite
{
public:
    /// `peers` may be null: nothing is then compared.
    Suite(const Options& options, Peers* peers);

    const Options& options() const { return m_options; }
    const core::Workers& workers() const { return m_workers; }
    const core::Engine& engine() const { return *m_engine; }
    core::BufferPool& pool() { return m_pool; }
    Peers* peers() { return m_peers; }

    bool wants(const std::string& name) const { return name.find(m_options.only) != std::string::npos; }
    bool wantsAny(const std::vector<std::string>& names) const;
    /// Measures a row and prints it. Reads are of `bytes`.
    void add(Case work, std::span<const std::byte> bytes);
    /// A row without a peer whose time was taken by other means.
    void addTime(const std::string& name, double ms, std::span<const std::byte> bytes, std::optional<bool> equal);
    /// A row of bytes per hot element instead of ms, ours and another's.
    void addBytes(const std::string& name, double ours, const std::string& peer, double peerBytes);
    /// `rows` for every vector target asked for, whose names then end in it.
    void eachTarget(const std::function<void()>& rows);
    /// The peers of a row, and whether their results are ours; nothing without peers.
    std::vector<Peer> peersOf(const std::function<std::vector<Peer>(Peers&)>& make);
    std::optional<bool> equal(const std::function<bool(Peers&)>& compare);

    std::vector<Row> takeRows() { return std::move(m_rows); }

private:
    const Options& m_options;
    Peers* m_peers;
    core::Workers m_workers;
    std::unique_ptr<core::Engine> m_engine;
    core::BufferPool m_pool;
    std::vector<Row> m_rows;
    std::string m_ending;
    /// The fastest read seen, by bytes and vector target.
    std::map<std::string, double> m_bestReads;
};

/// "0.8%"
std::string percent(double fraction);

/// Counts, fused passes and coordinates of float32, and the same at 1 GiB where the table asks for it.
void addFloatRows(Suite& suite);
/// Counts of other dtypes.
void addTypeRows(Suite& suite);
/// Labels, fusion and updates.
void addOperationRows(Suite& suite);
/// Counts of ids.
void addLabelCountRows(Suite& suite);
/// The first scan, the index, and what a dragged threshold asks of them, at 1 GiB.
void addIndexRows(Suite& suite);

} // namespace bench

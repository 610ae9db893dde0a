// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/site.h"
#include "app/runner/value_writer.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace runner {

/// What is to be captured.
struct Choice
{
    /// Exact layer names, sorted; "" is the model itself.
    std::vector<std::string> layers;
    bool all = false;
    bool operators = false;

    /// Whether the site's value is asked for: the layer is chosen or, for an operator, lies within one that is.
    bool has(const Site& site) const;
};

/// One run of a program: follows which layer is being run, copies the values of chosen sites, tells the parent of both.
class Session
{
public:
    using Send = std::function<void(const nlohmann::json&)>;

    /// `sites` must outlive the session; `id` is the message's that asked for the run.
    Session(std::span<const Site> sites, const Choice& choice, std::int64_t id, Arena& arena, Send send);
    /// A layer begins; `site` is its index. Numbers out of range (a model may call the operator itself) are ignored.
    void enter(std::int64_t site);
    /// A value came to be. For a layer's site this is its end.
    void capture(const c10::IValue& value, std::int64_t site);
    /// The model's own result: the layer "" when chosen, and `output`.
    void finish(const c10::IValue& result);

    /// The innermost layer that was entered and not left: where a failed run was.
    const std::string& runningLayer() const;
    /// The layers with a site that were not entered.
    std::vector<std::string> notEntered() const;
    const ValueWriter& writer() const { return m_writer; }

private:
    void leave(std::int64_t site);
    bool has(std::int64_t site) const { return site >= 0 && static_cast<std::size_t>(site) < m_sites.size(); }
    void send(const Site& site, int call, const std::vector<ValueWriter::Part>& parts);

    struct Counter
    {
        int entered = 0;
        int captured = 0;
    };

    std::span<const Site> m_sites;
    std::vector<bool> m_chosen;
    /// The first site of the same layer: a layer that is called in two places counts on. An operator's site is its own.
    std::vector<std::size_t> m_first;
    std::int64_t m_id;
    ValueWriter m_writer;
    Send m_send;
    bool m_wantsModel;
    std::vector<Counter> m_counters;
    /// Sites of layers that were entered and not left.
    std::vector<std::int64_t> m_running;
    /// The innermost layer of a forked task that failed, which its caller learns when it waits.
    std::int64_t m_abandoned = -1;
    std::size_t m_layers = 0;
    std::size_t m_reached = 0;
    std::chrono::steady_clock::time_point m_reported;
};

/// Makes a session the one that the operators in programs report to while this lives. One at a time in a process.
class CurrentSession
{
public:
    explicit CurrentSession(Session& session);
    CurrentSession(const CurrentSession&) = delete;
    CurrentSession& operator=(const CurrentSession&) = delete;
    ~CurrentSession();
};

} // namespace runner

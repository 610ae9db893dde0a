// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/session.h"

#include <ATen/core/ivalue.h>
#include <algorithm>
#include <unordered_map>

namespace runner {
namespace {

/// Between two reports of progress, and before the first.
constexpr std::chrono::milliseconds reportEvery{50};

} // namespace

bool Choice::has(const Site& site) const
{
    if (site.op && !operators)
        return false;
    if (all)
        return true;
    if (std::ranges::binary_search(layers, site.layer))
        return true;
    if (!site.op)
        return false;
    if (std::ranges::binary_search(layers, std::string()))
        return true;
    for (std::size_t dot = site.layer.find('.'); dot != std::string::npos; dot = site.layer.find('.', dot + 1)) {
        if (std::ranges::binary_search(layers, site.layer.substr(0, dot)))
            return true;
    }
    return false;
}

Session::Session(std::span<const Site> sites, const Choice& choice, std::int64_t id, Arena& arena, Send send)
    : m_sites(sites), m_id(id), m_writer(arena), m_send(std::move(send)), m_wantsModel(choice.has(Site{})),
      m_counters(sites.size()), m_reported(std::chrono::steady_clock::now())
{
    std::unordered_map<std::string_view, std::size_t> firsts;
    for (const Site& site : sites) {
        const std::size_t index = m_first.size();
        m_chosen.push_back(choice.has(site));
        m_first.push_back(site.op ? index : firsts.emplace(site.layer, index).first->second);
    }
    m_layers = firsts.size();
}

void Session::enter(std::int64_t site)
{
    if (!has(site))
        return;
    m_reached += m_counters[m_first[site]].entered++ == 0;
    m_running.push_back(site);
    const auto now = std::chrono::steady_clock::now();
    if (now - m_reported < reportEvery)
        return;
    m_reported = now;
    m_send({{"type", "progress"}, {"id", m_id}, {"layer", m_sites[site].layer}, {"done", m_reached - 1}, {"total", m_layers}});
}

void Session::leave(std::int64_t site)
{
    const auto entered = std::ranges::find(m_running.rbegin(), m_running.rend(), site);
    if (entered == m_running.rend())
        return;
    if (m_running.back() != site)
        m_abandoned = m_running.back();
    m_running.erase(std::prev(entered.base()), m_running.end());
}

void Session::capture(const c10::IValue& value, std::int64_t site)
{
    if (!has(site))
        return;
    if (!m_sites[site].op)
        leave(site);
    if (m_chosen[site])
        send(m_sites[site], m_counters[m_first[site]].captured++, m_writer.write(value));
}

void Session::finish(const c10::IValue& result)
{
    const auto parts = m_writer.write(result);
    if (m_wantsModel)
        send(Site{}, 0, parts);
    for (const ValueWriter::Part& part : parts)
        m_send({{"type", "output"}, {"id", m_id}, {"member", part.member}, {"value", part.value}, {"notes", part.notes}});
}

void Session::send(const Site& site, int call, const std::vector<ValueWriter::Part>& parts)
{
    nlohmann::json op;
    if (site.op)
        op = {{"name", site.op->name}, {"value", site.op->value}, {"line", site.op->line}};
    for (const ValueWriter::Part& part : parts)
        m_send({{"type", "captured"},
                {"id", m_id},
                {"layer", site.layer},
                {"call", call},
                {"member", part.member},
                {"operator", op},
                {"value", part.value},
                {"notes", part.notes}});
}

const std::string& Session::runningLayer() const
{
    static const std::string model;
    if (m_abandoned >= 0)
        return m_sites[m_abandoned].layer;
    return m_running.empty() ? model : m_sites[m_running.back()].layer;
}

std::vector<std::string> Session::notEntered() const
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_sites.size(); ++i) {
        if (!m_sites[i].op && m_first[i] == i && m_counters[i].entered == 0)
            names.push_back(m_sites[i].layer);
    }
    return names;
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_select.h"
#include "tests/bench/suite.h"

#include <fmt/format.h>

#include <cmath>

namespace bench {
namespace {

/// A tensor over borrowed memory.
core::Tensor tensorOver(std::span<const float> values, const Extent& extent)
{
    return core::Tensor::contiguous(core::DType::f32, {extent.batches, extent.channels, extent.height, extent.width},
                                    core::Storage{std::as_bytes(values), nullptr, nullptr});
}

/// x, and y where it is needed.
class OperationRows
{
public:
    explicit OperationRows(Suite& suite)
        : m_suite(suite), m_extent(suite.options().extent), m_elements(static_cast<std::size_t>(m_extent.elements())),
          m_loan(suite.pool().take(m_elements * sizeof(float))), m_values(m_loan.as<float>(m_elements))
    {
        fill(m_values, m_extent, DataKind::iid);
        m_tensor = suite.engine().load(tensorOver(m_values, m_extent), selection());
    }

    void addLabels()
    {
        look(0);
        const core::LabelMap map = m_tensor->labels({});
        add(
            "argmax", [&] { m_tensor->labels({}); }, [](Peers& p) { return p.labels(); },
            [&](Peers& p) { return p.equalLabels(reinterpret_cast<const std::uint8_t*>(map.labels.data())); });
    }

    void addFusion()
    {
        look(0);
        const auto loan = m_suite.pool().take(m_elements * sizeof(float));
        const auto others = loan.as<float>(m_elements);
        // The same values from the other end: another tensor of the same kind.
        std::copy(m_values.rbegin(), m_values.rend(), others.begin());
        const auto other = m_suite.engine().load(tensorOver(others, m_extent), selection());
        const core::Fused fused = m_tensor->fuse(*other, {2});
        add(
            "fusion", [&] { m_tensor->fuse(*other, {2}); }, [&](Peers& p) { return p.fusion(others.data()); },
            [&](Peers& p) { return p.equalFusion(others.data(), reinterpret_cast<const float*>(fused.values.data())); });
    }

    void addUpdates(double fraction)
    {
        constexpr float value = 5;
        const float threshold = thresholdFor(m_values, fraction);
        look(threshold);
        core::SelectQuery query;
        query.where = core::Where::parse(fmt::format("> {}", threshold));
        query.value = core::Number::fromReal(value);
        const core::Selected selected = m_tensor->select(query);
        const auto& updated = std::get<core::Tensor>(selected.values);
        add(
            "update/" + percent(fraction), [&] { m_tensor->select(query); }, [](Peers& p) { return p.update(value); },
            [&](Peers& p) { return p.equalUpdate(value, reinterpret_cast<const float*>(updated.data())); });
        addInPlace(threshold, value, "update/in_place/" + percent(fraction));
    }

private:
    static core::Selection selection() { return core::Selection::all(core::Layout::guess(4)); }

    void look(double threshold)
    {
        if (m_suite.peers())
            m_suite.peers()->look(m_values.data(), core::DType::f32, m_extent, threshold);
    }

    void add(const std::string& name, std::function<void()> ours, const std::function<std::vector<Peer>(Peers&)>& peers,
             const std::function<bool(Peers&)>& compare)
    {
        if (m_suite.wants(name))
            m_suite.add({name, std::move(ours), m_suite.peersOf(peers), {}, m_suite.equal(compare)}, std::as_bytes(m_values));
    }

    /// Hits stay hits: every run finds the same ones.
    void addInPlace(float threshold, float value, const std::string& name)
    {
        const auto loan = m_suite.pool().take(m_elements * sizeof(float));
        const auto copy = loan.as<float>(m_elements);
        std::copy(m_values.begin(), m_values.end(), copy.begin());
        const auto run = [&] {
            m_suite.workers().forEach(m_extent.planes(), {}, [&](std::int64_t plane, core::Scratch&) {
                auto* const at = reinterpret_cast<std::byte*>(copy.data() + plane * m_extent.pixels());
                core::updateHot<float>({at, nullptr, m_extent.pixels(), at, false},
                                       {std::nextafter(threshold, INFINITY), INFINITY}, {core::Update::set, value});
            });
        };
        run();
        add(
            name, run, [&](Peers& p) { return p.updateInPlace(value); },
            [&](Peers& p) { return p.equalUpdate(value, copy.data()); });
    }

    Suite& m_suite;
    Extent m_extent;
    std::size_t m_elements;
    core::BufferPool::Loan m_loan;
    std::span<float> m_values;
    std::unique_ptr<core::LoadedTensor> m_tensor;
};

} // namespace

void addOperationRows(Suite& suite)
{
    constexpr double fractions[] = {0.00002, 0.008, 0.1};
    std::vector<std::string> updates;
    for (const double fraction : fractions)
        updates.insert(updates.end(), {"update/" + percent(fraction), "update/in_place/" + percent(fraction)});
    if (!suite.wantsAny({"argmax", "fusion"}) && !suite.wantsAny(updates))
        return;
    OperationRows rows(suite);
    suite.eachTarget([&] {
        if (suite.wants("argmax"))
            rows.addLabels();
        if (suite.wants("fusion"))
            rows.addFusion();
        for (const double fraction : fractions)
            if (suite.wantsAny({"update/" + percent(fraction), "update/in_place/" + percent(fraction)}))
                rows.addUpdates(fraction);
    });
}

} // namespace bench

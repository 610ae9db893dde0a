// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/passes.h"
#include "tests/bench/suite.h"

#include <cmath>

namespace bench {
namespace {

/// `> threshold` on floats.
core::Predicate<float> above(float threshold)
{
    return {std::nextafter(threshold, INFINITY), INFINITY};
}

/// The rows of one tensor at one threshold.
class FloatRows
{
public:
    /// `coordinates`: also those that the table asks for at 256 MiB only.
    FloatRows(Suite& suite, const Extent& extent, std::string variant, bool coordinates)
        : m_suite(suite), m_extent(extent), m_variant(std::move(variant)), m_coordinates(coordinates)
    {
    }

    bool isWanted() const
    {
        std::vector<std::string> names = {name("counts"), name("fused"), name("all_u32")};
        if (m_coordinates)
            names.insert(names.end(), {name("coords_int64"), name("coords_u32")});
        return m_suite.wantsAny(names);
    }

    void run(std::span<const float> values, float threshold)
    {
        const auto predicate = above(threshold);
        m_bytes = std::as_bytes(values);
        Passes<float> ours(values, m_extent, m_suite.workers());
        ours.mark(predicate);
        ours.reserve(ours.hot(), m_coordinates);
        if (m_suite.peers())
            m_suite.peers()->look(values.data(), core::DType::f32, m_extent, threshold);
        addCounts(ours, predicate);
        addFused(ours, predicate);
        if (m_coordinates)
            addCoordinates(ours, predicate);
    }

private:
    std::string name(const char* row) const { return std::string(row) + "/" + m_variant; }

    void addCounts(Passes<float>& ours, const core::Predicate<float>& predicate)
    {
        ours.count(predicate);
        m_suite.add({name("counts"),
                     [&] { ours.count(predicate); },
                     m_suite.peersOf([](Peers& p) { return p.counts(); }),
                     {},
                     m_suite.equal([&](Peers& p) { return p.equalCounts(ours.counts().data()); })},
                    m_bytes);
    }

    void addFused(Passes<float>& ours, const core::Predicate<float>& predicate)
    {
        ours.reduce(predicate);
        const auto sameMaps = m_suite.equal([&](Peers& p) {
            return p.equalCounts(ours.counts().data()) &&
                   p.equalMaps(ours.countMap().data(), ours.sumMap().data(), ours.maxMap().data());
        });
        m_suite.add({name("fused"), [&] { ours.reduce(predicate); }, {}, {}, sameMaps}, m_bytes);
        ours.listOffsets();
        const auto all = [&] {
            ours.reduce(predicate);
            ours.listOffsets();
        };
        m_suite.add(
            {name("all_u32"), all, m_suite.peersOf([](Peers& p) { return p.everything(); }), {}, m_suite.equal([&](Peers& p) {
                 return *sameMaps && sameOffsets(p, ours);
             })},
            m_bytes);
    }

    void addCoordinates(Passes<float>& ours, const core::Predicate<float>& predicate)
    {
        ours.listRows();
        const auto rows = [&] {
            ours.mark(predicate);
            ours.listRows();
        };
        m_suite.add(
            {name("coords_int64"), rows, m_suite.peersOf([](Peers& p) { return p.rows(); }), {}, m_suite.equal([&](Peers& p) {
                 return ours.hot() == p.hot() && p.equalRows(ours.rows().data());
             })},
            m_bytes);
        const auto offsets = [&] {
            ours.mark(predicate);
            ours.listOffsets();
        };
        m_suite.add({name("coords_u32"),
                     offsets,
                     m_suite.peersOf([](Peers& p) { return p.offsets(); }),
                     {},
                     m_suite.equal([&](Peers& p) { return sameOffsets(p, ours); })},
                    m_bytes);
    }

    static bool sameOffsets(Peers& peers, const Passes<float>& ours)
    {
        return ours.hot() == peers.hot() && peers.equalOffsets(ours.offsets().data());
    }

    Suite& m_suite;
    Extent m_extent;
    std::string m_variant;
    bool m_coordinates;
    std::span<const std::byte> m_bytes;
};

void addKind(Suite& suite, const Extent& extent, DataKind kind, const std::string& prefix, bool coordinates)
{
    std::vector<std::pair<std::string, double>> variants;
    if (kind == DataKind::iid)
        for (const double fraction : {0.00002, 0.008, 0.1})
            variants.emplace_back(prefix + percent(fraction), fraction);
    else
        variants.emplace_back(prefix + std::string(dataKindName(kind)), 0.1);
    std::optional<core::BufferPool::Loan> loan;
    for (const auto& [variant, fraction] : variants) {
        FloatRows rows(suite, extent, variant, coordinates);
        if (!rows.isWanted())
            continue;
        const auto elements = static_cast<std::size_t>(extent.elements());
        if (!loan) {
            loan.emplace(suite.pool().take(elements * sizeof(float)));
            fill(loan->as<float>(elements), extent, kind);
        }
        const auto values = loan->as<float>(elements);
        const float threshold = kind == DataKind::constant ? 0.75f : thresholdFor(values, fraction);
        suite.eachTarget([&] { rows.run(values, threshold); });
    }
}

} // namespace

void addFloatRows(Suite& suite)
{
    for (const DataKind kind : {DataKind::iid, DataKind::smooth, DataKind::sorted, DataKind::constant})
        addKind(suite, suite.options().extent, kind, "", true);
    addKind(suite, {4, 64, 1024, 1024}, DataKind::iid, "1GiB/", false);
}

} // namespace bench

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_query.h"

#include "gpu/device_pass.h"
#include "gpu/device_scan.h"

#include <algorithm>
#include <numeric>

namespace gpu {
namespace {

/// The same elements, and the same batch item or all.
bool sharesPass(const core::HeatMapQuery& a, const core::HeatMapQuery& b)
{
    return a.batch == b.batch && a.allValues == b.allValues;
}

/// One answer.
class Answer
{
public:
    Answer(const DeviceValues& values, const core::HotTest& test, const DeviceRows* rows, const core::Query& query,
           const std::shared_ptr<core::BufferPool>& pool)
        : m_values(values), m_test(test), m_rows(rows), m_query(query), m_pool(pool), m_isDone(query.heatMaps.size())
    {
        m_result.heatMaps.resize(query.heatMaps.size());
    }

    core::Result take(const core::Job& job)
    {
        if (m_query.hotSums) {
            core::CountsAndSums sums = sumPlanes(m_values, m_test, job);
            m_result.counts = std::move(sums.counts);
            m_result.hotSums = std::move(sums.sums);
        }
        passForMost(job);
        for (std::size_t i = 0; i < m_isDone.size(); ++i)
            if (!m_isDone[i])
                pass(&m_query.heatMaps[i], {}, job);
        if (m_result.counts.empty() && m_query.counts)
            m_result.counts = countPlanes(m_values, m_test, job);
        if (m_result.masks.empty())
            for (const core::PlaneIndex& plane : m_query.masks)
                m_result.masks.push_back(markPlane(m_values, m_test, plane));
        if (m_query.rows && !m_result.rows)
            m_result.rows = m_rows->window(*m_query.rows, m_result.counts, job);
        m_result.count = std::accumulate(m_result.counts.begin(), m_result.counts.end(), std::int64_t{0});
        return std::move(m_result);
    }

private:
    std::int64_t batchesOf(const core::HeatMapQuery* map) const
    {
        return !map ? 0 : map->batch ? 1 : m_values.extents().batches;
    }

    /// The map of hot elements that looks at most of them; null for none.
    const core::HeatMapQuery* largestMap() const
    {
        const core::HeatMapQuery* largest = nullptr;
        for (const core::HeatMapQuery& map : m_query.heatMaps)
            if (!map.allValues && batchesOf(&map) > batchesOf(largest))
                largest = &map;
        return largest;
    }

    /// Maps and all that one pass can give beside them.
    void passForMost(const core::Job& job)
    {
        const core::HeatMapQuery* const map = largestMap();
        const std::int64_t batches = batchesOf(map);
        const bool isForAll = batches == m_values.extents().batches;
        const bool isBetter = isOnePassBetter(m_values, batches);
        Beside beside;
        beside.counts = isBetter && m_query.counts && m_result.counts.empty();
        const bool isMarked = isBetter && (isForAll || beside.counts) && canMarkPlanes(m_values, batches);
        if (isMarked && m_query.rows && m_query.rows->count > 0 && m_rows->canListPlanes()) {
            beside.rows = m_rows;
            beside.window = *m_query.rows;
        }
        if (isMarked && (isForAll || beside.rows))
            beside.masks = m_query.masks;
        // Counts alone have a pass of their own.
        if (map || beside.rows)
            pass(map, beside, job);
    }

    /// `map` and others over the same elements.
    void pass(const core::HeatMapQuery* map, const Beside& beside, const core::Job& job)
    {
        core::MapJob maps;
        maps.pool = m_pool;
        maps.firstBatch = map ? map->batch.value_or(0) : 0;
        maps.batches = batchesOf(map);
        std::vector<std::size_t> places;
        for (std::size_t i = 0; map && i < m_isDone.size(); ++i)
            if (sharesPass(m_query.heatMaps[i], *map)) {
                maps.queries.push_back(m_query.heatMaps[i]);
                places.push_back(i);
                m_isDone[i] = true;
            }
        const bool isOfAll = map && map->allValues;
        PassResult found =
            reduceBatches(m_values, isOfAll ? core::HotTest::everything(m_values.dtype()) : m_test, maps, beside, job);
        for (std::size_t i = 0; i < places.size(); ++i)
            m_result.heatMaps[places[i]] = std::move(found.maps[i]);
        if (beside.counts)
            m_result.counts = std::move(found.counts);
        if (!beside.masks.empty())
            m_result.masks = std::move(found.masks);
        if (beside.rows)
            m_result.rows = std::move(found.rows);
    }

    const DeviceValues& m_values;
    const core::HotTest& m_test;
    const DeviceRows* const m_rows;
    const core::Query& m_query;
    const std::shared_ptr<core::BufferPool>& m_pool;
    std::vector<bool> m_isDone;
    core::Result m_result;
};

} // namespace

core::Result answerQuery(const DeviceValues& values, const core::HotTest& test, const DeviceRows* rows,
                         const core::Query& query, const std::shared_ptr<core::BufferPool>& pool, const core::Job& job)
{
    return Answer(values, test, rows, query, pool).take(job);
}

} // namespace gpu

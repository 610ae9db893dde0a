// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/plane_slice.h"
#include "core/render/range.h"
#include "core/render/render.h"
#include "core/render/wall.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace core {

namespace {

// A heat map takes 12 bytes a pixel at every step, a plane 4 once and 1 at every step.
constexpr std::int64_t heatPixelLimit = std::int64_t{1} << 25;
constexpr std::int64_t planePixelLimit = std::int64_t{1} << 28;
constexpr std::int64_t sparseSideLimit = 16384;

bool samePlane(const Request& a, const Request& b)
{
    return a.batch == b.batch && a.channel == b.channel && a.depth == b.depth;
}

bool sameScale(const Request& a, const Request& b)
{
    return a.colors == b.colors && a.range == b.range;
}

/// Channel and mask view show the same picture: the plane.
bool showsPlane(ViewKind view)
{
    return view == ViewKind::channel || view == ViewKind::mask;
}

/// Makes one frame; holds what the steps share.
class FrameMaker
{
public:
    FrameMaker(const LoadedTensor& tensor, const Request& request, const Frame* previous, const Job& job)
        : m_tensor(tensor), m_request(request), m_previous(previous), m_job(job), m_extents(tensor.extents())
    {
        m_frame.elements = m_extents.elements();
        limitPicture();
        m_frame.request = m_request;
        m_sameWhere = previous && previous->counts && previous->request.where == request.where;
    }

    Frame make()
    {
        if (m_sameWhere)
            keepCounts();
        ask();
        if (!m_sameWhere)
            takeCounts();
        if (m_hasPicture)
            takePicture();
        takeRows();
        takeDistribution();
        return std::move(m_frame);
    }

private:
    /// Keeps pictures within what memory and a person can take: a heat map that is too large gives way to the plane, a plane
    /// that is too large to nothing. Counts, rows and curves know no such limits.
    void limitPicture()
    {
        m_hasPicture = m_extents.elements() > 0;
        if (m_request.view == ViewKind::wall)
            return;
        const auto size = std::to_string(m_extents.height) + " x " + std::to_string(m_extents.width);
        const auto pixels = m_extents.height * m_extents.width;
        const bool sparseTooLarge = !m_tensor.dense() && std::max(m_extents.height, m_extents.width) > sparseSideLimit;
        if (pixels > planePixelLimit || sparseTooLarge) {
            m_hasPicture = false;
            m_frame.note = "A plane of " + size + " is too large for a picture; counts and coordinates are complete";
        } else if (m_request.view == ViewKind::heat && pixels * m_extents.depth > heatPixelLimit) {
            m_request.view = ViewKind::channel;
            m_frame.note = "A plane of " + size + " is too large for a heat map; the channel itself is shown";
        }
    }

    const Request* before() const { return m_previous ? &m_previous->request : nullptr; }

    /// Whether the heat map of the previous frame is the one asked for now.
    bool keepsHeatMap() const
    {
        const auto* old = before();
        return old && m_previous->map && old->view == ViewKind::heat && old->batch == m_request.batch &&
               old->depth == m_request.depth && old->reduction == m_request.reduction &&
               old->allValues == m_request.allValues && (m_sameWhere || m_request.allValues) &&
               (m_previous->mapIsExact || m_request.dragging);
    }

    bool wantsMask() const
    {
        return m_request.view == ViewKind::mask || (m_request.withMask && m_request.view != ViewKind::heat);
    }

    bool keepsMask() const
    {
        const auto* old = before();
        if (!old || !m_previous->mask || !m_sameWhere)
            return false;
        if (m_request.view == ViewKind::wall)
            return comparesWithWall() && m_previous->wall->channels == orderOfTiles();
        return showsPlane(old->view) && samePlane(*old, m_request);
    }

    bool keepsRows() const
    {
        return m_sameWhere && m_previous->rows && before()->rows.first == m_request.rows.first &&
               before()->rows.count == m_request.rows.count;
    }

    /// One pass of the engine over everything that the previous frame cannot lend.
    void ask()
    {
        Query query;
        query.where = m_request.where;
        query.counts = !m_sameWhere;
        query.draft = m_request.dragging;
        if (m_hasPicture) {
            if (m_request.view == ViewKind::heat && !keepsHeatMap())
                query.heatMaps.push_back({m_request.reduction, m_request.allValues, m_request.batch});
            if (wantsMask() && !keepsMask()) {
                query.masks = planesOfPicture();
                if (m_request.view == ViewKind::wall)
                    query.maskStep = layWall(m_extents.height, m_extents.width, channelsInOrder()).step;
            }
        }
        if (m_request.rows.count > 0 && !keepsRows())
            query.rows = m_request.rows;
        if (query.counts || !query.heatMaps.empty() || !query.masks.empty() || query.rows)
            m_result = m_tensor.run(query, m_job);
    }

    std::vector<PlaneIndex> planesOfPicture() const
    {
        if (m_request.view != ViewKind::wall)
            return {{m_request.batch, m_request.channel}};
        std::vector<PlaneIndex> planes;
        for (std::int64_t channel = 0; channel < m_extents.channels; ++channel)
            planes.push_back({m_request.batch, channel});
        return planes;
    }

    void keepCounts()
    {
        m_frame.thresholds = m_previous->thresholds;
        m_frame.counts = m_previous->counts;
        m_frame.count = m_previous->count;
        m_frame.exact = m_previous->exact;
    }

    void takeCounts()
    {
        m_frame.thresholds = m_result.thresholds;
        m_frame.counts = std::make_shared<const std::vector<std::int64_t>>(std::move(m_result.counts));
        m_frame.count = m_result.count;
        m_frame.exact = m_result.exact;
    }

    void takePicture()
    {
        if (m_request.view == ViewKind::wall) {
            takeWall();
            return;
        }
        const bool isHeat = m_request.view == ViewKind::heat;
        const bool keepsMap =
            isHeat ? keepsHeatMap()
                   : m_previous && m_previous->map && showsPlane(before()->view) && samePlane(*before(), m_request);
        if (isHeat)
            m_frame.mapIsExact = keepsMap ? m_previous->mapIsExact : m_result.mapsAreExact;
        if (keepsMap)
            m_frame.map = m_previous->map;
        else if (isHeat)
            m_frame.map = sliceOf(m_result.heatMaps.at(0).select(0, 0), m_request.depth);
        else
            m_frame.map = sliceOf(m_tensor.plane({m_request.batch, m_request.channel}), m_request.depth);
        if (keepsMap && sameScale(*before(), m_request))
            keepPicture();
        else
            paint(*m_frame.map, isHeat && m_request.reduction == Reduction::count);
        if (wantsMask())
            takeMask();
    }

    void keepPicture()
    {
        m_frame.picture = m_previous->picture;
        m_frame.wall = m_previous->wall;
        m_frame.tiles = m_previous->tiles;
        m_frame.range = m_previous->range;
        m_frame.colors = m_previous->colors;
        m_frame.hasNan = m_previous->hasNan;
        m_frame.hasPositiveInf = m_previous->hasPositiveInf;
        m_frame.hasNegativeInf = m_previous->hasNegativeInf;
    }

    void takeFacts(const MapFacts& facts)
    {
        m_frame.hasNan = facts.nan;
        m_frame.hasPositiveInf = facts.positiveInf;
        m_frame.hasNegativeInf = facts.negativeInf;
    }

    void paint(const Tensor& map, bool isCount)
    {
        const auto facts = inspect(map);
        const auto choice = chooseColors(facts, isCount, m_request.colors);
        m_frame.colors = choice.colors;
        m_frame.range = findRange({&map, 1}, m_request.range, choice.symmetric, facts);
        m_frame.picture = std::make_shared<const Image>(colorize(map, m_frame.range, m_frame.colors));
        takeFacts(facts);
    }

    void takeMask()
    {
        if (keepsMask())
            return keepMask();
        const auto mask = sliceOf(m_result.masks.at(0), m_request.depth).toContiguous();
        const auto* first = reinterpret_cast<const std::uint8_t*>(mask.data());
        m_frame.mask = std::make_shared<const std::vector<std::uint8_t>>(first, first + mask.elements());
        countMask(mask.elements());
    }

    void keepMask()
    {
        m_frame.mask = m_previous->mask;
        m_frame.maskCount = m_previous->maskCount;
    }

    void countMask(std::int64_t pixels)
    {
        m_frame.maskCount = {std::count(m_frame.mask->begin(), m_frame.mask->end(), std::uint8_t{1}), pixels};
    }

    /// Whether the previous frame shows a wall of the same planes.
    bool comparesWithWall() const
    {
        const auto* old = before();
        return old && old->view == ViewKind::wall && m_previous->picture && m_previous->wall && old->batch == m_request.batch &&
               old->depth == m_request.depth;
    }

    /// The wall's order. Tiles that jump about under the mouse help nobody: an order by count settles when the drag ends.
    std::vector<std::int64_t> orderOfTiles() const
    {
        if (comparesWithWall() && m_request.dragging && before()->wallOrder == m_request.wallOrder)
            return m_previous->wall->channels;
        return wallOrder();
    }

    void takeWall()
    {
        const auto order = orderOfTiles();
        if (comparesWithWall() && sameScale(*before(), m_request) && before()->ownScale == m_request.ownScale &&
            m_previous->wall->channels == order)
            keepPicture();
        else
            paintWallAs(order);
        if (!wantsMask() || !m_frame.wall)
            return;
        if (keepsMask())
            return keepMask();
        m_frame.mask = std::make_shared<const std::vector<std::uint8_t>>(
            wallMask(*m_frame.wall, *m_frame.picture, m_result.masks, m_request.depth));
        if (m_frame.wall->step == 1)
            countMask(m_extents.channels * m_extents.height * m_extents.width);
    }

    void paintWallAs(const std::vector<std::int64_t>& order)
    {
        auto wall = paintWall(
            m_tensor, {m_request.batch, m_request.depth, order, m_request.ownScale, m_request.range, m_request.colors}, m_job);
        m_frame.picture = std::make_shared<const Image>(std::move(wall.image));
        m_frame.tiles = std::make_shared<const std::vector<Tensor>>(std::move(wall.tiles));
        m_frame.wall = std::move(wall.grid);
        m_frame.range = wall.range;
        m_frame.colors = wall.colors;
        takeFacts(wall.facts);
    }

    std::vector<std::int64_t> channelsInOrder() const
    {
        std::vector<std::int64_t> channels(static_cast<std::size_t>(m_extents.channels));
        std::iota(channels.begin(), channels.end(), 0);
        return channels;
    }

    /// Channel positions, greatest key first; equal keys and channels without one (last) by index.
    std::vector<std::int64_t> wallOrder() const
    {
        auto order = channelsInOrder();
        if (m_request.wallOrder == WallOrder::index)
            return order;
        const auto keys = wallKeys();
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            const auto& x = keys[static_cast<std::size_t>(a)];
            const auto& y = keys[static_cast<std::size_t>(b)];
            return x && (!y || *x > *y);
        });
        return order;
    }

    std::vector<std::optional<double>> wallKeys() const
    {
        const auto first = static_cast<std::size_t>(m_request.batch * m_extents.channels);
        std::vector<std::optional<double>> keys(static_cast<std::size_t>(m_extents.channels));
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (m_request.wallOrder == WallOrder::count) {
                keys[i] = static_cast<double>((*m_frame.counts)[first + i]);
                continue;
            }
            const auto& plane = m_tensor.planeStatistics(m_job)[first + i];
            if (m_request.wallOrder == WallOrder::mean)
                keys[i] = plane.mean;
            else if (plane.max)
                keys[i] = std::visit([](auto value) { return static_cast<double>(value); }, *plane.max);
        }
        return keys;
    }

    void takeRows()
    {
        if (m_request.rows.count <= 0)
            return;
        if (keepsRows())
            m_frame.rows = m_previous->rows;
        else
            m_frame.rows = std::move(m_result.rows);
    }

    void takeDistribution()
    {
        const auto* old = before();
        const bool plane = m_request.planeHistogram;
        if (old && m_previous->distribution && old->planeHistogram == plane &&
            (!plane || (old->batch == m_request.batch && old->channel == m_request.channel))) {
            m_frame.distribution = m_previous->distribution;
            return;
        }
        const auto which = plane ? std::optional(PlaneIndex{m_request.batch, m_request.channel}) : std::nullopt;
        // A first picture does not wait for a pass over a large tensor.
        if (!old && !m_tensor.isHistogramQuick(which))
            return;
        m_frame.distribution =
            std::make_shared<const Distribution>(Distribution{m_tensor.histogram(which, distributionBins, m_job)});
    }

    const LoadedTensor& m_tensor;
    Request m_request;
    const Frame* m_previous;
    const Job& m_job;
    const Extents& m_extents;
    bool m_sameWhere = false;
    bool m_hasPicture = true;
    Result m_result;
    Frame m_frame;
};

/// The request with positions brought into the tensor's extents.
Request within(const Extents& extents, Request request)
{
    const auto clamp = [](std::int64_t value, std::int64_t extent) {
        return std::clamp<std::int64_t>(value, 0, std::max<std::int64_t>(extent - 1, 0));
    };
    request.batch = clamp(request.batch, extents.batches);
    request.channel = clamp(request.channel, extents.channels);
    request.depth = clamp(request.depth, extents.depth);
    return request;
}

} // namespace

Frame makeFrame(const LoadedTensor& tensor, const std::string& engineName, const Request& request, const Frame* previous,
                const Job& job)
{
    const auto start = std::chrono::steady_clock::now();
    auto frame = FrameMaker(tensor, within(tensor.extents(), request), previous, job).make();
    frame.engine = engineName;
    frame.elapsedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return frame;
}

} // namespace core

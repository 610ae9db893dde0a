// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/render.h"
#include "ui/main_window.h"

#include <cmath>
#include <memory>

/// Frames made by hand, so that the window is tested without files and engines.
namespace frames {

/// Value of the made-up tensor: a few smooth bumps that differ from channel to channel.
inline double valueAt(std::int64_t channel, std::int64_t y, std::int64_t x, std::int64_t height, std::int64_t width)
{
    const double u = static_cast<double>(x) / static_cast<double>(width);
    const double v = static_cast<double>(y) / static_cast<double>(height);
    const double c = static_cast<double>(channel);
    return std::max(0.0, std::sin(6 * u + c) * std::cos(5 * v - 0.7 * c) * (1 + std::fmod(c, 3.0)));
}

inline ui::TensorSummary tensor(const core::Shape& shape, const QString& file = QStringLiteral("/data/activations.pt"),
                                const QString& entry = QStringLiteral("layer3.1"))
{
    ui::TensorSummary summary;
    summary.file = file;
    summary.entry = entry;
    summary.shape = shape;
    summary.selection = core::Selection::all(core::Layout::guess(static_cast<int>(shape.size())));
    summary.extents = core::extentsOf(shape, summary.selection);
    summary.engine = QStringLiteral("cpu");
    const auto& e = summary.extents;
    auto planes = std::make_shared<std::vector<core::Statistics>>();
    for (std::int64_t i = 0; i < e.planes(); ++i) {
        core::Statistics statistics;
        statistics.elements = statistics.finite = e.planeElements();
        statistics.min = 0.0;
        statistics.max = 1.0 + static_cast<double>(i % 3);
        statistics.mean = 0.25;
        statistics.std = 0.3;
        planes->push_back(statistics);
    }
    summary.total = planes->front();
    summary.total.elements = summary.total.finite = e.elements();
    summary.total.max = 3.0;
    summary.planes = planes;
    return summary;
}

/// What the engine would answer to `request` for the made-up tensor: channel 0 (or the asked one) is the picture.
inline std::shared_ptr<core::Frame> frame(const ui::TensorSummary& tensor, const core::Request& request, double threshold = 0.8)
{
    const auto& e = tensor.extents;
    auto frame = std::make_shared<core::Frame>();
    frame->request = request;
    frame->engine = "cpu";
    frame->elapsedMs = 3.1;
    frame->thresholds.resize(1);
    frame->thresholds[0].a = threshold;
    frame->elements = e.elements();
    auto counts = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t i = 0; i < e.planes(); ++i)
        counts->push_back((i * 7919) % (e.planeElements() + 1));
    for (const std::int64_t count : *counts)
        frame->count += count;
    frame->counts = counts;
    frame->colors = request.colors.value_or(core::ColorMap::viridis);
    frame->range = {0, 3};
    const auto plane = [&](std::int64_t channel) {
        std::vector<float> values;
        for (std::int64_t y = 0; y < e.height; ++y)
            for (std::int64_t x = 0; x < e.width; ++x)
                values.push_back(static_cast<float>(valueAt(channel, y, x, e.height, e.width)));
        return core::Tensor::fromValues(core::DType::f32, {e.height, e.width}, values);
    };
    if (request.view == core::ViewKind::wall) {
        core::WallGrid grid;
        grid.columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(e.channels))));
        grid.tileWidth = static_cast<int>(e.width);
        grid.tileHeight = static_cast<int>(e.height);
        grid.gap = 1;
        const int rows = static_cast<int>((e.channels + grid.columns - 1) / grid.columns);
        auto atlas = std::make_shared<core::Image>(grid.columns * (grid.tileWidth + 1) - 1, rows * (grid.tileHeight + 1) - 1);
        for (std::int64_t c = 0; c < e.channels; ++c) {
            grid.channels.push_back(c);
            const core::Image tile = core::colorize(plane(c), frame->range, frame->colors);
            const int left = static_cast<int>(c) % grid.columns * (grid.tileWidth + 1);
            const int top = static_cast<int>(c) / grid.columns * (grid.tileHeight + 1);
            for (int y = 0; y < tile.height; ++y)
                std::copy(tile.row(y), tile.row(y) + tile.width, atlas->row(top + y) + left);
        }
        frame->wall = grid;
        frame->picture = atlas;
        return frame;
    }
    const core::Tensor map = plane(request.channel);
    if (request.view == core::ViewKind::mask)
        frame->colors = core::ColorMap::gray;
    frame->picture = std::make_shared<core::Image>(core::colorize(map, frame->range, frame->colors));
    frame->map = map;
    auto mask = std::make_shared<std::vector<std::uint8_t>>();
    for (std::int64_t y = 0; y < e.height; ++y)
        for (std::int64_t x = 0; x < e.width; ++x)
            mask->push_back(valueAt(request.channel, y, x, e.height, e.width) > threshold);
    frame->mask = mask;
    auto distribution = std::make_shared<core::Distribution>();
    distribution->histogram.lo = 0;
    distribution->histogram.hi = 3;
    for (int i = 0; i < 256; ++i)
        distribution->histogram.bins.push_back(static_cast<std::int64_t>(20000 * std::exp(-i / 40.0)));
    frame->distribution = distribution;
    return frame;
}

} // namespace frames

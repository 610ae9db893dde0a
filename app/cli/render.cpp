// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/render.h"
#include "app/cli/commands.h"
#include "app/cli/render_options.h"
#include "app/cli/source.h"
#include "app/image_file.h"
#include "app/picture.h"
#include "core/error.h"
#include "core/io/write.h"
#include "core/render/plane_slice.h"
#include "core/render/rows.h"

#include <CLI/CLI.hpp>
#include <QtGlobal>
#include <fmt/format.h>

#include <memory>
#include <numeric>

namespace app::cli {

namespace {

struct RenderOptions
{
    SelectOptions select;
    WhereOptions where;
    ViewOptions view;
};

/// What a view is made from.
struct Scene
{
    const core::LoadedTensor& tensor;
    const core::Where& where;
    const ViewChoice& view;
    const core::Job& job;

    const core::Extents& extents() const { return tensor.extents(); }
    std::int64_t middle() const { return extents().depth / 2; }
};

/// A picture with what its colour bar needs.
struct Drawn
{
    core::Image image;
    PictureLegend legend;
    bool grey = false;
};

/// A map or plane that has at least one pixel to show.
void checkNotEmpty(const Scene& scene)
{
    const auto& extents = scene.extents();
    if (extents.elements() == 0)
        throw core::Error(
            fmt::format("there is nothing to draw: the shape {} has no elements", core::shapeText(scene.tensor.shape())));
}

/// Complex values have a size, but no order, and no sum that a real map could hold.
void checkReduction(const Scene& scene)
{
    const auto reduction = scene.view.reduction;
    const bool ofSizes =
        reduction == core::Reduction::count || reduction == core::Reduction::l1 || reduction == core::Reduction::l2;
    if (core::isComplex(scene.tensor.dtype()) && !ofSizes)
        throw core::Error(fmt::format("the heat map of complex values cannot be their {}: choose --reduce count, l1 or l2",
                                      core::reductionName(reduction)));
}

core::Tensor heatMap(const Scene& scene, std::optional<std::int64_t> batch)
{
    checkReduction(scene);
    core::Query query;
    query.where = scene.where;
    query.counts = false;
    query.heatMaps = {{scene.view.reduction, scene.view.allValues, batch}};
    return scene.tensor.run(query, scene.job).heatMaps.at(0);
}

core::Tensor maskOf(const Scene& scene)
{
    core::Query query;
    query.where = scene.where;
    query.counts = false;
    query.masks = {{0, 0}};
    return scene.tensor.run(query, scene.job).masks.at(0);
}

/// Colours a [H, W] map as the options say.
Drawn drawMap(const core::Tensor& map, const ViewChoice& view, bool isCount)
{
    if (core::isComplex(map.dtype()))
        throw core::Error("complex values have no colours: write an .npy, or choose --view mask");
    const auto usual = core::defaultColors(map, isCount);
    const bool symmetric = !view.colors && usual.symmetric && view.range.kind == core::RangeChoice::Kind::automatic;
    Drawn drawn;
    drawn.legend.range = core::findRange(map, view.range, symmetric);
    drawn.legend.colors = view.colors.value_or(usual.colors);
    drawn.image = core::colorize(map, drawn.legend.range, drawn.legend.colors);
    const auto facts = core::inspect(map);
    drawn.legend.hasNan = facts.nan;
    drawn.legend.hasPositiveInf = facts.positiveInf;
    drawn.legend.hasNegativeInf = facts.negativeInf;
    return drawn;
}

Drawn drawHeat(const Scene& scene)
{
    const auto map = core::sliceOf(heatMap(scene, 0).select(0, 0), scene.middle());
    return drawMap(map, scene.view, scene.view.reduction == core::Reduction::count);
}

core::Tensor planeSlice(const Scene& scene)
{
    return core::sliceOf(scene.tensor.plane({0, 0}), scene.middle());
}

Drawn drawMask(const Scene& scene)
{
    return {core::maskImage(core::sliceOf(maskOf(scene), scene.middle())), {}, true};
}

core::Image overlayBase(const Scene& scene)
{
    if (!scene.view.image.empty())
        return readImage(QString::fromLocal8Bit(scene.view.image.c_str()));
    const auto plane = planeSlice(scene);
    if (core::isComplex(plane.dtype()))
        throw core::Error("a complex channel has no grey picture: give one with --image");
    return core::colorize(plane, core::findRange(plane, scene.view.range, false), core::ColorMap::gray);
}

Drawn drawOverlay(const Scene& scene)
{
    const auto mask = core::sliceOf(maskOf(scene), scene.middle());
    return {core::overlay(overlayBase(scene), mask, core::hotColor, scene.view.opacity, scene.view.contour), {}, false};
}

Drawn drawWall(const Scene& scene)
{
    if (core::isComplex(scene.tensor.dtype()))
        throw core::Error("complex values have no colours: choose --view mask");
    core::WallOptions options;
    options.depth = scene.middle();
    options.order.resize(static_cast<std::size_t>(scene.extents().channels));
    std::iota(options.order.begin(), options.order.end(), 0);
    options.range = scene.view.range;
    options.colors = scene.view.colors;
    auto wall = core::renderWall(scene.tensor, options, scene.job);
    Drawn drawn;
    drawn.image = std::move(wall.image);
    drawn.legend.range = wall.range;
    drawn.legend.colors = wall.colors;
    const auto all = scene.tensor.statistics(scene.job);
    drawn.legend.hasNan = all.nan > 0;
    drawn.legend.hasPositiveInf = all.positiveInf > 0;
    drawn.legend.hasNegativeInf = all.negativeInf > 0;
    return drawn;
}

Drawn draw(const Scene& scene)
{
    checkNotEmpty(scene);
    switch (scene.view.view) {
    case View::heat:
        return drawHeat(scene);
    case View::channel:
        return drawMap(planeSlice(scene), scene.view, false);
    case View::mask:
        return drawMask(scene);
    case View::overlay:
        return drawOverlay(scene);
    default:
        return drawWall(scene);
    }
}

void writePicture(const Scene& scene)
{
    auto drawn = draw(scene);
    constexpr std::int64_t largestSide = 65500;
    const auto side = static_cast<std::int64_t>(std::max(drawn.image.width, drawn.image.height)) * scene.view.scale;
    if (side > largestSide)
        throw core::Error(fmt::format("{} would be {} pixels long; the limit is {}: choose a smaller --scale or a part of the "
                                      "tensor",
                                      scene.view.output, side, largestSide));
    auto picture = core::enlarge(drawn.image, scene.view.scale);
    // Qt's own remarks (no runtime folder, no fonts) are none of the command's errors and warnings.
    qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
    if (scene.view.colorBar)
        picture = withLegend(picture, drawn.legend);
    scene.job.check();
    core::writePng(scene.view.output, picture, drawn.grey);
}

void writeArray(const Scene& scene)
{
    const auto array = scene.view.view == View::heat   ? heatMap(scene, std::nullopt)
                       : scene.view.view == View::mask ? maskOf(scene)
                                                       : scene.tensor.plane({0, 0});
    scene.job.check();
    core::io::writeNpy(scene.view.output, array);
}

/// Whether the condition matters.
bool showsHot(const ViewChoice& view)
{
    return view.view == View::mask || view.view == View::overlay || (view.view == View::heat && !view.allValues);
}

void render(Session& session, const RenderOptions& options)
{
    const auto view = readView(options.view);
    const auto where = makeWhere(options.where);
    if (!showsHot(view)) {
        if (options.where.isGiven())
            session.warn("the condition changes nothing: the wall, a channel and maps of --all-values show all elements");
    } else {
        warnWithoutRule(session, where);
    }
    const auto source = openSource(session, options.select);
    const auto job = session.job(fmt::format("rendering {}", source.entry->name));
    const Scene scene{*source.loaded, where, view, job};
    if (view.npy)
        writeArray(scene);
    else
        writePicture(scene);
}

} // namespace

Action prepareRender(CLI::App& app)
{
    const auto options = std::make_shared<RenderOptions>();
    addSelect(app, options->select);
    addWhere(app, options->where);
    addView(app, options->view);
    app.footer("Examples:\n"
               "  actiscope render activations.pt --tensor layer1 --threshold 0.8 -o heat.png --scale 4 --colorbar\n"
               "  actiscope render activations.pt --tensor layer1 --view wall -o wall.png\n"
               "  actiscope render cam.npy --view overlay --where \"percentile 90\" --image photo.png -o over.png\n"
               "  actiscope render volume.npy --reduce count --threshold 0.5 -o counts.npy");
    return [options](Session& session) { render(session, *options); };
}

} // namespace app::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exporter.h"

#include "app/job.h"
#include "app/translate.h"
#include "core/io/write.h"
#include "core/render/render.h"
#include "core/report/channel_table.h"
#include "core/report/coordinate_file.h"
#include "core/report/json_writer.h"

#include <QFileInfo>
#include <QLocale>

#include <utility>

namespace app {

namespace {

/// One pass for one output of the frame's condition.
core::Result run(const ExportSource& source, core::Query query, const core::Job& job)
{
    query.where = source.frame->request.where;
    return source.tensor->tensor->run(query, job);
}

std::string layoutText(const core::Layout& layout)
{
    return layout.roles.empty() ? "W" : layout.letters();
}

std::string jsonText(const ExportSource& source, const core::report::Table& channels)
{
    const auto& tensor = *source.tensor->tensor;
    const auto& where = source.frame->request.where;
    core::report::JsonWriter json;
    json.beginObject();
    json.member("file", source.tensor->choice.file->file.string());
    json.member("tensor", source.tensor->choice.entry->name);
    json.member("dtype", core::dtypeName(tensor.dtype()));
    json.member("shape", core::report::cell(tensor.shape()));
    json.member("layout", layoutText(tensor.selection().layout));
    json.member("where", where.text);
    json.member("comparison", core::comparisonName(where.comparison));
    json.key("channels");
    json.value(channels);
    json.endObject();
    return json.take();
}

std::string tableText(const ExportSource& source, bool asJson, const core::Job& job)
{
    const auto& tensor = *source.tensor->tensor;
    core::Query query;
    query.hotSums = !core::isComplex(tensor.dtype());
    const auto result = run(source, query, job);
    const auto channels = core::report::channelTable({tensor, source.frame->request.where, result}, job);
    return asJson ? jsonText(source, channels) : core::report::csvText(channels);
}

void writeText(const QString& file, std::string_view text)
{
    core::io::AtomicFile out(toPath(file));
    out.write(text);
    out.commit();
}

core::Tensor mapShown(const ExportSource& source, const core::Job& job)
{
    const auto& request = source.frame->request;
    if (request.view != core::ViewKind::heat)
        return source.tensor->tensor->plane({request.batch, request.channel});
    core::Query query;
    query.counts = false;
    query.heatMaps.push_back({request.reduction, request.allValues, request.batch});
    return run(source, query, job).heatMaps.at(0);
}

bool endsWith(const QString& file, const char* ending)
{
    return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive);
}

} // namespace

QStringList legendLines(const ExportSource& source)
{
    const auto& frame = *source.frame;
    const auto& request = frame.request;
    const auto& tensor = *source.tensor->tensor;
    const auto& extents = tensor.extents();
    auto part = QStringLiteral("batch item %1").arg(extents.firstBatch + request.batch);
    if (request.view == core::ViewKind::channel || request.view == core::ViewKind::mask)
        part += QStringLiteral(", channel %1").arg(extents.firstChannel + request.channel);
    if (extents.hasDepth)
        part += QStringLiteral(", slice %1").arg(extents.firstDepth + request.depth);
    if (request.view == core::ViewKind::heat)
        part += QStringLiteral(", %1 over channels of %2")
                    .arg(QString::fromStdString(std::string(core::reductionName(request.reduction))),
                         request.allValues ? QStringLiteral("all values") : QStringLiteral("hot values"));
    const auto name = QFileInfo(fromPath(source.tensor->choice.file->file)).fileName();
    const auto entry = QString::fromStdString(source.tensor->choice.entry->name);
    const QLocale locale(QLocale::English);
    const auto shape = QString::fromStdString(core::shapeText(tensor.shape()) + " " + layoutText(tensor.selection().layout));
    return {name + QStringLiteral(": ") + entry + QStringLiteral(", ") +
                QString::fromStdString(std::string(core::dtypeName(tensor.dtype()))) + QStringLiteral(" ") + shape,
            part,
            QStringLiteral("%1: %2 hot of %3")
                .arg(QString::fromStdString(request.where.text), locale.toString(qlonglong(frame.count)),
                     locale.toString(qlonglong(frame.elements)))};
}

core::Image dataPicture(const core::Frame& frame, int scale)
{
    if (!frame.picture)
        return {};
    if (frame.request.view != core::ViewKind::mask || !frame.mask)
        return core::enlarge(*frame.picture, scale);
    const auto mask =
        core::Tensor::fromValues(core::DType::boolean, {frame.picture->height, frame.picture->width}, *frame.mask);
    constexpr double opacity = 0.6;
    return core::enlarge(core::overlay(*frame.picture, mask, core::hotColor, opacity, false), scale);
}

Exporter::Exporter(QObject* parent)
    : QObject(parent), m_mailbox(this), m_queue([this] { m_mailbox.deliver([this] { Q_EMIT finished(); }); })
{
}

void Exporter::post(const QString& file, std::function<void(const core::Job&)> write)
{
    m_queue.post([this, file, write = std::move(write)](const std::stop_token& stop) {
        const auto what = tr("Writing %1").arg(QFileInfo(file).fileName());
        const auto job = makeJob(
            stop, [this, what](double done) { m_mailbox.deliver([this, what, done] { Q_EMIT progressed(what, done); }); });
        try {
            job.check();
            write(job);
            m_mailbox.deliver([this, file] { Q_EMIT written(file); });
        } catch (const core::Cancelled&) {
        } catch (const std::exception& error) {
            auto message = messageOf(error);
            if (!message.contains(file))
                message.prepend(file + QStringLiteral(" was not written: "));
            m_mailbox.deliver([this, message] { Q_EMIT failed(message); });
        }
    });
}

void Exporter::writeTable(const ExportSource& source, const QString& file)
{
    post(file, [source, file](const core::Job& job) { writeText(file, tableText(source, endsWith(file, ".json"), job)); });
}

void Exporter::writeMap(const ExportSource& source, const QString& file)
{
    post(file, [source, file](const core::Job& job) { core::io::writeNpy(toPath(file), mapShown(source, job)); });
}

void Exporter::writeMask(const ExportSource& source, const QString& file)
{
    post(file, [source, file](const core::Job& job) {
        const auto& request = source.frame->request;
        core::Query query;
        query.counts = false;
        query.masks.push_back({request.batch, request.channel});
        core::io::writeNpy(toPath(file), run(source, query, job).masks.at(0));
    });
}

void Exporter::writeCoordinates(const ExportSource& source, const QString& file)
{
    post(file, [source, file](const core::Job& job) {
        core::report::writeCoordinates({toPath(file), !endsWith(file, ".npy"), std::nullopt}, *source.tensor->tensor,
                                       source.frame->request.where, job);
    });
}

void Exporter::writePicture(std::function<core::Image()> make, const QString& file)
{
    post(file, [make = std::move(make), file](const core::Job&) { core::writePng(toPath(file), make()); });
}

void Exporter::writeBytes(const QByteArray& bytes, const QString& file)
{
    post(file, [bytes, file](const core::Job&) { writeText(file, {bytes.constData(), std::size_t(bytes.size())}); });
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/loader.h"

#include "app/image_file.h"
#include "app/job.h"
#include "app/translate.h"
#include "core/io/open.h"

#include <QDateTime>
#include <QFileInfo>

#include <utility>

namespace app {

Loader::Loader(QObject* parent)
    : QObject(parent), m_mailbox(this), m_queue([this] { m_mailbox.deliver([this] { Q_EMIT finished(); }); })
{
    constexpr int quietMs = 150;
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(quietMs);
    connect(&m_quiet, &QTimer::timeout, this, [this] { Q_EMIT progressed(m_what, -1); });
    connect(this, &Loader::progressed, &m_quiet, &QTimer::stop);
    connect(this, &Loader::finished, &m_quiet, &QTimer::stop);
}

void Loader::open(int id, const QString& file)
{
    m_queue.post([this, id, file](const std::stop_token& stop) { openNow(id, file, stop); });
}

void Loader::loadImage(const QString& file)
{
    m_queue.post([this, file](const std::stop_token& stop) { loadImageNow(file, stop); });
}

void Loader::lookForChanges()
{
    // While files are being opened there is no hurry, and one look is enough.
    if (m_queue.isIdle())
        m_queue.post([this](const std::stop_token& stop) { lookNow(stop); });
}

void Loader::forget(int id)
{
    m_queue.post([this, id](const std::stop_token&) { m_stamps.erase(id); });
}

void Loader::cancel()
{
    m_queue.cancel();
}

Loader::Stamp Loader::stampOf(const QString& file)
{
    const QFileInfo info(file);
    return {file, info.size(), info.lastModified().toMSecsSinceEpoch()};
}

void Loader::openNow(int id, const QString& file, const std::stop_token& stop)
{
    const auto what = tr("Opening %1").arg(QFileInfo(file).fileName());
    m_mailbox.deliver([this, what] {
        m_what = what;
        m_quiet.start();
    });
    const auto job =
        makeJob(stop, [this, what](double done) { m_mailbox.deliver([this, what, done] { Q_EMIT progressed(what, done); }); });
    try {
        // Before the file is read: what changes from now on is a change.
        const auto stamp = stampOf(file);
        auto document = std::make_shared<const core::Document>(core::io::open(toPath(file), {}, job));
        m_stamps[id] = stamp;
        m_mailbox.deliver([this, id, document = std::move(document)] { Q_EMIT opened(id, document); });
    } catch (const core::Cancelled&) {
    } catch (const std::exception& error) {
        m_mailbox.deliver([this, id, message = messageOf(error)] { Q_EMIT openFailed(id, message); });
    }
}

void Loader::loadImageNow(const QString& file, const std::stop_token& stop)
{
    try {
        auto image = std::make_shared<const core::Image>(readImage(file));
        if (!stop.stop_requested())
            m_mailbox.deliver([this, file, image = std::move(image)] { Q_EMIT imageLoaded(image, file); });
    } catch (const std::exception& error) {
        m_mailbox.deliver([this, message = messageOf(error)] { Q_EMIT imageFailed(message); });
    }
}

void Loader::lookNow(const std::stop_token& stop)
{
    for (auto& [id, stamp] : m_stamps) {
        if (stop.stop_requested())
            return;
        const auto now = stampOf(stamp.file);
        // A file that is gone may be on its way back: programs that save write a new one and rename it.
        if (now == stamp || !QFileInfo::exists(stamp.file))
            continue;
        stamp = now;
        m_mailbox.deliver([this, changed = id] { Q_EMIT changedOnDisk(changed); });
    }
}

} // namespace app

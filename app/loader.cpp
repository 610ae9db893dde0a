// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/loader.h"

#include "app/image_file.h"
#include "app/translate.h"
#include "core/io/open.h"

#include <QDateTime>
#include <QFileInfo>

#include <chrono>
#include <utility>

namespace app {

Loader::Loader(QObject* parent) : QObject(parent), m_thread([this](std::stop_token quit) { loop(std::move(quit)); }) {}

Loader::~Loader() = default;

void Loader::open(int id, const QString& file)
{
    post(Open{id, file});
}

void Loader::loadImage(const QString& file)
{
    post(LoadImage{file});
}

void Loader::lookForChanges()
{
    const std::lock_guard lock(m_mutex);
    // While files are being opened there is no hurry, and one look is enough.
    if (m_busy || !m_tasks.empty())
        return;
    m_tasks.emplace_back(LookForChanges{});
    m_wake.notify_one();
}

void Loader::forget(int id)
{
    post(Forget{id});
}

void Loader::cancel()
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_tasks, [](const Task& task) { return !std::holds_alternative<Forget>(task); });
    m_stop.request_stop();
}

bool Loader::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return !m_busy && m_tasks.empty();
}

void Loader::post(Task task)
{
    const std::lock_guard lock(m_mutex);
    m_tasks.push_back(std::move(task));
    m_wake.notify_one();
}

void Loader::loop(std::stop_token quit)
{
    Stamps stamps;
    for (;;) {
        std::unique_lock lock(m_mutex);
        if (std::exchange(m_busy, false) && m_tasks.empty())
            QMetaObject::invokeMethod(this, &Loader::finished, Qt::QueuedConnection);
        if (!m_wake.wait(lock, quit, [this] { return !m_tasks.empty(); }) || quit.stop_requested())
            return;
        const auto task = std::move(m_tasks.front());
        m_tasks.pop_front();
        m_busy = true;
        m_stop = std::stop_source();
        const auto stop = m_stop.get_token();
        const std::stop_callback whenQuitting(quit, [source = m_stop]() mutable { source.request_stop(); });
        lock.unlock();
        std::visit([&](const auto& one) { perform(one, stop, stamps); }, task);
    }
}

Loader::Stamp Loader::stampOf(const QString& file)
{
    const QFileInfo info(file);
    return {file, info.size(), info.lastModified().toMSecsSinceEpoch()};
}

void Loader::perform(const Open& task, const std::stop_token& stop, Stamps& stamps)
{
    using Clock = std::chrono::steady_clock;
    core::Job job;
    job.stop = stop;
    job.progress = [this, name = QFileInfo(task.file).fileName(), last = Clock::now()](double done) mutable {
        if (Clock::now() - last < std::chrono::milliseconds(100))
            return;
        last = Clock::now();
        QMetaObject::invokeMethod(
            this, [this, name, done] { Q_EMIT progressed(tr("Opening %1").arg(name), done); }, Qt::QueuedConnection);
    };
    try {
        // Before the file is read: what changes from now on is a change.
        const auto stamp = stampOf(task.file);
        auto document = std::make_shared<const core::Document>(core::io::open(toPath(task.file), {}, job));
        stamps[task.id] = stamp;
        QMetaObject::invokeMethod(
            this, [this, id = task.id, document = std::move(document)] { Q_EMIT opened(id, document); }, Qt::QueuedConnection);
    } catch (const core::Cancelled&) {
    } catch (const std::exception& error) {
        QMetaObject::invokeMethod(
            this, [this, id = task.id, message = messageOf(error)] { Q_EMIT openFailed(id, message); }, Qt::QueuedConnection);
    }
}

void Loader::perform(const LoadImage& task, const std::stop_token& stop, Stamps&)
{
    try {
        auto image = std::make_shared<const core::Image>(readImage(task.file));
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(
            this, [this, file = task.file, image = std::move(image)] { Q_EMIT imageLoaded(image, file); },
            Qt::QueuedConnection);
    } catch (const std::exception& error) {
        QMetaObject::invokeMethod(
            this, [this, message = messageOf(error)] { Q_EMIT imageFailed(message); }, Qt::QueuedConnection);
    }
}

void Loader::perform(const LookForChanges&, const std::stop_token& stop, Stamps& stamps)
{
    for (auto& [id, stamp] : stamps) {
        if (stop.stop_requested())
            return;
        const auto now = stampOf(stamp.file);
        // A file that is gone may be on its way back: programs that save write a new one and rename it.
        if (now == stamp || !QFileInfo::exists(stamp.file))
            continue;
        stamp = now;
        QMetaObject::invokeMethod(
            this, [this, changed = id] { Q_EMIT changedOnDisk(changed); }, Qt::QueuedConnection);
    }
}

void Loader::perform(const Forget& task, const std::stop_token&, Stamps& stamps)
{
    stamps.erase(task.id);
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/mailbox.h"
#include "app/task_queue.h"
#include "core/document.h"
#include "core/render/image.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <memory>

namespace app {

/// Opens files on a thread of its own, one after the other in the order asked. Signals arrive on the thread that the loader
/// lives in.
class Loader : public QObject
{
    Q_OBJECT
public:
    explicit Loader(QObject* parent = nullptr);

    /// Opens a file or folder as the document `id` (again, for a reload). Ends with opened() or openFailed(), unless cancelled.
    void open(int id, const QString& file);
    /// Reads a picture to be laid under masks. Ends with imageLoaded() or imageFailed(), unless cancelled.
    void loadImage(const QString& file);
    /// Compares the open files with what they were when they were opened; changedOnDisk() tells what differs, once a change.
    void lookForChanges();
    /// Changes of the document's file matter no more.
    void forget(int id);
    /// Gives up everything that runs or waits.
    void cancel();
    /// Whether nothing runs, waits or is on its way.
    bool isIdle() const { return m_queue.isIdle() && m_mailbox.isEmpty(); }

Q_SIGNALS:
    void opened(int id, std::shared_ptr<const core::Document> document);
    void openFailed(int id, const QString& message);
    void imageLoaded(std::shared_ptr<const core::Image> image, const QString& file);
    void imageFailed(const QString& message);
    void changedOnDisk(int id);
    /// Opening a file lasts: how far it is, 0 to 1, or (negative) unknown.
    void progressed(const QString& what, double done);
    /// Nothing runs or waits any more.
    void finished();

private:
    /// A file's size and time when it was opened.
    struct Stamp
    {
        QString file;
        qint64 size = 0;
        qint64 modifiedMs = 0;
        bool operator==(const Stamp&) const = default;
    };
    static Stamp stampOf(const QString& file);
    void openNow(int id, const QString& file, const std::stop_token& stop);
    void loadImageNow(const QString& file, const std::stop_token& stop);
    void lookNow(const std::stop_token& stop);
    // Used on the queue's thread only.
    std::map<int, Stamp> m_stamps;

    /// Opening that lasts without saying how far it is.
    QTimer m_quiet;
    QString m_what;

    Mailbox m_mailbox;
    TaskQueue m_queue; // last: ends before the rest goes
};

} // namespace app

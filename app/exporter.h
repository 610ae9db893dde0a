// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/analysis_worker.h"
#include "app/mailbox.h"
#include "app/task_queue.h"
#include "core/render/image.h"
#include "ui/main_window.h"

#include <QObject>

#include <functional>
#include <memory>

namespace app {

/// What is exported: a tensor and the frame that the window shows of it.
struct ExportSource
{
    std::shared_ptr<const TakenTensor> tensor;
    std::shared_ptr<const core::Frame> frame;
};

/// Lines that say what a picture shows: file, tensor and part; condition and count.
QStringList legendLines(const ExportSource& source);
/// The frame's picture at data resolution, every pixel `scale` times; in mask view with the hot pixels over it.
core::Image dataPicture(const core::Frame& frame, int scale);

/// Writes files on a thread of its own, each whole or not at all. Signals arrive on the thread that the exporter lives in.
class Exporter : public QObject
{
    Q_OBJECT
public:
    explicit Exporter(QObject* parent = nullptr);

    /// The table of channels as CSV or (ending .json) JSON.
    void writeTable(const ExportSource& source, const QString& file);
    /// The map shown as .npy: the heat map [1, H, W] or [1, D, H, W], or the plane as stored.
    void writeMap(const ExportSource& source, const QString& file);
    /// The mask of the plane shown as .npy, bool [H, W] or [D, H, W].
    void writeMask(const ExportSource& source, const QString& file);
    /// All hot elements as .npy, .csv or .npz (the latter two with values).
    void writeCoordinates(const ExportSource& source, const QString& file);
    /// A picture as .png; `make` is called on the exporter's thread.
    void writePicture(std::function<core::Image()> make, const QString& file);
    /// Bytes made already.
    void writeBytes(const QByteArray& bytes, const QString& file);

    /// Stops what is being written and drops what waits.
    void cancel() { m_queue.cancel(); }
    /// Whether nothing runs, waits or is on its way.
    bool isIdle() const { return m_queue.isIdle() && m_mailbox.isEmpty(); }

Q_SIGNALS:
    void written(const QString& file);
    /// Also tells the file.
    void failed(const QString& message);
    void progressed(const QString& what, double done);
    /// Nothing runs or waits any more.
    void finished();

private:
    void post(const QString& file, std::function<void(const core::Job&)> write);

    Mailbox m_mailbox;
    TaskQueue m_queue; // last: ends before the rest goes
};

} // namespace app

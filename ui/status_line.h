// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"
#include "ui/main_window.h"

#include <QWidget>

class QProgressBar;
class QPushButton;

namespace ui {

struct CanvasPixel;
class ReadOut;

/// The line at the bottom: pixel under the cursor, pixel of the overlay image, engine and time, progress with Cancel.
class StatusLine : public QWidget
{
    Q_OBJECT
public:
    explicit StatusLine(QWidget* parent = nullptr);

    /// Indices in the file are positions plus the extents' firsts; pixels of a model's input come from where it lies.
    void setTensor(const TensorSummary& tensor);
    void setFrame(const core::Frame& frame);
    void clear();
    void showPixel(const CanvasPixel& pixel, const core::Request& request);
    void clearPixel();
    /// 0 to 1; negative: unknown.
    void showProgress(const QString& what, double done);
    void hideProgress();

Q_SIGNALS:
    void cancelRequested();

private:
    QString imageText(const CanvasPixel& pixel) const;

    core::Extents m_extents;
    std::optional<core::InputGeometry> m_input;
    ReadOut* m_pixel;
    ReadOut* m_imagePixel;
    ReadOut* m_engine;
    ReadOut* m_work;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
};

} // namespace ui

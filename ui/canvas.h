// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"
#include "ui/canvas_marks.h"
#include "ui/canvas_view.h"

#include <QWidget>

#include <array>
#include <memory>
#include <optional>

namespace ui {

/// The pixel under the cursor.
struct CanvasPixel
{
    /// Wall: channel position of the tile.
    std::optional<std::int64_t> channel;
    /// Row and column of the plane.
    std::int64_t y = 0;
    std::int64_t x = 0;
    /// The value behind the picture.
    QString value;
    /// Wall: more than 1 where a tile shows only the first of `step` x `step` pixels, this one.
    int step = 1;
    /// Whether it is hot, where the frame has the mask.
    std::optional<bool> hot;
    /// The pixel of the overlay image below it, while one is shown.
    std::optional<QPoint> imagePixel;
};

/// How the canvas shows what it has; changing it needs no new frame.
struct CanvasLook
{
    bool mask = false;
    double opacity = 0.6;
    /// Only the outline of the mask.
    bool contour = false;
    /// Bilinear instead of nearest for what lies over an image.
    bool smooth = false;
    /// Pictures and masks lie over the overlay image where there is one.
    bool overImage = true;
    bool crosshair = true;
    bool operator==(const CanvasLook&) const = default;
};

/// Shows a frame's picture: draws the visible part only, zooms at the cursor, pans, prints values into large pixels.
class Canvas : public QWidget
{
    Q_OBJECT
public:
    explicit Canvas(QWidget* parent = nullptr);

    /// Index in the file of the first channel (wall labels).
    void setFirstChannel(std::int64_t first);
    void setFrame(std::shared_ptr<const core::Frame> frame);
    const core::Frame* frame() const { return m_frame.get(); }
    /// The picture that what is shown lies over, and where on it, in its pixels; null for all of it.
    void setOverlayImage(std::shared_ptr<const core::Image> image, QRectF area = {});
    bool hasOverlayImage() const { return m_image != nullptr; }
    /// Whether what is shown lies over the overlay image.
    bool isOverImage() const;
    /// Whether values are shown in colours, and whether hot pixels are marked.
    bool showsValues() const;
    bool showsMask() const;
    /// Nothing is shown.
    void clear();

    const CanvasLook& look() const { return m_look; }
    void setLook(const CanvasLook& look);
    /// Marks a pixel of the plane (column, row), or none.
    void setCrosshair(std::optional<QPoint> pixel);
    std::optional<QPoint> crosshair() const { return m_crosshair; }
    /// Pans so that the crosshair is in sight (wall: in the current channel's tile); nothing moves where it is already.
    void revealCrosshair();
    /// Channel position whose tile is framed in a wall.
    void setCurrentChannel(std::int64_t channel);

    void fit();
    /// Device pixels per picture pixel, about the cursor where it is over the canvas, else about the middle.
    void zoomTo(double scale);
    void zoomBy(double factor);
    double zoom() const { return view().transform().scale; }

    /// The pixel of the plane at a widget position, or nothing outside the picture.
    std::optional<CanvasPixel> pixelAt(QPointF position) const;
    /// The part of the content in sight without hover marks, at the canvas' device resolution.
    QImage picture() const;

    QSize sizeHint() const override { return {512, 512}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

Q_SIGNALS:
    /// The cursor moved to another pixel, or its value changed.
    void hovered(const ui::CanvasPixel& pixel);
    /// The cursor left the picture.
    void hoverEnded();
    /// A pixel of the plane was clicked (column, row).
    void pixelClicked(QPoint pixel);
    /// A tile of the wall was clicked: channel position.
    void channelClicked(std::int64_t channel);
    void zoomChanged(double scale);
    /// Ctrl+wheel: slices forward or back.
    void depthStepRequested(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    const core::Image* basePicture() const;
    /// The rectangle of the crosshair's pixel in device pixels, if it has one in the picture.
    std::optional<QRectF> crosshairRect() const;
    int currentTile() const;
    const core::Image* overlayPicture() const;
    bool isWall() const { return m_frame && m_frame->wall.has_value(); }
    QSize deviceSize() const;
    /// Wall and planes keep zoom and position of their own.
    CanvasView& view() { return m_views[isWall() ? 1 : 0]; }
    const CanvasView& view() const { return m_views[isWall() ? 1 : 0]; }
    /// Of a layer over the whole content, and of the frame's picture.
    LayerGeometry geometry(QSize layer) const;
    LayerGeometry pictureGeometry() const;
    /// Where the frame's picture lies in the content.
    QRectF pictureArea() const;
    void contentChanged();
    void compose() const;
    void paintMarks(QPainter& painter, bool withHover) const;
    void afterZoom();
    void tellZoom();
    void hover(QPointF position);
    QPointF zoomCentre() const;

    std::shared_ptr<const core::Frame> m_frame;
    std::shared_ptr<const core::Image> m_image;
    QRectF m_imageArea;
    CanvasLook m_look;
    std::array<CanvasView, 2> m_views;
    std::optional<QPoint> m_crosshair;
    std::int64_t m_firstChannel = 0;
    std::int64_t m_currentChannel = -1;
    int m_hoveredTile = -1;
    std::optional<QPointF> m_cursor;
    QPointF m_pressed;
    QPointF m_dragged;
    bool m_panning = false;
    double m_toldZoom = 0;
    mutable QImage m_composed;
    mutable std::vector<std::uint8_t> m_outline;
    mutable std::optional<core::Image> m_faded;
    mutable bool m_stale = true;
};

} // namespace ui

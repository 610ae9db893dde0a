// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

static void loadIconResources()
{
    Q_INIT_RESOURCE(icons);
}

namespace ui {
namespace {

/// Paints an SVG whose `currentColor` is the palette's button text.
class LineIconEngine : public QIconEngine
{
public:
    /// An invalid colour follows the palette.
    LineIconEngine(QByteArray svg, QColor color) : m_svg(std::move(svg)), m_color(color) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        const auto role = mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::ButtonText;
        QByteArray svg = m_svg;
        const QColor color = m_color.isValid() ? m_color : QApplication::palette().color(group, role);
        svg.replace("currentColor", color.name().toLatin1());
        QSvgRenderer(svg).render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect({}, size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new LineIconEngine(m_svg, m_color); }

private:
    QByteArray m_svg;
    QColor m_color;
};

} // namespace

QIcon icon(const QString& name)
{
    return icon(name, QColor());
}

QIcon icon(const QString& name, const QColor& color)
{
    static const bool loaded = (loadIconResources(), true);
    Q_UNUSED(loaded);
    QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QIcon(new LineIconEngine(file.readAll(), color));
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/total_readout.h"

#include "ui/number_text.h"
#include "ui/plot_style.h"

#include <QPainter>

namespace ui {
namespace {

QFont largeFont(const QFont& font)
{
    QFont large = font;
    large.setPixelSize(QFontInfo(font).pixelSize() + 4);
    large.setBold(true);
    return large;
}

} // namespace

TotalReadout::TotalReadout(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Total"));
}

void TotalReadout::setTotal(std::int64_t count, std::int64_t elements, bool exact)
{
    m_count = (exact ? QString() : QStringLiteral("\u2248 ")) + countText(count);
    m_percent = percentText(count, elements);
    m_elements = countText(elements);
    m_exact = exact;
    setAccessibleDescription(text());
    update();
}

void TotalReadout::clear()
{
    m_count.clear();
    m_percent.clear();
    m_elements.clear();
    update();
}

QString TotalReadout::text() const
{
    if (m_count.isEmpty())
        return {};
    const QString share = m_percent.isEmpty() ? QString() : m_percent + QStringLiteral(", ");
    return tr("%1 hot of %2, %3%4").arg(m_count, m_elements, share, m_exact ? tr("exact") : tr("approximate"));
}

QSize TotalReadout::sizeHint() const
{
    return {200, QFontMetrics(largeFont(font())).height() + fontMetrics().height() + 2};
}

QSize TotalReadout::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

void TotalReadout::paintEvent(QPaintEvent*)
{
    if (m_count.isEmpty())
        return;
    QPainter painter(this);
    const PlotColors colors = plotColors(palette());
    const QFont large = largeFont(font());
    const QFontMetrics metrics(large);
    const QRect top(0, 0, width(), metrics.height());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.setFont(large);
    painter.drawText(top, Qt::AlignLeft | Qt::AlignVCenter, m_count);
    painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, m_percent);
    painter.setFont(font());
    painter.drawText(top.adjusted(metrics.horizontalAdvance(m_count) + 6, 2, 0, 2), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("hot"));
    painter.setPen(colors.dimText);
    const QRect bottom(0, top.bottom() + 3, width(), fontMetrics().height());
    painter.drawText(bottom, Qt::AlignLeft | Qt::AlignVCenter, tr("of %1 elements").arg(m_elements));
    painter.drawText(bottom, Qt::AlignRight | Qt::AlignVCenter, m_exact ? tr("exact") : tr("approximate"));
}

} // namespace ui

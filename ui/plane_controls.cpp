// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plane_controls.h"

#include "ui/icons.h"
#include "ui/number_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <limits>

namespace ui {
namespace {

constexpr int playIntervalMs = 100;
/// What a spin box can count to.
constexpr std::int64_t mostShown = std::numeric_limits<int>::max();

QToolButton* stepButton(const QString& iconName, const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(iconName));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setAutoRepeat(true);
    return button;
}

} // namespace

AxisStepper::AxisStepper(const QString& name, const QString& previousTip, const QString& nextTip, QWidget* parent)
    : QWidget(parent), m_box(new QSpinBox(this)), m_previous(stepButton(QStringLiteral("previous"), previousTip, this)),
      m_next(stepButton(QStringLiteral("next"), nextTip, this)), m_of(new QLabel(this))
{
    auto* label = new QLabel(name, this);
    label->setBuddy(m_box);
    m_box->setAccessibleName(name);
    m_box->setToolTip(tr("Index of the %1 in the file").arg(name));
    m_box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_box->setAlignment(Qt::AlignRight);
    m_box->setKeyboardTracking(false);
    m_box->setMaximumWidth(fontMetrics().horizontalAdvance(QStringLiteral("000000")) + 12);
    m_of->setForegroundRole(QPalette::PlaceholderText);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->setSpacing(2);
    row->addWidget(label);
    row->addSpacing(2);
    row->addWidget(m_previous);
    row->addWidget(m_box);
    row->addWidget(m_next);
    row->addWidget(m_of);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_box, &QSpinBox::valueChanged, this, [this](int index) { go(index - m_first); });
    // After Enter the keys are the window's again.
    connect(m_box, &QSpinBox::editingFinished, m_box, &QWidget::clearFocus);
    setExtent(0, 1);
}

void AxisStepper::setExtent(std::int64_t first, std::int64_t extent)
{
    m_first = first;
    m_extent = std::max<std::int64_t>(1, extent);
    const QSignalBlocker blocker(m_box);
    m_box->setRange(static_cast<int>(std::min(first, mostShown)), static_cast<int>(std::min(first + m_extent - 1, mostShown)));
    // Three axes fit a small window when each box is as wide as its numbers only.
    m_box->setMinimumWidth(fontMetrics().horizontalAdvance(QString::number(m_box->maximum()) + QLatin1Char('0')) + 12);
    m_of->setText(tr("of %1").arg(countText(m_extent)));
    m_box->setEnabled(m_extent > 1);
    setPosition(std::min(m_position, m_extent - 1));
}

void AxisStepper::setPosition(std::int64_t position)
{
    m_position = std::clamp<std::int64_t>(position, 0, m_extent - 1);
    const QSignalBlocker blocker(m_box);
    m_box->setValue(static_cast<int>(std::min(m_first + m_position, mostShown)));
    m_previous->setEnabled(canStep(-1));
    m_next->setEnabled(canStep(1));
    Q_EMIT stepsChanged();
}

void AxisStepper::step(std::int64_t steps, bool around)
{
    const std::int64_t wanted = m_position + steps;
    go(around ? (wanted % m_extent + m_extent) % m_extent : wanted);
}

void AxisStepper::go(std::int64_t position)
{
    const std::int64_t before = m_position;
    setPosition(position);
    if (m_position != before)
        Q_EMIT positionChanged(m_position);
}

PlaneControls::PlaneControls(QWidget* parent)
    : QWidget(parent),
      m_batch(new AxisStepper(tr("batch"), tr("Previous batch item (Shift+Left)"), tr("Next batch item (Shift+Right)"), this)),
      m_channel(new AxisStepper(tr("channel"), tr("Previous channel (Left)"), tr("Next channel (Right)"), this)),
      m_depth(new AxisStepper(tr("depth"), tr("Previous slice (PgUp, Ctrl+wheel)"), tr("Next slice (PgDn, Ctrl+wheel)"), this)),
      m_play(new QToolButton(this)), m_timer(new QTimer(this))
{
    m_play->setIcon(icon(QStringLiteral("play")));
    m_play->setToolTip(tr("Play channels or slices (Space)"));
    m_play->setAccessibleName(tr("Play channels or slices"));
    m_play->setCheckable(true);
    m_play->setAutoRaise(true);
    m_timer->setInterval(playIntervalMs);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(12);
    row->addStretch();
    row->addWidget(m_batch);
    row->addWidget(m_channel);
    row->addWidget(m_depth);
    row->addWidget(m_play);
    row->addStretch();
    m_depth->hide();
    for (auto* axis : {m_batch, m_channel, m_depth})
        connect(axis, &AxisStepper::positionChanged, this, &PlaneControls::planeChanged);
    connect(m_play, &QToolButton::clicked, this, &PlaneControls::togglePlay);
    connect(m_timer, &QTimer::timeout, this, [this] { (m_depth->extent() > 1 ? m_depth : m_channel)->step(1, true); });
}

void PlaneControls::setExtents(const core::Extents& extents)
{
    m_batch->setExtent(extents.firstBatch, extents.batches);
    m_channel->setExtent(extents.firstChannel, extents.channels);
    const bool otherDepth = extents.depth != m_depth->extent();
    m_depth->setExtent(extents.firstDepth, extents.depth);
    if (otherDepth)
        m_depth->setPosition(extents.depth / 2);
    m_depth->setVisible(extents.hasDepth);
    m_play->setEnabled(extents.depth > 1 || extents.channels > 1);
    if (!m_play->isEnabled())
        stop();
}

void PlaneControls::apply(core::Request& request) const
{
    request.batch = m_batch->position();
    request.channel = m_channel->position();
    request.depth = m_depth->position();
}

void PlaneControls::setPlane(std::int64_t batch, std::int64_t channel)
{
    m_batch->setPosition(batch);
    m_channel->setPosition(channel);
}

bool PlaneControls::canPlay() const
{
    return m_play->isEnabled();
}

bool PlaneControls::isPlaying() const
{
    return m_timer->isActive();
}

void PlaneControls::togglePlay()
{
    const bool start = !isPlaying() && m_play->isEnabled();
    if (start)
        m_timer->start();
    else
        m_timer->stop();
    m_play->setChecked(start);
    m_play->setIcon(icon(start ? QStringLiteral("pause") : QStringLiteral("play")));
    Q_EMIT playingChanged();
}

void PlaneControls::stop()
{
    if (isPlaying())
        togglePlay();
}

} // namespace ui

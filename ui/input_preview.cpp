// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/input_preview.h"

#include "ui/theme.h"

#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

constexpr int mostHeight = 200;
constexpr int usualWidth = 200;

/// Its text is elided where there is no room, and whole in the tooltip.
class FixButton : public QPushButton
{
public:
    FixButton(const QString& text, QWidget* parent) : QPushButton(parent), m_text(text)
    {
        setAccessibleName(text);
        setToolTip(text);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QPushButton::resizeEvent(event);
        constexpr int margins = 16;
        QString shown = m_text;
        shown.replace(u'&', QStringLiteral("&&"));
        setText(fontMetrics().elidedText(shown, Qt::ElideRight, width() - margins));
    }

private:
    const QString m_text;
};

QLabel* makeText(const QString& name, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAccessibleName(name);
    label->hide();
    return label;
}

void setText(QLabel* label, const QString& text)
{
    label->setText(text);
    label->setVisible(!text.isEmpty());
}

} // namespace

InputPicture::InputPicture(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("The picture that the network gets"));
    setToolTip(tr("The picture that the network gets"));
    hide();
}

void InputPicture::setPicture(std::shared_ptr<const core::Image> picture)
{
    m_picture = picture && picture->width > 0 && picture->height > 0 ? std::move(picture) : nullptr;
    setVisible(m_picture != nullptr);
    updateGeometry();
    update();
}

int InputPicture::heightForWidth(int width) const
{
    if (!m_picture)
        return 0;
    const double height = static_cast<double>(width) * m_picture->height / m_picture->width;
    return std::clamp(static_cast<int>(height), 1, mostHeight);
}

QSize InputPicture::sizeHint() const
{
    return {usualWidth, heightForWidth(usualWidth)};
}

void InputPicture::paintEvent(QPaintEvent*)
{
    if (!m_picture)
        return;
    QPainter painter(this);
    const QImage image(reinterpret_cast<const uchar*>(m_picture->pixels.data()), m_picture->width, m_picture->height,
                       4 * m_picture->width, QImage::Format_RGBA8888);
    const QSize shown = image.size().scaled(size(), Qt::KeepAspectRatio).expandedTo({1, 1});
    const QRect place(QPoint((width() - shown.width()) / 2, 0), shown);
    // Small pictures keep their pixels; large ones are averaged, not thinned out.
    const bool smaller = shown.width() * devicePixelRatioF() < image.width();
    painter.drawImage(
        place, smaller ? image.scaled(shown * devicePixelRatioF(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation) : image);
    painter.setPen(themeColors(palette()).hairline);
    painter.drawRect(place.adjusted(0, 0, -1, -1));
}

InputPreviewView::InputPreviewView(QWidget* parent)
    : QWidget(parent), m_picture(new InputPicture(this)), m_size(makeText(tr("Size of the picture"), this)),
      m_given(makeText(tr("What the model gets"), this)), m_hint(makeText(tr("What the model expects"), this)),
      m_problemBox(new QWidget(this)), m_problem(makeText(tr("What does not fit"), m_problemBox)),
      m_fixRows(new QVBoxLayout(m_problemBox))
{
    m_size->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_fixRows->setContentsMargins({});
    m_fixRows->setSpacing(4);
    m_fixRows->addWidget(m_problem);
    m_problemBox->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(4);
    for (QWidget* part : {static_cast<QWidget*>(m_picture), static_cast<QWidget*>(m_size), static_cast<QWidget*>(m_given),
                          static_cast<QWidget*>(m_hint)})
        column->addWidget(part);
}

void InputPreviewView::setHint(const QString& hint)
{
    setText(m_hint, hint);
}

void InputPreviewView::setPreview(const InputPreview& preview)
{
    m_picture->setPicture(preview.picture);
    setText(m_size, preview.picture
                        ? tr("The network gets this, %1\u00d7%2").arg(preview.picture->width).arg(preview.picture->height)
                        : QString());
    setText(m_given, preview.given);
    m_problemText = preview.problem;
    setText(m_problem, preview.problem.isEmpty() ? QString() : QStringLiteral("\u26a0 ") + preview.problem);
    setFixes(preview.fixes);
    m_problemBox->setVisible(hasProblem() || !m_fixes.empty());
}

void InputPreviewView::setFixes(const std::vector<InputFix>& fixes)
{
    const bool hadFocus = std::any_of(m_fixes.begin(), m_fixes.end(), [](const auto* button) { return button->hasFocus(); });
    // A fix leads to new fixes: the button may be the one that is just being clicked.
    for (QPushButton* button : m_fixes) {
        button->hide();
        button->deleteLater();
    }
    m_fixes.clear();
    for (const InputFix& fix : fixes) {
        auto* button = new FixButton(fix.text, m_problemBox);
        connect(button, &QPushButton::clicked, this, [this, choice = fix.choice] { Q_EMIT fixChosen(choice); });
        m_fixRows->addWidget(button);
        m_fixes.push_back(button);
    }
    if (hadFocus && !m_fixes.empty())
        m_fixes.front()->setFocus();
}

QWidget* InputPreviewView::problemPart() const
{
    return m_fixes.empty() ? static_cast<QWidget*>(m_problem) : m_fixes.back();
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/start_page.h"

#include "ui/icons.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {
namespace {

constexpr int columnWidth = 400;
constexpr int mostRecent = 9;

QPushButton* actionButton(QAction* action, QWidget* parent)
{
    auto* button = new QPushButton(action->icon(), action->text().remove(u'&'), parent);
    button->setToolTip(action->toolTip());
    button->setAccessibleName(action->iconText());
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

QLabel* quietLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    return label;
}

} // namespace

StartPage::StartPage(QAction* open, QAction* openSample, QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_hint(quietLabel({}, this)), m_recent(new QWidget(this)),
      m_recentColumn(new QVBoxLayout(m_recent))
{
    setAccessibleName(tr("Start page"));
    QFont large = font();
    large.setPixelSize(22);
    m_title->setFont(large);
    m_hint->setMinimumHeight(5 * fontMetrics().lineSpacing() + 4);
    m_hint->setAlignment(Qt::AlignTop | Qt::AlignLeft);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    auto* openButton = actionButton(open, this);
    openButton->setDefault(true);
    buttons->addWidget(openButton);
    buttons->addWidget(actionButton(openSample, this));
    buttons->addStretch();

    m_recentColumn->setContentsMargins({});
    m_recentColumn->setSpacing(0);

    auto* column = new QVBoxLayout;
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(m_hint);
    column->addSpacing(8);
    column->addLayout(buttons);
    column->addSpacing(16);
    column->addWidget(m_recent);
    auto* middle = new QWidget(this);
    middle->setFixedWidth(columnWidth);
    middle->setLayout(column);
    column->setContentsMargins({});
    auto* page = new QVBoxLayout(this);
    page->addStretch(2);
    page->addWidget(middle, 0, Qt::AlignHCenter);
    page->addStretch(3);
    setDocumentOpen(false);
    setRecentFiles({});
}

void StartPage::setRecentFiles(const QStringList& files)
{
    while (QLayoutItem* item = m_recentColumn->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_recent->setVisible(!files.isEmpty());
    if (files.isEmpty())
        return;
    m_recentColumn->addWidget(quietLabel(tr("Recent files"), m_recent));
    int number = 0;
    for (const QString& file : files.first(std::min<qsizetype>(files.size(), mostRecent))) {
        auto* button = new QPushButton(m_recent);
        const QFileInfo info(file);
        const QString text = info.fileName() + QStringLiteral("   ") + info.path();
        button->setText(
            button->fontMetrics().elidedText(text, Qt::ElideMiddle, columnWidth - 40).replace(u'&', QStringLiteral("&&")));
        button->setIcon(icon(QStringLiteral("recent")));
        button->setFlat(true);
        button->setStyleSheet(QStringLiteral("text-align: left; padding: 4px"));
        button->setToolTip(QStringLiteral("%1 (Ctrl+%2)").arg(file).arg(++number));
        button->setAccessibleName(tr("Open %1").arg(file));
        m_recentColumn->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, file] { Q_EMIT fileChosen(file); });
    }
}

void StartPage::setDocumentOpen(bool open)
{
    m_title->setText(open ? tr("Choose a tensor or a layer") : tr("Open a model or a saved tensor"));
    m_hint->setText(
        open ? tr("Double-click a tensor or a model's layer in Contents, or press Enter on it.")
             : tr("Drop files here, or open them. A TorchScript model (.pt) shows every layer: drop it together with a "
                  "picture to run it on. Tensors: torch.save (.pt, .pth), .npy, .npz, .safetensors, .pt2, .nii, "
                  ".mtx, pictures, or a folder of them."));
}

} // namespace ui

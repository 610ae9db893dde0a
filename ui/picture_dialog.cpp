// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/picture_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSettings>

#include <algorithm>

namespace ui {

namespace {

const auto sizeKey = QStringLiteral("pictureExport/scale");
const auto colorBarKey = QStringLiteral("pictureExport/colorBar");
const auto legendKey = QStringLiteral("pictureExport/legend");

QCheckBox* makeBox(const QString& text, const QString& key)
{
    auto* box = new QCheckBox(text);
    box->setChecked(QSettings().value(key, true).toBool());
    return box;
}

} // namespace

PictureDialog::PictureDialog(QSize dataSize, QWidget* parent)
    : QDialog(parent), m_size(new QComboBox), m_colorBar(makeBox(tr("&Colour bar"), colorBarKey)),
      m_legend(makeBox(tr("&Legend: file, tensor, condition, count"), legendKey))
{
    setWindowTitle(tr("Export Picture"));
    m_size->setAccessibleName(tr("Size of the picture"));
    m_size->addItem(tr("As on the screen"), 0);
    constexpr int largestSide = 16384;
    for (const int scale : {1, 2, 4, 8, 16, 32})
        if (!dataSize.isEmpty() && scale * std::max(dataSize.width(), dataSize.height()) <= largestSide)
            m_size->addItem(tr("%1 \u00d7 data: %2 \u00d7 %3 pixels")
                                .arg(scale)
                                .arg(dataSize.width() * scale)
                                .arg(dataSize.height() * scale),
                            scale);
    m_size->setCurrentIndex(std::max(0, m_size->findData(QSettings().value(sizeKey, 0))));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, &PictureDialog::remember);
    auto* form = new QFormLayout(this);
    form->addRow(tr("&Size"), m_size);
    form->addRow(QString(), m_colorBar);
    form->addRow(QString(), m_legend);
    form->addRow(buttons);
}

int PictureDialog::scale() const
{
    return m_size->currentData().toInt();
}

bool PictureDialog::hasColorBar() const
{
    return m_colorBar->isChecked();
}

bool PictureDialog::hasLegend() const
{
    return m_legend->isChecked();
}

void PictureDialog::remember() const
{
    QSettings settings;
    settings.setValue(sizeKey, scale());
    settings.setValue(colorBarKey, hasColorBar());
    settings.setValue(legendKey, hasLegend());
}

} // namespace ui

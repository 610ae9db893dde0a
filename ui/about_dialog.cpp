// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/about_dialog.h"

#include "ui/qcustomplot.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

namespace ui {
namespace {

const QStringList libraries{QStringLiteral("Qt %1 (LGPL-3.0)").arg(QString::fromLatin1(qVersion())),
                            QStringLiteral("QCustomPlot " QCUSTOMPLOT_VERSION_STR " (GPL-3.0-or-later)"),
                            QStringLiteral("oneTBB (Apache-2.0), Highway (Apache-2.0 or BSD-3-Clause)"),
                            QStringLiteral("fmt (MIT), nlohmann-json (MIT), CLI11 (BSD-3-Clause)"),
                            QStringLiteral("zlib, libpng, libjpeg-turbo (their own permissive licences)")};

} // namespace

AboutDialog::AboutDialog(const QString& machine, const QString& engine, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("About Actiscope"));
    const QString version = QCoreApplication::applicationVersion();
    auto* title = new QLabel(version.isEmpty() ? tr("Actiscope") : tr("Actiscope %1").arg(version), this);
    QFont large = font();
    large.setPixelSize(20);
    title->setFont(large);
    const QString used = tr("Engine in use: %1").arg(engine.isEmpty() ? tr("none yet") : engine);
    auto* text = new QLabel(tr("Opens saved tensors and shows, live and exactly, where they fire.\n\n%1\n%2\n\n"
                               "Free software under the GNU General Public License, version 3 or later. Linked libraries:\n%3")
                                .arg(machine.trimmed(), used, libraries.join(u'\n')),
                            this);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (auto* label : {title, text})
        label->setAccessibleName(label->text());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 16);
    column->setSpacing(16);
    column->addWidget(title);
    column->addWidget(text);
    column->addWidget(buttons);
}

} // namespace ui

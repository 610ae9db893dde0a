// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source_line.h"

#include "ui/layout_editor.h"
#include "ui/main_window.h"
#include "ui/read_out.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>

namespace ui {

SourceLine::SourceLine(QWidget* parent)
    : QWidget(parent), m_menus(new QMenuBar(this)), m_path(new ReadOut(this)), m_type(new ReadOut(this)),
      m_layout(new LayoutEditor(this))
{
    m_menus->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    m_menus->setNativeMenuBar(false);
    m_path->setAccessibleName(tr("Shown tensor"));
    m_path->setAlignment(Qt::AlignRight);
    m_path->setElideMode(Qt::ElideMiddle);
    m_path->setRoom(30);
    m_path->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_type->setAccessibleName(tr("Type and shape"));
    m_type->setAlignment(Qt::AlignRight);
    m_type->setElideMode(Qt::ElideMiddle);
    m_type->setQuiet(true);
    m_layout->setFlat(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(12);
    row->addWidget(m_menus);
    row->addWidget(m_path, 1);
    row->addWidget(m_type);
    row->addWidget(m_layout);
    clear();
}

void SourceLine::setTensor(const TensorSummary& tensor)
{
    const auto dtype = core::dtypeName(tensor.dtype);
    const auto storage = core::storageKindName(tensor.storage);
    QString type = QString::fromLatin1(dtype.data(), static_cast<qsizetype>(dtype.size())) + QLatin1Char(' ') +
                   QString::fromStdString(core::shapeText(tensor.shape));
    if (tensor.storage != core::StorageKind::strided)
        type += QLatin1Char(' ') + QString::fromLatin1(storage.data(), static_cast<qsizetype>(storage.size()));
    const QString from = tensor.inputName.isEmpty() ? QString() : tensor.inputName + QStringLiteral(" \u2192 ");
    m_pathText = from + QFileInfo(tensor.file).fileName() + QStringLiteral(" \u2192 ") + tensor.entry;
    setOutdated(false);
    m_type->setRoom(std::min(44, static_cast<int>(type.size()) + 1));
    m_type->setText(type);
    m_layout->setTensor(tensor.shape, tensor.selection);
}

void SourceLine::setOutdated(bool outdated)
{
    m_path->setText(outdated ? tr("\u26a0 earlier input: %1").arg(m_pathText) : m_pathText);
}

void SourceLine::clear()
{
    m_pathText.clear();
    m_path->setText({});
    m_type->setText({});
    m_layout->clear();
}

} // namespace ui

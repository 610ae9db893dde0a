// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_options.h"

#include "ui/file_dialogs.h"
#include "ui/icons.h"
#include "ui/read_out.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

namespace ui {
namespace {

constexpr int longestLimit = 86400;

QToolButton* makeButton(const QString& iconName, const QString& name, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(iconName));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(name);
    return button;
}

} // namespace

RunOptionsForm::RunOptionsForm(QWidget* parent)
    : QWidget(parent), m_operators(new QCheckBox(tr("Operators within the layer"), this)), m_memory(new QLineEdit(this)),
      m_timeLimit(new QSpinBox(this)), m_libraryNames(new ReadOut(this)),
      m_addLibrary(makeButton(QStringLiteral("open"), tr("Choose a library of operators that models need"), this)),
      m_removeLibraries(makeButton(QStringLiteral("close"), tr("Use no library of operators"), this))
{
    m_operators->setAccessibleName(m_operators->text());
    m_operators->setToolTip(
        tr("Also keep what every operator within the layer gives; Contents lists them beneath the layer with "
           "the line of the model's code. Files without layers have only these"));
    m_memory->setPlaceholderText(tr("a quarter of all"));
    m_memory->setAccessibleName(tr("Memory for captures"));
    m_memory->setToolTip(
        tr("Memory that the values of one run may take, like 512M or 2G; what does not fit is told by its shape "
           "and statistics only"));
    m_memory->setMinimumWidth(48);
    m_memory->setAcceptDrops(false);
    m_timeLimit->setRange(0, longestLimit);
    m_timeLimit->setSpecialValueText(tr("none"));
    m_timeLimit->setSuffix(tr(" s"));
    m_timeLimit->setAccessibleName(tr("Time limit"));
    m_timeLimit->setToolTip(tr("Seconds after which loading or running a model is ended"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins({});
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto label = [this](const QString& text) {
        auto* quiet = new QLabel(text, this);
        quiet->setForegroundRole(QPalette::PlaceholderText);
        return quiet;
    };
    m_libraryNames->setAccessibleName(tr("Libraries of operators"));
    m_libraryNames->setRoom(9);
    m_libraryNames->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* libraries = new QHBoxLayout;
    libraries->setSpacing(4);
    libraries->addWidget(m_libraryNames, 1);
    libraries->addWidget(m_addLibrary);
    libraries->addWidget(m_removeLibraries);
    form->addRow(m_operators);
    form->addRow(label(tr("Memory")), m_memory);
    form->addRow(label(tr("Time limit")), m_timeLimit);
    form->addRow(label(tr("Library")), libraries);
    setLibraries({});
    connect(m_operators, &QCheckBox::clicked, this, &RunOptionsForm::changed);
    connect(m_memory, &QLineEdit::editingFinished, this, &RunOptionsForm::changed);
    connect(m_timeLimit, &QSpinBox::editingFinished, this, &RunOptionsForm::changed);
    connect(m_addLibrary, &QToolButton::clicked, this, [this] {
        chooseOperatorLibrary(this, [this](const QString& file) {
            setLibraries(m_libraries + QStringList(file));
            Q_EMIT changed();
        });
    });
    connect(m_removeLibraries, &QToolButton::clicked, this, [this] {
        setLibraries({});
        Q_EMIT changed();
    });
}

void RunOptionsForm::setLibraries(const QStringList& libraries)
{
    m_libraries = libraries;
    m_libraries.removeDuplicates();
    QStringList names;
    for (const QString& library : m_libraries)
        names.append(QFileInfo(library).fileName());
    m_libraryNames->setText(names.isEmpty() ? tr("none") : names.join(QStringLiteral(", ")));
    m_libraryNames->setQuiet(names.isEmpty());
    m_removeLibraries->setVisible(!names.isEmpty());
}

void RunOptionsForm::setOptions(const RunOptions& options)
{
    m_operators->setChecked(options.operators);
    m_memory->setText(options.memory);
    m_timeLimit->setValue(options.timeLimit);
    setLibraries(options.libraries);
}

RunOptions RunOptionsForm::options() const
{
    return {m_operators->isChecked(), m_memory->text().trimmed(), m_timeLimit->value(), m_libraries};
}

} // namespace ui

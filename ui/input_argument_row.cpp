// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/input_argument_row.h"

#include "ui/calm_box.h"
#include "ui/file_dialogs.h"
#include "ui/icons.h"
#include "ui/local_files.h"
#include "ui/read_out.h"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {
namespace {

const auto usualShape = QStringLiteral("1x3x224x224");

bool isTrue(const QString& text)
{
    return text.compare(QLatin1String("true"), Qt::CaseInsensitive) == 0 || text == QLatin1String("1");
}

/// Name of an argument, its type in the tip.
ReadOut* makeLabel(const InputArgument& argument, QWidget* parent)
{
    auto* label = new ReadOut(parent);
    label->setText(argument.name);
    label->setAccessibleName(argument.name);
    label->setToolTip(InputArgumentRow::tr("Argument %1 of type %2").arg(argument.name, argument.type));
    label->setRoom(9);
    label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return label;
}

} // namespace

InputArgumentRow::InputArgumentRow(const InputArgument& argument, QWidget* parent) : QWidget(parent), m_argument(argument)
{
    if (argument.takesTensors)
        buildTensor();
    else if (argument.type == QLatin1String("bool"))
        buildFlag();
    else
        buildValue();
}

void InputArgumentRow::buildTensor()
{
    setAcceptDrops(true);
    m_source = new CalmBox(this);
    const auto add = [this](const QString& text, Kind kind, const QString& tip) {
        m_source->addItem(text, static_cast<int>(kind));
        m_source->setItemData(m_source->count() - 1, tip, Qt::ToolTipRole);
    };
    add(tr("File"), Kind::file, tr("A picture or a tensor from a file"));
    add(tr("Random"), Kind::random, tr("Random numbers as of torch.randn, the same at each run"));
    add(tr("Ones"), Kind::ones, tr("Every element 1"));
    if (!m_argument.required)
        add(tr("Default"), Kind::nothing, tr("Not given: %1").arg(m_argument.defaultText));
    m_source->setAccessibleName(tr("Source of %1").arg(m_argument.name));
    m_source->setToolTip(tr("Where %1 (%2) comes from").arg(m_argument.name, m_argument.type));
    QWidget* field = m_argument.takesMany ? makeLines() : makeField();
    m_browse = new QToolButton(this);
    m_browse->setIcon(icon(QStringLiteral("open")));
    m_browse->setAutoRaise(true);
    m_browse->setFocusPolicy(Qt::TabFocus);
    m_browse->setAccessibleName(tr("Choose a file for %1").arg(m_argument.name));
    m_browse->setToolTip(m_argument.takesMany ? tr("Choose pictures or tensor files for %1").arg(m_argument.name)
                                              : tr("Choose a picture or tensor file for %1").arg(m_argument.name));
    auto* top = new QHBoxLayout;
    top->setSpacing(4);
    top->addWidget(makeLabel(m_argument, this), 1);
    top->addWidget(m_source, 1);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(4);
    bottom->addWidget(field, 1);
    bottom->addWidget(m_browse, 0, Qt::AlignTop);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins({});
    rows->setSpacing(4);
    rows->addLayout(top);
    rows->addLayout(bottom);
    connect(m_source, &QComboBox::activated, this, &InputArgumentRow::chooseSource);
    connect(m_browse, &QToolButton::clicked, this, &InputArgumentRow::browse);
    adapt();
}

void InputArgumentRow::buildFlag()
{
    m_flag = new QCheckBox(m_argument.name, this);
    m_flag->setAccessibleName(m_argument.name);
    m_flag->setToolTip(m_argument.required
                           ? tr("Argument %1 of type bool").arg(m_argument.name)
                           : tr("Argument %1 of type bool, %2 by default").arg(m_argument.name, m_argument.defaultText));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->addWidget(m_flag);
    connect(m_flag, &QCheckBox::clicked, this, [this](bool on) {
        m_flagGiven = on != isTrue(m_argument.defaultText);
        Q_EMIT chosen();
    });
}

void InputArgumentRow::buildValue()
{
    m_shown = Kind::text;
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->setSpacing(4);
    row->addWidget(makeLabel(m_argument, this), 1);
    row->addWidget(makeField(), 1);
    m_field->setPlaceholderText(m_argument.required ? m_argument.type : m_argument.defaultText);
    m_field->setToolTip(m_argument.required
                            ? tr("Value of %1 (%2)").arg(m_argument.name, m_argument.type)
                            : tr("Value of %1 (%2); empty: %3").arg(m_argument.name, m_argument.type, m_argument.defaultText));
    m_field->setAccessibleName(tr("Value of %1").arg(m_argument.name));
}

QWidget* InputArgumentRow::makeField()
{
    m_field = new QLineEdit(this);
    m_field->setMinimumWidth(48);
    // A file dropped here is a file for the row, not text.
    m_field->setAcceptDrops(false);
    connect(m_field, &QLineEdit::textEdited, this, &InputArgumentRow::typed);
    connect(m_field, &QLineEdit::editingFinished, this, &InputArgumentRow::chosen);
    return m_field;
}

QWidget* InputArgumentRow::makeLines()
{
    m_lines = new QPlainTextEdit(this);
    m_lines->setAcceptDrops(false);
    m_lines->setTabChangesFocus(true);
    m_lines->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_lines->setMinimumWidth(48);
    m_lines->setFixedHeight(3 * m_lines->fontMetrics().lineSpacing() + 14);
    m_lines->installEventFilter(this);
    connect(m_lines, &QPlainTextEdit::textChanged, this, &InputArgumentRow::typed);
    return m_lines;
}

void InputArgumentRow::browse()
{
    chooseInputFiles(this, m_argument.takesMany, [this](const QStringList& files) {
        setFiles(files);
        Q_EMIT chosen();
    });
}

void InputArgumentRow::chooseSource()
{
    const Kind kind = source();
    if (kind == m_shown)
        return;
    m_texts[static_cast<std::size_t>(m_shown)] = text();
    m_shown = kind;
    QString& known = m_texts[static_cast<std::size_t>(kind)];
    if (known.isEmpty() && (kind == Kind::random || kind == Kind::ones)) {
        const QString& other = m_texts[static_cast<std::size_t>(kind == Kind::random ? Kind::ones : Kind::random)];
        known = other.isEmpty() ? usualShape : other;
    }
    setText(known);
    adapt();
    Q_EMIT chosen();
}

InputArgumentRow::Kind InputArgumentRow::source() const
{
    return m_source ? static_cast<Kind>(m_source->currentData().toInt()) : Kind::text;
}

void InputArgumentRow::setSource(Kind kind)
{
    const int index = m_source->findData(static_cast<int>(kind));
    m_source->setCurrentIndex(std::max(0, index));
    m_shown = source();
}

QString InputArgumentRow::text() const
{
    return m_lines ? m_lines->toPlainText() : m_field->text();
}

void InputArgumentRow::setText(const QString& text)
{
    if (text == this->text())
        return;
    if (!m_lines) {
        // The end of a path tells more than its beginning.
        m_field->setText(text);
        return;
    }
    const QSignalBlocker blocker(m_lines);
    m_lines->setPlainText(text);
}

void InputArgumentRow::adapt()
{
    const Kind kind = source();
    const bool file = kind == Kind::file;
    QWidget* field = m_lines ? static_cast<QWidget*>(m_lines) : m_field;
    field->setVisible(kind != Kind::nothing);
    m_browse->setVisible(file);
    const QString name = file ? tr("File for %1").arg(m_argument.name) : tr("Shape of %1").arg(m_argument.name);
    field->setAccessibleName(name);
    const QString hint = !file ? usualShape : m_lines ? tr("Files, one a line") : tr("Picture or tensor file");
    const QString tip =
        file ? tr("Picture or tensor file for %1 (FILE:NAME takes one tensor of several); files can be dropped here")
                   .arg(m_argument.name)
             : tr("Shape of %1, such as %2").arg(m_argument.name, usualShape);
    field->setToolTip(tip);
    if (m_lines)
        m_lines->setPlaceholderText(hint);
    else
        m_field->setPlaceholderText(hint);
}

void InputArgumentRow::setChoice(const ArgumentChoice& choice)
{
    const bool own = choice.name == m_argument.name;
    const Kind kind = own ? choice.kind : Kind::nothing;
    const QString given = own && kind != Kind::nothing ? choice.text : QString();
    if (m_flag) {
        m_flagGiven = kind == Kind::text;
        m_flag->setChecked(isTrue(m_flagGiven ? given : m_argument.defaultText));
        return;
    }
    if (m_source) {
        setSource(kind);
        adapt();
    }
    setText(given);
}

ArgumentChoice InputArgumentRow::choice() const
{
    ArgumentChoice choice{m_argument.name, Kind::nothing, {}};
    if (m_flag) {
        if (m_flagGiven || m_argument.required) {
            choice.kind = Kind::text;
            choice.text = m_flag->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
        }
        return choice;
    }
    const Kind kind = source();
    const QString given = kind == Kind::text ? text() : text().trimmed();
    const bool missing = given.isEmpty() && (kind == Kind::file || kind == Kind::text);
    if (kind == Kind::nothing || missing)
        return choice;
    choice.kind = kind;
    choice.text = given;
    return choice;
}

void InputArgumentRow::setFiles(const QStringList& files)
{
    m_texts[static_cast<std::size_t>(m_shown)] = text();
    setSource(Kind::file);
    setText(m_argument.takesMany ? files.join(u'\n') : files.value(0));
    adapt();
}

void InputArgumentRow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void InputArgumentRow::dropEvent(QDropEvent* event)
{
    const QStringList files = localFiles(*event->mimeData());
    if (files.isEmpty())
        return;
    event->acceptProposedAction();
    setFiles(files);
    Q_EMIT filesDropped();
}

bool InputArgumentRow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_lines && event->type() == QEvent::FocusOut)
        Q_EMIT chosen();
    return QWidget::eventFilter(watched, event);
}

} // namespace ui

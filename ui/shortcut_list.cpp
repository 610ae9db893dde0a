// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shortcut_list.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace ui {
namespace {

using Row = QPair<QString, QString>;

QString keysText(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts())
        keys.append(key.toString(QKeySequence::NativeText));
    // Other spellings of the same keys on other keyboards.
    if (keys.size() > 1 && keys.last().startsWith(QStringLiteral("Shift+")))
        keys = {keys.first()};
    return keys.join(QStringLiteral(" or "));
}

class Table
{
public:
    explicit Table(QWidget* parent) : m_parent(parent), m_grid(new QGridLayout(parent))
    {
        m_grid->setContentsMargins({});
        m_grid->setHorizontalSpacing(24);
        m_grid->setVerticalSpacing(4);
        m_grid->setColumnStretch(0, 1);
    }
    void title(const QString& text)
    {
        auto* label = new QLabel(QStringLiteral("<b>%1</b>").arg(text), m_parent);
        label->setAccessibleName(text);
        if (m_row > 0)
            m_grid->setRowMinimumHeight(m_row++, 8);
        m_grid->addWidget(label, m_row++, 0, 1, 2);
    }
    void row(const QString& what, const QString& keys)
    {
        auto* name = new QLabel(what, m_parent);
        auto* key = new QLabel(keys, m_parent);
        name->setAccessibleName(what);
        key->setAccessibleName(keys);
        m_grid->addWidget(name, m_row, 0);
        m_grid->addWidget(key, m_row++, 1);
    }

private:
    QWidget* m_parent;
    QGridLayout* m_grid;
    int m_row = 0;
};

} // namespace

ShortcutList::ShortcutList(const Actions& actions, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Keyboard Shortcuts"));
    auto* left = new QWidget(this);
    auto* right = new QWidget(this);
    Table leftTable(left);
    Table table(right);
    const auto groups = actions.groups();
    for (const auto& group : groups) {
        Table& side = &group - &groups.front() < 3 ? leftTable : table;
        side.title(QString(group.title).remove(u'&'));
        for (const QAction* action : group.actions)
            if (action && !action->shortcuts().isEmpty())
                side.row(action->iconText(), keysText(*action));
        if (group.actions.contains(actions.open))
            side.row(tr("Recent file 1 to 9"), tr("Ctrl+1 to Ctrl+9"));
    }
    table.title(tr("Mouse on the canvas"));
    const QList<Row> mouse{{tr("Zoom at the cursor"), tr("Wheel")},
                           {tr("Previous, next slice"), tr("Ctrl+wheel")},
                           {tr("Pan"), tr("Left drag")},
                           {tr("Mark a pixel; in the wall: go to the channel"), tr("Click")}};
    for (const auto& [what, how] : mouse)
        table.row(what, how);
    auto* note = new QLabel(tr("Single keys act while no text, table or tree has the focus."), this);
    note->setAccessibleName(note->text());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    auto* sides = new QHBoxLayout;
    sides->setSpacing(40);
    sides->addWidget(left, 1, Qt::AlignTop);
    sides->addWidget(right, 1, Qt::AlignTop);
    column->addLayout(sides);
    column->addWidget(note);
    column->addWidget(buttons);
}

} // namespace ui

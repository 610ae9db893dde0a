// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout_editor.h"

#include "core/error.h"
#include "ui/number_text.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <algorithm>
#include <array>
#include <limits>

namespace ui {
namespace {

using core::AxisRole;

/// Some eight axes; more scroll.
constexpr int mostRowsHeight = 280;

constexpr std::array roles{AxisRole::batch,  AxisRole::channel, AxisRole::depth, AxisRole::row,
                           AxisRole::column, AxisRole::tokens,  AxisRole::held};

/// Whether two roles exclude each other: the same one, or the two that lie across the picture.
bool exclude(AxisRole a, AxisRole b)
{
    const auto across = [](AxisRole role) { return role == AxisRole::column || role == AxisRole::tokens; };
    return a != AxisRole::held && (a == b || (across(a) && across(b)));
}

core::Selection selectionOf(core::Layout layout, const core::Selection& before)
{
    core::Selection selection = core::Selection::all(std::move(layout));
    for (std::size_t axis = 0; axis < selection.fixed.size() && axis < before.fixed.size(); ++axis)
        if (selection.layout.roles[axis] == AxisRole::held && before.fixed[axis])
            selection.fixed[axis] = before.fixed[axis];
    return selection;
}

} // namespace

LayoutEditor::LayoutEditor(QWidget* parent) : QPushButton(parent)
{
    setAccessibleName(tr("Layout"));
    setToolTip(tr("Layout: which axis is batch, channel, depth, row, column"));
    auto* menu = new QMenu(this);
    m_panel = new QWidgetAction(menu);
    m_panel->setDefaultWidget(makePanel());
    menu->addAction(m_panel);
    setMenu(menu);
    // The menu takes the focus when it appears; after that the letters can be typed at once.
    connect(menu, &QMenu::aboutToShow, this, [this] {
        QTimer::singleShot(0, m_letters, [this] {
            m_letters->setFocus(Qt::PopupFocusReason);
            m_letters->selectAll();
        });
    });
    clear();
}

QWidget* LayoutEditor::makePanel()
{
    auto* panel = new QWidget(this);
    auto* label = new QLabel(tr("Letters, one per axis"), panel);
    m_letters = new QLineEdit(panel);
    m_letters->setAccessibleName(tr("Layout letters"));
    m_letters->setToolTip(tr("N batch, C channel, D depth, H row, W column, L tokens, - held"));
    label->setBuddy(m_letters);
    m_problem = new QLabel(panel);
    m_problem->setAccessibleName(tr("What is wrong with the letters"));
    m_problem->setWordWrap(true);
    m_problem->setFixedWidth(280);
    m_problem->hide();
    m_rows = new QWidget;
    m_scroll = new QScrollArea(panel);
    m_scroll->setWidget(m_rows);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_rows->setAutoFillBackground(false);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(12, 8, 12, 8);
    column->addWidget(label);
    column->addWidget(m_letters);
    column->addWidget(m_problem);
    column->addWidget(m_scroll);
    connect(m_letters, &QLineEdit::textEdited, this, &LayoutEditor::takeLetters);
    return panel;
}

void LayoutEditor::setTensor(const core::Shape& shape, const core::Selection& selection)
{
    const bool otherShape = shape != m_shape || std::ssize(shape) != m_roles.size();
    m_shape = shape;
    m_selection = selection;
    if (otherShape)
        fillRows();
    showSelection();
    setEnabled(!shape.empty());
    setVisible(true);
}

void LayoutEditor::clear()
{
    m_shape.clear();
    m_selection = {};
    setVisible(false);
}

void LayoutEditor::fillRows()
{
    delete m_rows->layout();
    qDeleteAll(m_rows->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    m_roles.clear();
    m_indices.clear();
    auto* grid = new QGridLayout(m_rows);
    grid->setContentsMargins({});
    const std::array names{tr("N  batch"),  tr("C  channel"), tr("D  depth"),  tr("H  row"),
                           tr("W  column"), tr("L  tokens"),  tr("-  held at")};
    for (int axis = 0; axis < std::ssize(m_shape); ++axis) {
        auto* name = new QLabel(tr("axis %1 of %2").arg(axis).arg(countText(m_shape[static_cast<std::size_t>(axis)])), m_rows);
        auto* role = new QComboBox(m_rows);
        for (const QString& text : names)
            role->addItem(text);
        role->setAccessibleName(tr("Role of axis %1").arg(axis));
        role->setToolTip(tr("What axis %1 means").arg(axis));
        auto* index = new QSpinBox(m_rows);
        const std::int64_t last = m_shape[static_cast<std::size_t>(axis)] - 1;
        index->setRange(0, static_cast<int>(std::clamp<std::int64_t>(last, 0, std::numeric_limits<int>::max())));
        index->setKeyboardTracking(false);
        index->setAccessibleName(tr("Index of held axis %1").arg(axis));
        index->setToolTip(tr("The index at which axis %1 is held").arg(axis));
        grid->addWidget(name, axis, 0);
        grid->addWidget(role, axis, 1);
        grid->addWidget(index, axis, 2);
        connect(role, &QComboBox::activated, this,
                [this, axis](int choice) { takeRole(axis, roles[static_cast<std::size_t>(choice)]); });
        connect(index, &QSpinBox::valueChanged, this, [this, axis](int value) { takeIndex(axis, value); });
        m_roles.append(role);
        m_indices.append(index);
    }
}

void LayoutEditor::showSelection()
{
    const QString letters = QString::fromStdString(m_selection.layout.letters());
    setText(letters.isEmpty() ? tr("scalar") : letters);
    if (m_letters->text() != letters)
        m_letters->setText(letters);
    m_problem->hide();
    for (int axis = 0; axis < m_roles.size(); ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        const AxisRole role = m_selection.layout.roles[at];
        m_roles[axis]->setCurrentIndex(static_cast<int>(std::ranges::find(roles, role) - roles.begin()));
        const QSignalBlocker blocker(m_indices[axis]);
        m_indices[axis]->setValue(static_cast<int>(m_selection.fixed[at].value_or(0)));
        m_indices[axis]->setVisible(role == AxisRole::held);
    }
    fitPanel();
}

void LayoutEditor::fitPanel()
{
    if (m_rows->layout())
        m_rows->layout()->activate();
    const QSize rows = m_rows->sizeHint();
    const int height = std::min(rows.height(), mostRowsHeight);
    const int bar = height < rows.height() ? m_scroll->verticalScrollBar()->sizeHint().width() : 0;
    m_scroll->setFixedHeight(height);
    m_scroll->setMinimumWidth(rows.width() + bar);
    QWidget* panel = m_panel->defaultWidget();
    panel->layout()->activate();
    // The menu measures what it holds again when the action changes.
    m_panel->setData(panel->sizeHint());
}

void LayoutEditor::takeLetters(const QString& letters)
{
    try {
        change(
            selectionOf(core::Layout::parse(letters.toUpper().toStdString(), static_cast<int>(m_shape.size())), m_selection));
    } catch (const core::Error& error) {
        m_problem->setText(QString::fromUtf8(error.what()));
        m_problem->show();
        fitPanel();
    }
}

void LayoutEditor::takeRole(int axis, AxisRole role)
{
    core::Layout layout = m_selection.layout;
    const AxisRole before = layout.roles[static_cast<std::size_t>(axis)];
    // Whoever had the role takes the one that becomes free: the layout stays valid.
    for (AxisRole& other : layout.roles)
        if (exclude(other, role))
            other = before;
    layout.roles[static_cast<std::size_t>(axis)] = role;
    change(selectionOf(std::move(layout), m_selection));
}

void LayoutEditor::takeIndex(int axis, std::int64_t index)
{
    core::Selection selection = m_selection;
    selection.fixed[static_cast<std::size_t>(axis)] = index;
    change(std::move(selection));
}

void LayoutEditor::change(core::Selection selection)
{
    const bool other = !(selection == m_selection);
    m_selection = std::move(selection);
    showSelection();
    if (other)
        Q_EMIT selectionChanged(m_selection);
}

} // namespace ui

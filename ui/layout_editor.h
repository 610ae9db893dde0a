// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout.h"
#include "core/tensor.h"

#include <QPushButton>

class QComboBox;
class QLabel;
class QLineEdit;
class QScrollArea;
class QSpinBox;
class QWidgetAction;

namespace ui {

/// Which axis means what: shows the layout's letters, edits them (and the index of held axes) in a panel that drops down. Every
/// valid change is emitted at once.
class LayoutEditor : public QPushButton
{
    Q_OBJECT
public:
    explicit LayoutEditor(QWidget* parent = nullptr);

    /// Emits nothing.
    void setTensor(const core::Shape& shape, const core::Selection& selection);
    void clear();
    const core::Selection& selection() const { return m_selection; }

Q_SIGNALS:
    void selectionChanged(const core::Selection& selection);

private:
    QWidget* makePanel();
    void fillRows();
    void showSelection();
    /// Makes the panel as large as what it holds.
    void fitPanel();
    void takeLetters(const QString& letters);
    void takeRole(int axis, core::AxisRole role);
    void takeIndex(int axis, std::int64_t index);
    void change(core::Selection selection);

    core::Shape m_shape;
    core::Selection m_selection;
    QLineEdit* m_letters = nullptr;
    QLabel* m_problem = nullptr;
    QScrollArea* m_scroll = nullptr;
    QWidget* m_rows = nullptr;
    QWidgetAction* m_panel = nullptr;
    QList<QComboBox*> m_roles;
    QList<QSpinBox*> m_indices;
};

} // namespace ui

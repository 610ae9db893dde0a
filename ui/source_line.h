// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QMenuBar;

namespace ui {

class LayoutEditor;
class ReadOut;
struct TensorSummary;

/// The window's first line: menus at the left; at the right where the tensor comes from, its dtype, shape and layout.
class SourceLine : public QWidget
{
    Q_OBJECT
public:
    explicit SourceLine(QWidget* parent = nullptr);

    QMenuBar* menus() const { return m_menus; }
    LayoutEditor* layoutEditor() const { return m_layout; }
    void setTensor(const TensorSummary& tensor);
    /// What is shown is of an earlier input of its model.
    void setOutdated(bool outdated);
    void clear();

private:
    QMenuBar* m_menus;
    QString m_pathText;
    ReadOut* m_path;
    ReadOut* m_type;
    LayoutEditor* m_layout;
};

} // namespace ui

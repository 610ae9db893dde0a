// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/input_panel.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ui {

/// A picture as wide as the panel, in its own proportions.
class InputPicture : public QWidget
{
public:
    explicit InputPicture(QWidget* parent = nullptr);

    /// Null hides it.
    void setPicture(std::shared_ptr<const core::Image> picture);
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::shared_ptr<const core::Image> m_picture;
};

/// What the model would get: the picture with its size, the shapes, and what does not fit with buttons that change it.
class InputPreviewView : public QWidget
{
    Q_OBJECT
public:
    explicit InputPreviewView(QWidget* parent = nullptr);

    void setHint(const QString& hint);
    void setPreview(const InputPreview& preview);
    bool hasProblem() const { return !m_problemText.isEmpty(); }
    const QString& problem() const { return m_problemText; }
    const std::vector<QPushButton*>& fixButtons() const { return m_fixes; }
    /// The part that tells the problem.
    QWidget* problemPart() const;
    /// The problem with its buttons, to be placed where it is seen at once; hidden while there is neither.
    QWidget* problemBox() const { return m_problemBox; }

Q_SIGNALS:
    void fixChosen(const ui::InputChoice& choice);

private:
    void setFixes(const std::vector<InputFix>& fixes);

    InputPicture* m_picture;
    QLabel* m_size;
    QLabel* m_given;
    QLabel* m_hint;
    QWidget* m_problemBox;
    QLabel* m_problem;
    QVBoxLayout* m_fixRows;
    QString m_problemText;
    std::vector<QPushButton*> m_fixes;
};

} // namespace ui

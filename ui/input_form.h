// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/input_panel.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;

namespace ui {

/// What is done to pictures and tensors on their way into the model: resize, crop, scale, mean and std, axes, dtype.
class InputForm : public QWidget
{
    Q_OBJECT
public:
    explicit InputForm(QWidget* parent = nullptr);

    /// Shows all but the arguments of a choice. Emits nothing.
    void setChoice(const InputChoice& choice);
    /// Whether the rows for pictures are shown. What is not shown is not applied.
    void setTakesPictures(bool takes);
    /// Tells beside "automatic" which scaling that is; empty: not known.
    void setAutomaticScale(const QString& word);
    /// Writes all but the arguments into a choice.
    void apply(InputChoice& choice) const;

Q_SIGNALS:
    /// A letter changed; more are likely to follow.
    void typed();
    /// Something was chosen, or typing ended.
    void chosen();

private:
    QComboBox* makeSize(const QStringList& sizes, const QString& name, const QString& tip);
    QComboBox* makeBox(const QString& first, const QStringList& words, const QString& name, const QString& tip);
    QLineEdit* makeValues(const QString& name, const QString& tip);

    bool m_takesPictures = true;
    QFormLayout* m_rows;
    QComboBox* m_resize;
    QComboBox* m_crop;
    QComboBox* m_preset;
    QLineEdit* m_mean;
    QLineEdit* m_std;
    QComboBox* m_layoutIn;
    QComboBox* m_dtype;
};

} // namespace ui

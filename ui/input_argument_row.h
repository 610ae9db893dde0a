// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/input_panel.h"

#include <QWidget>

#include <array>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QToolButton;

namespace ui {

/// One argument of a model: for tensors where the values come from, with a file or shape; for others a field with the value.
class InputArgumentRow : public QWidget
{
    Q_OBJECT
public:
    explicit InputArgumentRow(const InputArgument& argument, QWidget* parent = nullptr);

    /// Emits nothing. A choice of another argument is taken as none.
    void setChoice(const ArgumentChoice& choice);
    ArgumentChoice choice() const;
    bool takesTensors() const { return m_argument.takesTensors; }
    /// Takes tensors and has no default.
    bool isNeeded() const { return m_argument.takesTensors && m_argument.required; }
    /// The source becomes File. Emits nothing.
    void setFiles(const QStringList& files);

Q_SIGNALS:
    /// A letter changed; more are likely to follow.
    void typed();
    /// Something was chosen, or typing ended.
    void chosen();
    /// Files were dropped and are the choice now.
    void filesDropped();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using Kind = ArgumentChoice::Kind;

    void buildTensor();
    void buildFlag();
    void buildValue();
    QWidget* makeField();
    QWidget* makeLines();
    void browse();
    void chooseSource();
    Kind source() const;
    void setSource(Kind kind);
    QString text() const;
    void setText(const QString& text);
    /// Field and button in line with the source.
    void adapt();

    const InputArgument m_argument;
    QComboBox* m_source = nullptr;
    QLineEdit* m_field = nullptr;
    QPlainTextEdit* m_lines = nullptr;
    QToolButton* m_browse = nullptr;
    QCheckBox* m_flag = nullptr;
    /// The flag stands for a value given, not for the default.
    bool m_flagGiven = false;
    /// The source whose text is in the field, and the texts of all, so that going back brings a text back.
    Kind m_shown = Kind::file;
    std::array<QString, 5> m_texts;
};

} // namespace ui

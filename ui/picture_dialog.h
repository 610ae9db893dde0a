// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QCheckBox;
class QComboBox;

namespace ui {

/// Asks how a picture is to be exported: its size, and whether colour bar and legend go with it. Remembers the choices.
class PictureDialog : public QDialog
{
    Q_OBJECT
public:
    /// `dataSize`: size of the picture at data resolution.
    PictureDialog(QSize dataSize, QWidget* parent);

    /// Pixels per value along each side; 0: as on the screen.
    int scale() const;
    bool hasColorBar() const;
    bool hasLegend() const;

private:
    void remember() const;

    QComboBox* m_size;
    QCheckBox* m_colorBar;
    QCheckBox* m_legend;
};

} // namespace ui

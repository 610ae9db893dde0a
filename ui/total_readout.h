// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

namespace ui {

/// The total in two lines, "2,041 hot   4.07 %" over "of 50,176 elements, exact". Painted, not laid out: it changes at every
/// step of a drag.
class TotalReadout : public QWidget
{
    Q_OBJECT
    Q_PROPERTY(QString text READ text)
public:
    explicit TotalReadout(QWidget* parent = nullptr);

    void setTotal(std::int64_t count, std::int64_t elements, bool exact);
    void clear();
    /// All of it as one sentence: "2,041 hot of 50,176, 4.07 %, exact".
    QString text() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_count;
    QString m_percent;
    QString m_elements;
    bool m_exact = true;
};

} // namespace ui

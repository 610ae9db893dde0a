// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace ui {

/// One line of text in a place of fixed size: changing the text never lays anything out again, what does not fit is elided, and
/// the whole text is the tooltip then.
class ReadOut : public QWidget
{
    Q_OBJECT
public:
    explicit ReadOut(QWidget* parent = nullptr);

    const QString& text() const { return m_text; }
    void setText(const QString& text);
    /// Room for `characters` digits: the preferred width. The minimum is a third of it.
    void setRoom(int characters);
    void setAlignment(Qt::Alignment alignment);
    void setElideMode(Qt::TextElideMode mode);
    /// Drawn as explanation rather than statement.
    void setQuiet(bool quiet);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString m_text;
    int m_room = 12;
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
    Qt::TextElideMode m_elide = Qt::ElideRight;
    bool m_quiet = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QObject>
#include <QPalette>

class QDBusVariant;

namespace ui {

/// Which colours the window wears: the desktop's wish, or always light or dark.
enum class ThemeChoice { system, light, dark };

/// Palettes of the two themes: neutral greys and one accent colour (QPalette::Highlight, QPalette::Link).
QPalette lightPalette();
QPalette darkPalette();
/// Whether a palette is a dark one.
bool isDark(const QPalette& palette);

/// Colours that QPalette has no role for, to go with a palette.
struct ThemeColors
{
    /// Ground of the canvas, neutral in every theme so that it does not tint the data.
    QColor canvas;
    /// The two greys of the checkerboard behind transparent pixels.
    QColor checkerLight;
    QColor checkerDark;
    /// Thin lines between parts.
    QColor hairline;
    /// Text that explains rather than states.
    QColor quietText;
    QColor information;
    QColor warning;
    QColor error;
};
ThemeColors themeColors(const QPalette& palette);

/// Dresses the whole application: Fusion style, our palettes, DejaVu Sans 13 px. With ThemeChoice::system it asks the desktop
/// portal (org.freedesktop.appearance color-scheme) without waiting and follows its changes.
class Theme : public QObject
{
    Q_OBJECT
public:
    explicit Theme(QObject* parent = nullptr);

    ThemeChoice choice() const { return m_choice; }
    void choose(ThemeChoice choice);

private Q_SLOTS:
    void onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void askDesktop();
    void apply();

    ThemeChoice m_choice = ThemeChoice::system;
    bool m_systemDark = false;
    bool m_appliedDark = false;
    bool m_applied = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include "ui/instrument_style.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>
#include <QFont>

namespace ui {
namespace {

struct Shades
{
    QRgb window, base, alternate, button, text, quiet, disabled, accent, link, light, midlight, mid, dark, shadow, tip;
};

QPalette paletteOf(const Shades& s)
{
    QPalette p;
    const auto set = [&p](QPalette::ColorRole role, QRgb color) { p.setColor(QPalette::All, role, QColor(color)); };
    set(QPalette::Window, s.window);
    set(QPalette::WindowText, s.text);
    set(QPalette::Base, s.base);
    set(QPalette::AlternateBase, s.alternate);
    set(QPalette::Text, s.text);
    set(QPalette::Button, s.button);
    set(QPalette::ButtonText, s.text);
    set(QPalette::BrightText, s.text);
    set(QPalette::PlaceholderText, s.quiet);
    set(QPalette::Highlight, s.accent);
    set(QPalette::HighlightedText, 0xffffff);
    set(QPalette::Link, s.link);
    set(QPalette::LinkVisited, s.link);
    set(QPalette::ToolTipBase, s.tip);
    set(QPalette::ToolTipText, s.text);
    set(QPalette::Light, s.light);
    set(QPalette::Midlight, s.midlight);
    set(QPalette::Mid, s.mid);
    set(QPalette::Dark, s.dark);
    set(QPalette::Shadow, s.shadow);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, QColor(s.disabled));
    p.setColor(QPalette::Disabled, QPalette::Highlight, QColor(s.mid));
    return p;
}

const auto portal = QStringLiteral("org.freedesktop.portal.Desktop");
const auto portalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const auto portalSettings = QStringLiteral("org.freedesktop.portal.Settings");
const auto appearance = QStringLiteral("org.freedesktop.appearance");
const auto colorScheme = QStringLiteral("color-scheme");

/// Asking for the session bus where there is none would start one.
bool hasSessionBus()
{
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
           QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

/// The portal wraps its value in one variant or, through Read, in two. 1 means dark.
bool prefersDark(QVariant value)
{
    while (value.userType() == qMetaTypeId<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value.toUInt() == 1;
}

} // namespace

QPalette lightPalette()
{
    return paletteOf({.window = 0xf3f4f5,
                      .base = 0xffffff,
                      .alternate = 0xf7f8f9,
                      .button = 0xf6f7f8,
                      .text = 0x1d2125,
                      .quiet = 0x646b73,
                      .disabled = 0x9ba1a8,
                      .accent = 0x2d6cb3,
                      .link = 0x2d6cb3,
                      .light = 0xffffff,
                      .midlight = 0xe9ebed,
                      .mid = 0xc3c7cb,
                      .dark = 0x9aa0a6,
                      .shadow = 0x70757a,
                      .tip = 0xffffff});
}

QPalette darkPalette()
{
    return paletteOf({.window = 0x26292d,
                      .base = 0x1d1f22,
                      .alternate = 0x222528,
                      .button = 0x32363b,
                      .text = 0xe3e5e8,
                      .quiet = 0x9da4ac,
                      .disabled = 0x70767d,
                      .accent = 0x3a76b8,
                      .link = 0x74aee6,
                      .light = 0x454a50,
                      .midlight = 0x3a3e43,
                      .mid = 0x4a4f55,
                      .dark = 0x17191b,
                      .shadow = 0x0e0f10,
                      .tip = 0x32363b});
}

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128;
}

ThemeColors themeColors(const QPalette& palette)
{
    if (isDark(palette))
        return {.canvas = QColor(0x2e2e2e),
                .checkerLight = QColor(0x6a6a6a),
                .checkerDark = QColor(0x585858),
                .hairline = QColor(0x3d4146),
                .quietText = QColor(0x9da4ac),
                .information = QColor(0x74aee6),
                .warning = QColor(0xe0b050),
                .error = QColor(0xf08074)};
    return {.canvas = QColor(0xc9c9c9),
            .checkerLight = QColor(0xf0f0f0),
            .checkerDark = QColor(0xd8d8d8),
            .hairline = QColor(0xd5d8db),
            .quietText = QColor(0x646b73),
            .information = QColor(0x2d6cb3),
            .warning = QColor(0x8a5a00),
            .error = QColor(0xb3261e)};
}

Theme::Theme(QObject* parent) : QObject(parent)
{
    apply();
    askDesktop();
}

void Theme::choose(ThemeChoice choice)
{
    m_choice = choice;
    apply();
}

void Theme::askDesktop()
{
    if (QGuiApplication::platformName() == QStringLiteral("offscreen") || !hasSessionBus())
        return;
    auto bus = QDBusConnection::sessionBus();
    bus.connect(portal, portalPath, portalSettings, QStringLiteral("SettingChanged"), this,
                SLOT(onSettingChanged(QString, QString, QDBusVariant)));
    auto question = QDBusMessage::createMethodCall(portal, portalPath, portalSettings, QStringLiteral("Read"));
    question << appearance << colorScheme;
    auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(question, 1000), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        const QDBusPendingReply<QDBusVariant> reply = *answer;
        answer->deleteLater();
        if (reply.isError())
            return;
        m_systemDark = prefersDark(QVariant::fromValue(reply.value()));
        apply();
    });
}

void Theme::onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value)
{
    if (group != appearance || key != colorScheme)
        return;
    m_systemDark = prefersDark(QVariant::fromValue(value));
    apply();
}

void Theme::apply()
{
    const bool dark = m_choice == ThemeChoice::dark || (m_choice == ThemeChoice::system && m_systemDark);
    if (!m_applied) {
        QApplication::setStyle(new InstrumentStyle);
        QFont font(QStringLiteral("DejaVu Sans"));
        font.setPixelSize(13);
        QApplication::setFont(font);
    }
    if (m_applied && dark == m_appliedDark)
        return;
    m_applied = true;
    m_appliedDark = dark;
    QApplication::setPalette(dark ? darkPalette() : lightPalette());
}

} // namespace ui

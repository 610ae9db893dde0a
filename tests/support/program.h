// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace support {

/// What a run of the program left behind.
struct Outcome
{
    /// Exit code; -1 when it crashed or did not end within a minute.
    int code = -1;
    QByteArray out;
    QByteArray err;
};

/// Environment of the tests' programs: no display, so that a command that wants one fails.
inline QProcessEnvironment withoutDisplay()
{
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const auto* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "ACTISCOPE_DEVICE"})
        environment.remove(QString::fromLatin1(name));
    return environment;
}

/// Runs the real program in a folder and waits for its end.
inline Outcome runProgram(const QStringList& arguments, const QString& folder,
                          const QProcessEnvironment& environment = withoutDisplay())
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(ACTISCOPE_PROGRAM), arguments);
    constexpr int patienceMs = 60000;
    if (!process.waitForFinished(patienceMs)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    const bool ended = process.exitStatus() == QProcess::NormalExit;
    return {ended ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace support

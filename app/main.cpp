// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "app/cli/commands.h"
#include "app/controller.h"
#include "app/driver.h"
#include "app/engines.h"
#include "app/translate.h"
#include "core/error.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <clocale>
#include <cstdio>
#include <memory>

namespace {

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

/// Settings of a run that drives itself: not the user's, and gone afterwards.
std::unique_ptr<QTemporaryDir> useOwnSettings()
{
    auto folder = std::make_unique<QTemporaryDir>();
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder->path());
    return folder;
}

/// What the offscreen platform says of its own limits is no news.
void dropPlatformWarnings(QtMsgType, const QMessageLogContext&, const QString& text)
{
    if (!text.startsWith(QLatin1String("This plugin does not support")) && !text.startsWith(QLatin1String("QStandardPaths:")))
        std::fprintf(stderr, "%s\n", qPrintable(text));
}

QStringList fileNames(const std::vector<std::string>& paths)
{
    QStringList names;
    for (const auto& path : paths)
        names.append(app::fromPath(path));
    return names;
}

int runWindow(const app::cli::WindowOptions& options)
{
    const bool drivesItself = options.selfTest || !options.benchDrag.empty();
    const auto settings = drivesItself ? useOwnSettings() : nullptr;
    ui::MainWindow window;
    app::RunnerSettings runner;
    runner.operatorLibraries.assign(options.operatorLibraries.begin(), options.operatorLibraries.end());
    // The engine tells on the worker's thread.
    const auto tell = [&window](const std::string& text) {
        QMetaObject::invokeMethod(
            &window, [&window, text] { window.showMessage(ui::Severity::warning, QString::fromStdString(text)); },
            Qt::QueuedConnection);
    };
    app::Controller controller(window, app::makeEngine("auto", tell), core::makeCpuEngine(1), std::move(runner));
    window.setMachineFunction([] {
        // The first line is the program's own name and version, which About has in large letters.
        const auto text = QString::fromStdString(app::cli::versionText());
        return text.section(QLatin1Char('\n'), 1);
    });
    window.show();
    // Keys work from the start: no list or field takes them.
    window.setFocus();
    if (options.selfTest)
        return app::runSelfTest(window, controller);
    if (!options.benchDrag.empty())
        return app::runBenchDrag(window, controller, app::fromPath(options.benchDrag));
    controller.open(fileNames(options.files), fileNames(options.inputs));
    if (!options.image.empty())
        controller.openOverlayImage(app::fromPath(options.image));
    controller.warmUpWhenIdle();
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    app::cli::WindowOptions options;
    if (const auto exitCode = app::cli::runCommandLine(argc, argv, options))
        return *exitCode;
    if (options.selfTest || !options.benchDrag.empty()) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(dropPlatformWarnings);
    }
    if (!hasDisplay()) {
        std::fputs("error: there is no display for the window (DISPLAY and WAYLAND_DISPLAY are not set); "
                   "actiscope --help lists what works without one\n",
                   stderr);
        return 1;
    }
    // Numbers have a point in every locale.
    QLocale::setDefault(QLocale::c());
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setOrganizationName(QStringLiteral("actiscope"));
    QApplication::setApplicationName(QStringLiteral("actiscope"));
    QApplication::setApplicationVersion(QStringLiteral(ACTISCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("actiscope"));
    try {
        return runWindow(options);
    } catch (const core::Error& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}

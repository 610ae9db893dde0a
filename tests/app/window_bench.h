// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/controller.h"
#include "core/io/write.h"
#include "ui/main_window.h"
#include "ui/message_bar.h"

#include <QAction>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <random>

namespace support {

/// Settings of the test alone. Make one before any window.
class OwnSettings
{
public:
    OwnSettings()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("actiscope"));
        QCoreApplication::setApplicationName(QStringLiteral("actiscope"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }

private:
    QTemporaryDir m_folder;
};

/// The real window with the real controller on an engine.
struct WindowBench
{
    ui::MainWindow window;
    app::Controller controller;
    QTemporaryDir folder;
    std::shared_ptr<const core::Frame> frame;

    explicit WindowBench(std::unique_ptr<const core::Engine> engine,
                         std::unique_ptr<const core::Engine> background = core::makeCpuEngine(1),
                         app::RunnerSettings runner = {})
        : controller(window, std::move(engine), std::move(background), std::move(runner))
    {
        QObject::connect(&controller, &app::Controller::frameShown, &window,
                         [this](std::shared_ptr<const core::Frame> shown) { frame = std::move(shown); });
        window.resize(1280, 800);
        window.show();
    }

    QString path(const char* name) const { return folder.filePath(QString::fromUtf8(name)); }
    QString message() const { return window.findChild<ui::MessageBar*>()->text(); }
    /// Whether nothing moves any more and the newest request is answered.
    bool isSettled() const
    {
        return controller.isIdle() &&
               (!controller.worker().current() || (frame && frame->request.number == controller.worker().lastNumber()));
    }
    /// Name of the entry shown, or empty.
    std::string entry() const
    {
        const auto current = controller.worker().current();
        return current ? current->choice.entry->name : std::string();
    }
    /// Triggers the action whose text (without & and dots) is this.
    void trigger(const char* text)
    {
        for (auto* action : window.findChildren<QAction*>()) {
            auto name = action->text();
            name.remove(u'&').remove(QChar(0x2026));
            if (name == QString::fromUtf8(text)) {
                action->trigger();
                return;
            }
        }
        QFAIL(qPrintable(QStringLiteral("no action ") + QString::fromUtf8(text)));
    }
};

/// Normal float32 numbers from a seed.
inline std::vector<float> normalNumbers(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(count);
    for (auto& number : numbers)
        number = normal(random);
    return numbers;
}

/// Writes numbers as .npy.
inline void writeFloats(const QString& file, const core::Shape& shape, const std::vector<float>& numbers)
{
    core::io::writeNpy(file.toStdString(), core::Tensor::fromValues(core::DType::f32, shape, numbers));
}

} // namespace support

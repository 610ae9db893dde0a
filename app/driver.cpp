// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/driver.h"

#include "core/error.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QTimer>

#include <optional>
#include <variant>

namespace app {

namespace {

/// The event loop until `done` says so; throws core::Error on an error in the window and after a minute.
template <class Sender, class Signal>
void waitFor(Controller& controller, const Sender& sender, Signal signal, const std::function<bool()>& done)
{
    QEventLoop loop;
    std::optional<QString> problem;
    const auto fail = [&](const QString& message) {
        problem = message;
        loop.quit();
    };
    QObject::connect(&controller, &Controller::failed, &loop, fail);
    QTimer::singleShot(std::chrono::minutes(1), &loop, [&] { fail(QStringLiteral("The window did not answer for a minute")); });
    QObject::connect(&sender, signal, &loop, [&] {
        if (done())
            loop.quit();
    });
    loop.exec();
    if (problem)
        throw core::Error(problem->toStdString());
}

double toDouble(const core::Scalar& value)
{
    return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

} // namespace

std::shared_ptr<const core::Frame> Driver::frameAfter(const std::function<void()>& start)
{
    std::shared_ptr<const core::Frame> shown;
    const auto connection = QObject::connect(&m_controller, &Controller::frameShown, &m_controller,
                                             [&](std::shared_ptr<const core::Frame> frame) { shown = std::move(frame); });
    start();
    waitFor(m_controller, m_controller, &Controller::frameShown,
            [&] { return shown && shown->request.number == m_controller.worker().lastNumber(); });
    QObject::disconnect(connection);
    // What the frame changed is painted by events that are waiting now.
    QCoreApplication::processEvents();
    return shown;
}

void Driver::waitForIndex()
{
    if (!m_controller.worker().isIndexed())
        waitFor(m_controller, m_controller.worker(), &AnalysisWorker::indexed, [] { return true; });
}

std::shared_ptr<const core::Frame> Driver::dragTo(double threshold)
{
    const auto before = m_controller.worker().lastNumber();
    m_window.dragThreshold(threshold);
    if (m_controller.worker().lastNumber() == before)
        return nullptr;
    return frameAfter([] {});
}

double Driver::thresholdAt(double part) const
{
    const auto& total = m_controller.worker().current()->total;
    if (!total.min || !total.max)
        throw core::Error("The tensor has no finite value to drag a threshold over");
    return toDouble(*total.min) * (1 - part) + toDouble(*total.max) * part;
}

} // namespace app

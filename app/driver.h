// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/controller.h"

#include <chrono>
#include <functional>

namespace app {

/// Drives a window from outside, for --self-test and --bench-drag.
class Driver
{
public:
    Driver(ui::MainWindow& window, Controller& controller) : m_window(window), m_controller(controller) {}

    /// Runs `start`, then the event loop until the frame of the newest request is shown and painted. Throws core::Error when
    /// the window shows an error or nothing comes for a minute.
    std::shared_ptr<const core::Frame> frameAfter(const std::function<void()>& start);
    /// The event loop until the index of the tensor is there.
    void waitForIndex();
    /// Drags the threshold; the frame that answers, or null where it stands there already.
    std::shared_ptr<const core::Frame> dragTo(double threshold);
    /// A threshold at part 0 to 1 of the way from the least to the greatest value.
    double thresholdAt(double part) const;

private:
    ui::MainWindow& m_window;
    Controller& m_controller;
};

/// --self-test: shows the sample in the window, drags the threshold, compares what comes. Returns the exit code; says on stderr
/// what went wrong.
int runSelfTest(ui::MainWindow& window, Controller& controller);

/// --bench-drag: shows a file, drags the threshold over its range, prints times in ms and the peak of memory. Every step lasts
/// until all parts of the window have been updated and painted. Returns the exit code.
int runBenchDrag(ui::MainWindow& window, Controller& controller, const QString& file);

} // namespace app

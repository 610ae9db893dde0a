// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/driver.h"
#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace app {

namespace {

constexpr int warmUpSteps = 10;
constexpr int steps = 200;

double nowMs()
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// When the kernel started this process, on the clock of nowMs(), to 10 ms (proc(5), /proc/pid/stat field 22).
double processStartMs()
{
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    // The name in parentheses may hold anything.
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string field;
    constexpr int fieldAfterName = 3;
    for (int i = fieldAfterName; i <= 22; ++i)
        fields >> field;
    return std::stod(field) * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Greatest resident size so far, in MB (10^6 bytes).
double peakMemory()
{
    std::ifstream file("/proc/self/status");
    std::string line;
    while (std::getline(file, line))
        if (line.rfind("VmHWM:", 0) == 0)
            return std::stod(line.substr(6)) * 1024 / 1e6;
    return std::numeric_limits<double>::quiet_NaN();
}

void bench(ui::MainWindow& window, Controller& controller, const QString& file)
{
    Driver driver(window, controller);
    const double opened = nowMs();
    driver.frameAfter([&] { controller.open({file}); });
    const double shown = nowMs();
    std::printf("first picture %.0f ms, %.0f ms after the file was opened\n", shown - processStartMs(), shown - opened);
    driver.waitForIndex();
    std::printf("index ready %.0f ms\n", nowMs() - processStartMs());
    std::vector<double> times;
    for (int i = -warmUpSteps; static_cast<int>(times.size()) < steps && i < 10 * steps; ++i) {
        // Up and down over most of the range, a little further each time, as a hand does.
        const double part = 0.5 + 0.45 * std::sin(i * 0.0437);
        const double start = nowMs();
        const bool moved = driver.dragTo(driver.thresholdAt(part)) != nullptr;
        if (moved && i >= 0)
            times.push_back(nowMs() - start);
    }
    window.endDrag();
    if (times.empty())
        throw core::Error("The threshold cannot be dragged: all values are equal");
    std::sort(times.begin(), times.end());
    const auto at = [&](double part) { return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))]; };
    std::printf("p50 %.2f ms\np95 %.2f ms\nmax %.2f ms\npeak memory %.0f MB\n", at(0.5), at(0.95), at(1), peakMemory());
}

} // namespace

int runBenchDrag(ui::MainWindow& window, Controller& controller, const QString& file)
{
    try {
        bench(window, controller, file);
        return 0;
    } catch (const core::Error& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}

} // namespace app

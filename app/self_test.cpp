// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/driver.h"
#include "core/error.h"

#include <cstdio>

namespace app {

namespace {

void require(bool truth, const char* what)
{
    if (!truth)
        throw core::Error(what);
}

void test(ui::MainWindow& window, Controller& controller)
{
    Driver driver(window, controller);
    auto frame = driver.frameAfter([&] { controller.openSample(); });
    require(frame->picture && frame->picture->width > 0, "the sample gave no picture");
    driver.waitForIndex();
    std::int64_t last = frame->elements;
    for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9}) {
        const auto next = driver.dragTo(driver.thresholdAt(part));
        if (!next)
            continue;
        require(next->count <= last, "a higher threshold gave more hot elements");
        std::int64_t sum = 0;
        for (const auto count : *next->counts)
            sum += count;
        require(sum == next->count, "the channels' counts do not add up to the total");
        last = next->count;
    }
    require(last < frame->elements, "dragging the threshold changed nothing");
    window.endDrag();
}

} // namespace

int runSelfTest(ui::MainWindow& window, Controller& controller)
{
    try {
        test(window, controller);
        return 0;
    } catch (const core::Error& error) {
        std::fprintf(stderr, "error: self-test: %s\n", error.what());
        return 1;
    }
}

} // namespace app

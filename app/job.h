// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <chrono>
#include <functional>

namespace app {

/// A job whose progress is passed on at most ten times a second, first after a tenth: short work shows no progress at all.
inline core::Job makeJob(const std::stop_token& stop, std::function<void(double)> progress)
{
    using Clock = std::chrono::steady_clock;
    core::Job job;
    job.stop = stop;
    job.progress = [progress = std::move(progress), last = Clock::now()](double done) mutable {
        if (Clock::now() - last < std::chrono::milliseconds(100))
            return;
        last = Clock::now();
        progress(done);
    };
    return job;
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

#include <functional>
#include <stop_token>

namespace core {

/// How a long job reports and obeys. Passed by value; both parts may be left empty.
struct Job
{
    /// Stopped within 50 ms of a request; the work then throws Cancelled.
    std::stop_token stop;
    /// Called now and then with the part done, 0 to 1, always on the thread that called the job.
    std::function<void(double)> progress;

    /// Throws Cancelled once a stop was requested.
    void check() const
    {
        if (stop.stop_requested())
            throw Cancelled{};
    }
    /// Reports `done` (0 to 1) and checks for a stop.
    void report(double done) const
    {
        check();
        if (progress)
            progress(done);
    }
};

} // namespace core

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace core {

/// A failure told to people: one sentence that names the file or layer, what is wrong, where, and what to do.
class Error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// A request that makes no sense as written (unparsable condition, wrong count of layout letters, ambiguous tensor).
/// The command line exits with 2 for it, with 1 for any other Error.
class UsageError : public Error
{
public:
    using Error::Error;
};

/// Thrown when a stop token asked the work to end. Never shown to anyone; not an Error.
struct Cancelled
{
};

} // namespace core

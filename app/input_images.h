// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/arguments.h"
#include "core/render/image.h"

#include <memory>

namespace app {

/// What a model got, to be looked at.
struct InputImages
{
    /// The first picture among the arguments, its values spread over black to white; null when there is none.
    std::shared_ptr<const core::Image> given;
    /// The picture file it was made from, as it is; null for tensors.
    std::shared_ptr<const core::Image> original;
};

/// Reads every pixel: not for the window's thread. `withOriginal`: also the picture file.
InputImages inputImages(const PreparedArguments& arguments, bool withOriginal);

} // namespace app

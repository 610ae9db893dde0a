// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/quantized.h"
#include "core/io/torch_views.h"

namespace core::io {

/// Scales and zero points of a quantized tensor, from the parameters that PyTorch pickles with it. Throws Error (see
/// TorchViews::fail) for what is no quantizer of the view.
Quantizer quantizerOf(const PickleValue& parameters, const TorchView& view, const TorchViews& views);

} // namespace core::io

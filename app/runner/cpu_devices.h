// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace torch::jit {
struct Block;
} // namespace torch::jit

namespace runner {

/// Points what a program moves to CUDA to the CPU instead: device constants, device names, `x.cuda()`. They are written into
/// the code of models traced or scripted on a GPU, and no mapping at loading reaches them.
void useCpuDevices(torch::jit::Block* block);

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace torch::jit {
struct Node;
} // namespace torch::jit

namespace runner {

class ModulePaths;

/// Replaces `m: Interface = self.layers[i]; m.forward(x)` by a chain `if i == 0: self.layers.0.forward(x) else: ...`, so that
/// each call has a module of a known name. The indexing itself stays and fails as before. Answers the first new node, or null
/// when the call is of another kind.
torch::jit::Node* splitContainerCall(torch::jit::Node* call, const ModulePaths& paths);

} // namespace runner

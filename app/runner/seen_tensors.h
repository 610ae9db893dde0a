// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/TensorBody.h>
#include <c10/util/intrusive_ptr.h>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace runner {

/// Remembers what was told of tensors without keeping their memory alive.
class SeenTensors
{
public:
    struct Told
    {
        nlohmann::json value;
        std::vector<std::string> notes;
    };

    /// What was told of this very tensor, or null: it must be the same object, and nothing may have written to it since
    /// (LibTorch counts in-place operations) or changed its view.
    const Told* find(const at::Tensor& tensor) const;
    void add(const at::Tensor& tensor, Told told);

private:
    struct Seen
    {
        c10::weak_intrusive_ptr<c10::TensorImpl> tensor;
        std::int64_t version;
        const void* data;
        std::vector<std::int64_t> sizes;
        std::vector<std::int64_t> strides;
        Told told;
    };

    std::unordered_map<const c10::TensorImpl*, Seen> m_seen;
};

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/seen_tensors.h"

#include <ATen/ATen.h>

namespace runner {
namespace {

/// Only plain tensors can be told to be unchanged.
bool canBeFollowed(const at::Tensor& tensor)
{
    return tensor.layout() == at::kStrided && !tensor.is_inference() && !tensor.is_nested() && !tensor.is_quantized() &&
           tensor.has_storage();
}

} // namespace

const SeenTensors::Told* SeenTensors::find(const at::Tensor& tensor) const
{
    const auto found = m_seen.find(tensor.unsafeGetTensorImpl());
    if (found == m_seen.end())
        return nullptr;
    const Seen& seen = found->second;
    // Another tensor may have come to lie at the address of one that is gone.
    if (seen.tensor.expired() || seen.version != tensor._version() || seen.data != tensor.const_data_ptr() ||
        tensor.sizes() != seen.sizes || tensor.strides() != seen.strides)
        return nullptr;
    return &seen.told;
}

void SeenTensors::add(const at::Tensor& tensor, Told told)
{
    if (!canBeFollowed(tensor))
        return;
    Seen seen{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()),
              tensor._version(),
              tensor.const_data_ptr(),
              tensor.sizes().vec(),
              tensor.strides().vec(),
              std::move(told)};
    m_seen.insert_or_assign(tensor.unsafeGetTensorImpl(), std::move(seen));
}

} // namespace runner

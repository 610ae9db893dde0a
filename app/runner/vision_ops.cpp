// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/vision_ops.h"

#include "app/runner/vision_kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <algorithm>
#include <string>
#include <torch/library.h>
#include <vector>

namespace runner {

namespace {

template <typename T>
struct Box
{
    T left, top, right, bottom, area;
};

template <typename T>
std::vector<Box<T>> readBoxes(const at::Tensor& boxes)
{
    std::vector<Box<T>> result;
    result.reserve(static_cast<std::size_t>(boxes.size(0)));
    const T* corner = boxes.const_data_ptr<T>();
    for (std::int64_t i = 0; i < boxes.size(0); ++i, corner += 4)
        result.push_back({corner[0], corner[1], corner[2], corner[3], (corner[2] - corner[0]) * (corner[3] - corner[1])});
    return result;
}

template <typename T>
bool overlap(const Box<T>& a, const Box<T>& b, double threshold)
{
    const T width = std::max(T(0), std::min(a.right, b.right) - std::max(a.left, b.left));
    const T height = std::max(T(0), std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
    const T both = width * height;
    return both / (a.area + b.area - both) > threshold;
}

template <typename T>
std::vector<std::int64_t> keptBoxes(const std::vector<Box<T>>& boxes, const std::int64_t* order, double threshold)
{
    std::vector<std::int64_t> kept;
    std::vector<bool> gone(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto best = static_cast<std::size_t>(order[i]);
        if (gone[best])
            continue;
        kept.push_back(order[i]);
        for (std::size_t j = i + 1; j < boxes.size(); ++j) {
            const auto other = static_cast<std::size_t>(order[j]);
            if (!gone[other] && overlap(boxes[best], boxes[other], threshold))
                gone[other] = true;
        }
    }
    return kept;
}

} // namespace

at::Tensor nms(const at::Tensor& boxes, const at::Tensor& scores, double threshold)
{
    TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "nms: boxes must be [N, 4], not ", boxes.sizes());
    TORCH_CHECK(scores.dim() == 1 && scores.size(0) == boxes.size(0), "nms: scores must be [", boxes.size(0), "], not ",
                scores.sizes());
    TORCH_CHECK(boxes.scalar_type() == scores.scalar_type(), "nms: boxes are ", boxes.scalar_type(), ", scores ",
                scores.scalar_type());
    const auto [sorted, order] = scores.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
    const at::Tensor places = order.contiguous();
    std::vector<std::int64_t> kept;
    AT_DISPATCH_FLOATING_TYPES(boxes.scalar_type(), "nms", [&] {
        kept = keptBoxes(readBoxes<scalar_t>(boxes.contiguous()), places.const_data_ptr<std::int64_t>(), threshold);
    });
    return at::tensor(kept, boxes.options().dtype(at::kLong));
}

void registerVisionOps()
{
    // Lives as long as the program: a Library takes its operators back when it ends. A fragment, so that a library loaded later
    // may still define the namespace.
    static torch::Library library(torch::Library::FRAGMENT, "torchvision", std::nullopt, __FILE__, __LINE__);
    const auto add = [](const std::string& schema, auto function) {
        const std::string name = schema.substr(0, schema.find('('));
        if (c10::Dispatcher::singleton().findSchema({"torchvision::" + name, ""}))
            return;
        library.def(schema.c_str());
        library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CPU, function));
    };
    add("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", &nms);
    add("roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int "
        "sampling_ratio, "
        "bool aligned) -> Tensor",
        &roiAlign);
    add("ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int "
        "sampling_ratio) "
        "-> (Tensor, Tensor)",
        &psRoiAlign);
    add("roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, "
        "Tensor)",
        &roiPool);
    add("deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, "
        "SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) "
        "-> Tensor",
        &deformConv2d);
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/dense_view.h"

#include "app/runner/dtypes.h"

#include <ATen/ATen.h>
#include <ATen/NestedTensorImpl.h>
#include <algorithm>
#include <sstream>

namespace runner {
namespace {

std::string scalarText(double value)
{
    std::ostringstream text;
    text.precision(9);
    text << value;
    return text.str();
}

std::string lower(std::string word)
{
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

std::string quantizationNote(const at::Tensor& tensor)
{
    const std::string from = "dequantized from " + lower(c10::toString(tensor.scalar_type()));
    if (tensor.qscheme() == at::kPerTensorAffine || tensor.qscheme() == at::kPerTensorSymmetric)
        return from + ", scale " + scalarText(tensor.q_scale()) + ", zero point " + std::to_string(tensor.q_zero_point());
    return from + ", with a scale and zero point for each index of axis " + std::to_string(tensor.q_per_channel_axis());
}

std::string nestedNote(const at::Tensor& tensor)
{
    const at::Tensor sizes = at::native::get_nested_tensor_impl(tensor)->get_nested_sizes();
    if (sizes.dim() != 2 || sizes.size(0) == 0)
        return "an empty nested tensor";
    std::string lengths;
    constexpr std::int64_t most = 32;
    const std::int64_t rows = sizes.size(0);
    for (std::int64_t row = 0; row < std::min(rows, most); ++row)
        lengths += (row ? ", " : "") + std::to_string(sizes[row][0].item<std::int64_t>());
    return "padded with 0 from a nested tensor of row lengths " + lengths + (rows > most ? ", ..." : "");
}

at::Tensor toStrided(at::Tensor tensor, std::vector<std::string>& notes)
{
    if (tensor.is_nested()) {
        notes.push_back(nestedNote(tensor));
        return at::nested_to_padded_tensor(tensor, 0.0);
    }
    if (tensor.is_quantized()) {
        notes.push_back(quantizationNote(tensor));
        return tensor.dequantize();
    }
    if (tensor.is_mkldnn()) {
        notes.push_back("made dense from MKL-DNN's own layout");
        return tensor.to_dense();
    }
    return tensor;
}

} // namespace

DenseView denseView(const at::Tensor& tensor)
{
    DenseView view;
    view.tensor = toStrided(tensor.detach(), view.notes);
    const at::ScalarType type = view.tensor.scalar_type();
    if (!isPlain(type)) {
        view.notes.push_back("converted from " + dtypeName(type));
        view.tensor = view.tensor.to(c10::isComplexType(type) ? at::kComplexFloat : at::kFloat);
    }
    return view;
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/torch_reference.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include <stdexcept>

namespace torch_reference {
namespace {

at::ScalarType typeOf(core::DType dtype)
{
    switch (dtype) {
    case core::DType::boolean:
        return at::kBool;
    case core::DType::u8:
        return at::kByte;
    case core::DType::i8:
        return at::kChar;
    case core::DType::i16:
        return at::kShort;
    case core::DType::i32:
        return at::kInt;
    case core::DType::i64:
        return at::kLong;
    case core::DType::u16:
        return at::kUInt16;
    case core::DType::u32:
        return at::kUInt32;
    case core::DType::u64:
        return at::kUInt64;
    case core::DType::f8e4m3fn:
        return at::kFloat8_e4m3fn;
    case core::DType::f8e5m2:
        return at::kFloat8_e5m2;
    case core::DType::f8e4m3fnuz:
        return at::kFloat8_e4m3fnuz;
    case core::DType::f8e5m2fnuz:
        return at::kFloat8_e5m2fnuz;
    case core::DType::f16:
        return at::kHalf;
    case core::DType::bf16:
        return at::kBFloat16;
    case core::DType::f32:
        return at::kFloat;
    case core::DType::f64:
        return at::kDouble;
    case core::DType::c64:
        return at::kComplexFloat;
    default:
        return at::kComplexDouble;
    }
}

/// The tensor's own memory where LibTorch takes its strides (none negative, aligned), else a copy kept in `owner`.
at::Tensor view(const core::Tensor& tensor, core::Tensor& owner)
{
    owner = tensor;
    bool fits = reinterpret_cast<std::uintptr_t>(tensor.data()) % 16 == 0;
    for (const std::int64_t stride : tensor.strides())
        fits = fits && stride >= 0;
    if (!fits)
        owner = tensor.toContiguous();
    return at::from_blob(const_cast<std::byte*>(owner.data()), owner.shape(), owner.strides(),
                         at::TensorOptions(typeOf(owner.dtype())));
}

at::Scalar scalarOf(const core::Number& number)
{
    if (!number.isInteger)
        return number.real;
    if (number.integer > INT64_MAX)
        return static_cast<std::uint64_t>(number.integer);
    return static_cast<std::int64_t>(number.integer);
}

at::Tensor test(const at::Tensor& x, const core::Condition& condition)
{
    const at::Scalar t = scalarOf(condition.a);
    switch (condition.kind) {
    case core::ConditionKind::gt:
        return at::gt(x, t);
    case core::ConditionKind::ge:
        return at::ge(x, t);
    case core::ConditionKind::lt:
        return at::lt(x, t);
    case core::ConditionKind::le:
        return at::le(x, t);
    case core::ConditionKind::eq:
        return at::eq(x, t);
    case core::ConditionKind::ne:
        return at::ne(x, t);
    case core::ConditionKind::absGt:
        return at::gt(at::abs(x), t);
    case core::ConditionKind::absGe:
        return at::ge(at::abs(x), t);
    case core::ConditionKind::nan:
        return at::isnan(x);
    case core::ConditionKind::inf:
        return at::isinf(x);
    case core::ConditionKind::finite:
        return at::isfinite(x);
    default:
        throw std::logic_error("no LibTorch formulation of this condition");
    }
}

template <class T>
std::vector<T> valuesOf(const at::Tensor& tensor)
{
    const at::Tensor dense = tensor.contiguous();
    const T* first = dense.const_data_ptr<T>();
    return std::vector<T>(first, first + dense.numel());
}

} // namespace

std::string prepare()
{
    // Threads that spin between calls would take the engine's.
    at::set_num_threads(1);
    return std::string(TORCH_VERSION) + " (" + at::get_cpu_capability() + ")";
}

bool hasOrder(core::DType dtype)
{
    return !core::isComplex(dtype) && !core::isFloat8(dtype) && dtype != core::DType::u16 && dtype != core::DType::u32 &&
           dtype != core::DType::u64;
}

std::vector<std::int64_t> nonzero(const core::Tensor& tensor, const core::Condition& condition)
{
    core::Tensor owner;
    return valuesOf<std::int64_t>(at::nonzero(test(view(tensor, owner), condition)));
}

std::optional<Numbers> numbers(const core::Tensor& tensor, double fraction)
{
    core::Tensor owner;
    const at::Tensor x = view(tensor, owner).to(at::kDouble).flatten();
    const at::Tensor finite = x.masked_select(at::isfinite(x));
    if (finite.numel() == 0)
        return std::nullopt;
    Numbers out;
    out.sum = finite.sum().item<double>();
    out.absoluteSum = finite.abs().sum().item<double>();
    out.min = finite.amin().item<double>();
    out.max = finite.amax().item<double>();
    out.mean = finite.mean().item<double>();
    out.std = at::std(finite, at::OptionalIntArrayRef(), at::Scalar(0)).item<double>();
    out.quantile = at::quantile(finite, fraction).item<double>();
    return out;
}

std::int64_t integerSum(const core::Tensor& tensor)
{
    core::Tensor owner;
    return view(tensor, owner).sum(at::kLong).item<std::int64_t>();
}

std::vector<double> channelSums(const core::Tensor& tensor, const core::Condition& condition)
{
    core::Tensor owner;
    const at::Tensor x = view(tensor, owner);
    const at::Tensor zero = at::zeros({}, at::kDouble);
    return valuesOf<double>(at::where(test(x, condition), x.to(at::kDouble), zero).sum(1));
}

} // namespace torch_reference

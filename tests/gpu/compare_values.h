// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/error.h"

#include <optional>
#include <string>
#include <utility>

/// Parts of case_table.cpp: how answers of two engines are compared.
namespace support {

/// Equal bits, or both NaN.
bool same(double a, double b);
bool same(const core::Scalar& a, const core::Scalar& b);
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b)
{
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
bool same(const core::Sum& a, const core::Sum& b);
bool same(const core::Statistics& a, const core::Statistics& b);

/// How two tensors differ; empty when they do not. Any NaN equals any other; not where `exactly`.
std::string compareTensors(const std::string& what, const core::Tensor& expected, const core::Tensor& actual,
                           bool exactly = false);

/// An answer, or the message of the error.
template <class Ask>
auto attempt(Ask ask) -> std::pair<decltype(ask()), std::string>
{
    try {
        return {ask(), ""};
    } catch (const core::Error& error) {
        return {decltype(ask()){}, error.what()};
    }
}

} // namespace support

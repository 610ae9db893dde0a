// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/capture_operators.h"

#include "app/runner/session.h"

#include <torch/csrc/jit/runtime/custom_operator.h>

namespace runner {
namespace {

/// Operators are functions without a state of their own: what they report to must be reachable from here.
Session* currentSession = nullptr;

void enter(torch::jit::Stack& stack)
{
    const std::int64_t site = torch::jit::pop(stack).toInt();
    if (currentSession)
        currentSession->enter(site);
}

void capture(torch::jit::Stack& stack)
{
    const std::int64_t site = torch::jit::pop(stack).toInt();
    const c10::IValue value = torch::jit::pop(stack);
    if (currentSession)
        currentSession->capture(value, site);
}

void registerOnce()
{
    using torch::jit::Operator;
    static const torch::jit::RegisterOperators operators({
        Operator("actiscope::enter(int site) -> ()", enter, c10::AliasAnalysisKind::CONSERVATIVE),
        Operator("actiscope::capture(Any value, int site) -> ()", capture, c10::AliasAnalysisKind::CONSERVATIVE),
    });
}

} // namespace

c10::Symbol enterOperator()
{
    registerOnce();
    static const c10::Symbol symbol = c10::Symbol::fromQualString("actiscope::enter");
    return symbol;
}

c10::Symbol captureOperator()
{
    registerOnce();
    static const c10::Symbol symbol = c10::Symbol::fromQualString("actiscope::capture");
    return symbol;
}

CurrentSession::CurrentSession(Session& session)
{
    currentSession = &session;
}

CurrentSession::~CurrentSession()
{
    currentSession = nullptr;
}

} // namespace runner

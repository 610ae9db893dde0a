// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu_engine.h"

#include "gpu/gpu_tensor.h"

namespace gpu {
namespace {

/// Planes that have a row of statistics each; the CPU engine refuses more with a message.
constexpr std::int64_t mostPlanes = std::int64_t{1} << 27;

class GpuEngine : public core::Engine
{
public:
    explicit GpuEngine(std::shared_ptr<EngineState> state) : m_state(std::move(state)) {}

    std::string name() const override { return "cuda"; }

    std::unique_ptr<core::LoadedTensor> load(const core::Content& content, const core::Selection& selection,
                                             const core::Job& job) const override
    {
        const auto* tensor = std::get_if<core::Tensor>(&content);
        if (!tensor || core::isComplex(tensor->dtype()))
            return m_state->cpu->load(content, selection, job);
        selection.validate(tensor->shape());
        const core::Extents extents = core::extentsOf(tensor->shape(), selection);
        if (tensor->elements() == 0 || extents.planes() > mostPlanes)
            return m_state->cpu->load(content, selection, job);
        return std::make_unique<GpuTensor>(*tensor, selection, m_state, job);
    }

private:
    std::shared_ptr<EngineState> m_state;
};

} // namespace

std::unique_ptr<core::Engine> makeGpuEngine(OpenDevice open, std::string device, Tell tell)
{
    auto state = std::make_shared<EngineState>();
    state->open = std::move(open);
    state->device = std::move(device);
    state->tell = std::move(tell);
    return std::make_unique<GpuEngine>(std::move(state));
}

} // namespace gpu

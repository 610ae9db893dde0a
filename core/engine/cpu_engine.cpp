// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dense_tensor.h"
#include "core/engine/engine.h"
#include "core/engine/sparse_loaded.h"

namespace core {
namespace {

class CpuEngine : public Engine
{
public:
    explicit CpuEngine(int threads) : m_workers(std::make_shared<const Workers>(threads)) {}

    std::string name() const override { return "cpu"; }

    std::unique_ptr<LoadedTensor> load(const Content& content, const Selection& selection, const Job& job) const override
    {
        if (const auto* tensor = std::get_if<Tensor>(&content)) {
            selection.validate(tensor->shape());
            return std::make_unique<DenseTensor>(*tensor, selection, m_workers, job);
        }
        const auto& sparse = std::get<SparseTensor>(content);
        selection.validate(sparse.shape);
        return std::make_unique<SparseLoaded>(sparse, selection, m_workers, job);
    }

private:
    std::shared_ptr<const Workers> m_workers;
};

} // namespace

std::unique_ptr<Engine> makeCpuEngine(int threads)
{
    return std::make_unique<CpuEngine>(threads);
}

} // namespace core

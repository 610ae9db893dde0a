// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the GPU engine with LibTorch's CUDA kernels, numbers and time: see README.md. Built with any LibTorch; runs with one
// that has CUDA.
#include "core/engine/engine.h"
#include "gpu/gpu.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <functional>

namespace {

constexpr int exitSkipped = 77;

double bestOf(int runs, const std::function<void()>& work)
{
    double best = 1e300;
    for (int i = 0; i < runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

bool equal(const at::Tensor& theirs, const core::Tensor& ours, at::ScalarType type)
{
    const auto view = at::from_blob(const_cast<std::byte*>(ours.data()), theirs.sizes(), type);
    return at::equal(theirs.cpu(), view);
}

/// One condition on a batch of images, both ways.
class Comparison
{
public:
    Comparison(const core::Engine& engine, at::ScalarType type, core::DType dtype, double threshold)
        : m_type(type), m_threshold(threshold), m_host(at::randn({8, 64, 112, 112}, at::kFloat).to(type)),
          m_there(m_host.to(at::kCUDA))
    {
        const auto* first = static_cast<const std::byte*>(m_host.data_ptr());
        const std::span<const std::byte> bytes(first, m_host.nbytes());
        const auto tensor = core::Tensor::contiguous(dtype, m_host.sizes().vec(), core::Storage{bytes, nullptr, nullptr});
        m_loaded = engine.load(tensor, core::Selection::all(core::Layout::guess(4)));
        m_query.where.condition = {core::ConditionKind::gt, core::Number::fromReal(threshold), {}};
    }

    int run()
    {
        compareCounts();
        compareRows();
        compareMaps();
        return m_bad;
    }

private:
    void tell(const char* what, bool isEqual, double ours, double theirs)
    {
        m_bad += !isEqual;
        std::printf("%-8s %-10s %9.3f ms, LibTorch %9.3f ms, %6.2fx  %s\n", what, at::toString(m_type), ours, theirs,
                    theirs / ours, isEqual ? "equal" : "DIFFERENT");
    }

    void compareCounts()
    {
        core::Result result;
        at::Tensor counts;
        const double ours = bestOf(7, [&] { result = m_loaded->run(m_query); });
        const double theirs = bestOf(7, [&] { counts = m_there.gt(m_threshold).sum({2, 3}).cpu().flatten(); });
        tell("counts", at::equal(counts, at::tensor(result.counts)), ours, theirs);
    }

    void compareRows()
    {
        std::vector<std::int64_t> rows;
        at::Tensor expected;
        const double ours = bestOf(3, [&] {
            rows.clear();
            m_loaded->coordinates(m_query.where, false, [&](const core::RowBlock& block) {
                rows.insert(rows.end(), block.indices.begin(), block.indices.end());
                return true;
            });
        });
        const double theirs = bestOf(3, [&] { expected = m_there.gt(m_threshold).nonzero().cpu().contiguous().flatten(); });
        tell("coords", at::equal(expected, at::tensor(rows)), ours, theirs);
    }

    void compareMaps()
    {
        core::Query query = m_query;
        query.heatMaps = {{core::Reduction::count, false, std::nullopt}, {core::Reduction::max, false, std::nullopt}};
        core::Result result;
        at::Tensor counts;
        at::Tensor max;
        const double ours = bestOf(7, [&] { result = m_loaded->run(query); });
        const double theirs = bestOf(7, [&] {
            counts = m_there.gt(m_threshold).sum({1}).cpu();
            max = m_there.amax({1}).cpu();
        });
        // Where a pixel has a hot value, the largest of all is the largest hot one.
        const auto mine = at::from_blob(const_cast<std::byte*>(result.heatMaps[1].data()), max.sizes(), m_type);
        const bool sameMax = at::equal(at::where(counts > 0, max, 0), at::where(counts > 0, mine, 0));
        tell("maps", equal(counts, result.heatMaps[0], at::kLong) && sameMax, ours, theirs);
    }

    at::ScalarType m_type;
    double m_threshold;
    at::Tensor m_host;
    at::Tensor m_there;
    std::unique_ptr<core::LoadedTensor> m_loaded;
    core::Query m_query;
    int m_bad = 0;
};

int skip(const char* reason)
{
    std::printf("skipped: %s\n", reason);
    return exitSkipped;
}

} // namespace

int main()
{
    try {
        const auto found = gpu::findEngine(std::nullopt, [](const std::string& text) { std::printf("%s\n", text.c_str()); });
        if (!found.engine)
            return skip(found.reason.c_str());
        // A program linked with a LibTorch for the CPU only loads the other half by itself.
        if (!at::hasCUDA() && (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) || !at::hasCUDA()))
            return skip("this LibTorch has no CUDA: put one that has first in LD_LIBRARY_PATH");
        int bad = Comparison(*found.engine, at::kFloat, core::DType::f32, 1.5).run();
        bad += Comparison(*found.engine, at::kHalf, core::DType::f16, 1.5).run();
        bad += Comparison(*found.engine, at::kBFloat16, core::DType::bf16, 1.5).run();
        bad += Comparison(*found.engine, at::kDouble, core::DType::f64, 1.5).run();
        return bad > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/libtorch.h"

#include "app/runner/capture_operators.h"
#include "core/error.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <torch/headeronly/version.h>
#include <unistd.h>

namespace runner {
namespace {

/// The driver's name of device 0; its library is loaded by now.
std::string deviceName()
{
    char name[256] = "CUDA device 0";
    if (void* driver = ::dlopen("libcuda.so.1", RTLD_NOW)) {
        if (void* function = ::dlsym(driver, "cuDeviceGetName"))
            reinterpret_cast<int (*)(char*, int, int)>(function)(name, sizeof name, 0);
    }
    return name;
}

/// Libraries of operators name libtorch.so, which holds nothing but asks for all of CUDA; those built by Python's extension
/// tools name more that they do not use. Empty libraries of these names answer for them: the loader takes what is there by
/// name.
void loadStandIns(bool cuda)
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto folder = program.parent_path().parent_path() / "lib" / "actiscope" / "stand-ins";
    for (const char* name : {"libtorch.so", "libtorch_python.so", "libtorch_cuda.so", "libc10_cuda.so"}) {
        const bool isReal = cuda && std::string_view(name) != "libtorch_python.so";
        if (!isReal || !::dlopen(name, RTLD_NOW | RTLD_GLOBAL))
            ::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_GLOBAL);
    }
}

} // namespace

std::string libtorchVersion()
{
    return TORCH_VERSION;
}

void setThreads(int count)
{
    if (count > 0)
        at::set_num_threads(count);
}

void loadOperators(const std::string& file, bool cuda)
{
    loadStandIns(cuda);
    if (::access(file.c_str(), R_OK) != 0)
        throw core::Error(file + ": the operator library cannot be loaded: " + std::strerror(errno));
    if (::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
        return;
    std::string reason = ::dlerror();
    if (reason.starts_with(file + ": "))
        reason.erase(0, file.size() + 2);
    throw core::Error(file + ": the operator library cannot be loaded (" + reason + "): check that it was built for LibTorch " +
                      TORCH_VERSION);
}

Cuda startCuda(std::optional<int> gpu)
{
    Cuda cuda;
    if (!::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) {
        cuda.reason = std::string("LibTorch's CUDA part cannot be loaded (") + ::dlerror() + "): run the model on the CPU";
    } else if (!at::hasCUDA() || at::detail::getCUDAHooks().deviceCount() < 1) {
        cuda.reason = (gpu ? "there is no GPU " + std::to_string(*gpu) : std::string("no CUDA device was found")) +
                      ": run the model on the CPU";
    } else {
        cuda.name = deviceName();
        cuda.reason.clear();
    }
    return cuda;
}

void warmUp(bool cuda)
{
    const at::NoGradGuard noGrad;
    captureOperator();
    const at::Tensor image = at::rand({1, 3, 32, 32});
    const at::Tensor kernel = at::rand({8, 3, 3, 3});
    at::conv2d(image, kernel);
    at::mm(at::rand({64, 64}), at::rand({64, 64}));
    at::quantize_per_tensor(image, 0.1, 0, at::kQUInt8).dequantize();
    // Large enough to start the threads.
    at::rand({1 << 20}).exp().sum();
    if (cuda) {
        at::conv2d(image.cuda(), kernel.cuda()).cpu();
        at::mm(at::rand({64, 64}).cuda(), at::rand({64, 64}).cuda()).cpu();
    }
}

} // namespace runner

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/kernels.h"

#include "gpu/bin_body.h"
#include "gpu/copy_bodies.h"
#include "gpu/count_body.h"
#include "gpu/label_body.h"
#include "gpu/pixel_body.h"
#include "gpu/row_bodies.h"
#include "gpu/stored_switch.h"
#include "gpu/tile_bodies.h"

#include <cstring>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <cuda_runtime.h>
#include <limits>

namespace gpu {
namespace {

/// both_sides.h on a device. Bodies call phase() and vote() where all threads of the block arrive: outside of any branch that
/// depends on the thread. So every barrier is met by the whole block, and every vote by the whole warp.
struct DeviceBlock
{
    template <class X>
    struct PerThread
    {
        X value;
        __device__ X& operator[](int) { return value; }
    };

    __device__ std::int64_t index() const { return blockIdx.x; }

    template <class Work>
    __device__ void each(Work work) const
    {
        work(static_cast<int>(threadIdx.x));
    }

    template <class Work>
    __device__ void phase(Work work) const
    {
        work(static_cast<int>(threadIdx.x));
        __syncthreads();
    }

    /// The vote brings the warp's threads together again after a test that branched.
    template <class Test, class Use>
    __device__ void vote(Test test, Use use) const
    {
        const int thread = static_cast<int>(threadIdx.x);
        const unsigned bits = __ballot_sync(0xffffffffu, test(thread));
        use(thread, bits);
    }

    template <class Get, class Use>
    __device__ void sum(Get get, Use use) const
    {
        const int thread = static_cast<int>(threadIdx.x);
        unsigned n = get(thread);
#if __CUDA_ARCH__ >= 800
        n = __reduce_add_sync(0xffffffffu, n);
#else
        for (int apart = warpThreads / 2; apart > 0; apart /= 2)
            n += __shfl_xor_sync(0xffffffffu, n, apart);
#endif
        use(thread, n);
    }

    __device__ void add(std::uint32_t* to, std::uint32_t n) const
    {
        atomicAdd(to, n);
    }
    __device__ void add(std::uint64_t* to, std::uint64_t n) const
    {
        atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(n));
    }
    __device__ void lower(std::uint64_t* to, std::uint64_t n) const
    {
        atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(n));
    }
};

template <class Body>
__global__ void __launch_bounds__(blockThreads) kernel(const __grid_constant__ typename Body::Parameters parameters)
{
    __shared__ typename Body::Shared shared;
    DeviceBlock block;
    Body::run(block, shared, parameters);
}

/// The runtime remembers an error until it is asked, and a later launch would report it as its own.
int told(cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError();
    return error;
}

/// The runtime's current device is the calling thread's.
int use(int device)
{
    return told(cudaSetDevice(device));
}

cudaStream_t streamOf(const Queue& queue)
{
    return static_cast<cudaStream_t>(queue.stream);
}

cudaEvent_t eventOf(const Queue& queue, int mark)
{
    return static_cast<cudaEvent_t>(queue.events[mark]);
}

template <class Body>
int start(const Queue& queue, std::int64_t blocks, const typename Body::Parameters& parameters)
{
    if (blocks == 0)
        return cudaSuccess;
    if (blocks > std::numeric_limits<int>::max())
        return cudaErrorInvalidConfiguration;
    if (const int error = use(queue.device))
        return error;
    kernel<Body><<<static_cast<unsigned>(blocks), blockThreads, 0, streamOf(queue)>>>(parameters);
    return cudaGetLastError();
}

/// 64-bit sums of 32-bit counts: the type of the first one decides.
int scanCounts(const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, void* scratch, std::size_t& bytes,
               cudaStream_t stream)
{
    return told(
        cub::DeviceScan::ExclusiveScan(scratch, bytes, counts, before, cuda::std::plus<>{}, std::uint64_t{0}, n, stream));
}

} // namespace

void listDevices(DeviceList& list) noexcept
{
    list = {};
    cudaDriverGetVersion(&list.driver);
    cudaRuntimeGetVersion(&list.runtime);
    int count = 0;
    list.error = cudaGetDeviceCount(&count);
    // The runtime remembers the last error until it is asked.
    cudaGetLastError();
    if (list.error != cudaSuccess)
        return;
    list.count = count < DeviceList::most ? count : DeviceList::most;
    for (int i = 0; i < list.count; ++i) {
        cudaDeviceProp properties;
        list.error = cudaGetDeviceProperties(&properties, i);
        if (list.error != cudaSuccess) {
            list.count = i;
            return;
        }
        std::strncpy(list.devices[i].name, properties.name, sizeof list.devices[i].name - 1);
        list.devices[i].major = properties.major;
        list.devices[i].minor = properties.minor;
    }
}

const char* errorText(int error) noexcept
{
    return cudaGetErrorString(static_cast<cudaError_t>(error));
}

bool isOutOfMemory(int error) noexcept
{
    return error == cudaErrorMemoryAllocation;
}

int openQueue(int device, Queue& queue) noexcept
{
    queue = {};
    queue.device = device;
    if (const int error = use(device))
        return error;
    cudaFuncAttributes attributes;
    if (const int error = told(cudaFuncGetAttributes(&attributes, kernel<ScanBody<float>>)))
        return error;
    cudaStream_t stream = nullptr;
    if (const int error = told(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)))
        return error;
    queue.stream = stream;
    for (void*& mark : queue.events) {
        cudaEvent_t event = nullptr;
        if (const int error = told(cudaEventCreateWithFlags(&event, cudaEventDisableTiming))) {
            closeQueue(queue);
            return error;
        }
        mark = event;
    }
    return cudaSuccess;
}

void closeQueue(Queue& queue) noexcept
{
    use(queue.device);
    for (int mark = 0; mark < Queue::marks; ++mark)
        if (queue.events[mark])
            cudaEventDestroy(eventOf(queue, mark));
    if (queue.stream)
        cudaStreamDestroy(streamOf(queue));
    queue = {};
    cudaGetLastError();
}

int synchronize(const Queue& queue) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaStreamSynchronize(streamOf(queue)));
}

int setMark(const Queue& queue, int mark) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaEventRecord(eventOf(queue, mark), streamOf(queue)));
}

int awaitMark(const Queue& queue, int mark) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaEventSynchronize(eventOf(queue, mark)));
}

int allocate(const Queue& queue, std::size_t bytes, void*& memory) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaMalloc(&memory, bytes));
}

int release(const Queue& queue, void* memory) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaFree(memory));
}

int allocatePinned(const Queue& queue, std::size_t bytes, void*& memory) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaMallocHost(&memory, bytes));
}

int releasePinned(const Queue& queue, void* memory) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaFreeHost(memory));
}

int copyIn(const Queue& queue, void* to, const void* from, std::size_t bytes) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streamOf(queue)));
}

int copyRowsIn(const Queue& queue, void* to, std::size_t toStep, const void* from, std::size_t fromStep, std::size_t rowBytes,
               std::size_t rows) noexcept
{
    if (const int error = use(queue.device))
        return error;
    // What a pitch may be at most.
    constexpr std::size_t most = std::numeric_limits<int>::max();
    if (toStep > most || fromStep > most) {
        auto* target = static_cast<std::byte*>(to);
        auto* source = static_cast<const std::byte*>(from);
        for (std::size_t row = 0; row < rows; ++row, target += toStep, source += fromStep)
            if (const int error = told(cudaMemcpyAsync(target, source, rowBytes, cudaMemcpyHostToDevice, streamOf(queue))))
                return error;
        return cudaSuccess;
    }
    return told(cudaMemcpy2DAsync(to, toStep, from, fromStep, rowBytes, rows, cudaMemcpyHostToDevice, streamOf(queue)));
}

int copyOut(const Queue& queue, void* to, const void* from, std::size_t bytes) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, streamOf(queue)));
}

int fill(const Queue& queue, void* to, int value, std::size_t bytes) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return told(cudaMemsetAsync(to, value, bytes, streamOf(queue)));
}

int prefixScratch(const Queue& queue, std::int64_t n, std::size_t& bytes) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return scanCounts(nullptr, nullptr, n, nullptr, bytes, streamOf(queue));
}

int prefix(const Queue& queue, const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, void* scratch,
           std::size_t bytes) noexcept
{
    if (const int error = use(queue.device))
        return error;
    return scanCounts(counts, before, n, scratch, bytes, streamOf(queue));
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const ScanParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<ScanBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const SumParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<SumBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const NormParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<NormBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const CountParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<CountBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const LabelParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) {
        using S = decltype(s);
        return parameters.isWide ? start<WideLabelBody<S>>(queue, blocks, parameters)
                                 : start<LabelBody<S, 1>>(queue, blocks, parameters);
    });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const ReduceParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) {
        using S = decltype(s);
        return parameters.isWide ? start<WideReduceBody<S>>(queue, blocks, parameters)
                                 : start<ReduceBody<S, 1>>(queue, blocks, parameters);
    });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const MarkParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<MarkBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const ListParameters& parameters) noexcept
{
    return withSize(type, [&](auto s) { return start<ListBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const UpdateParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<UpdateBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const ChooseParameters& parameters) noexcept
{
    return withSize(type, [&](auto s) { return start<ChooseBody<decltype(s)>>(queue, blocks, parameters); });
}

int launch(const Queue& queue, Stored type, std::int64_t blocks, const BinParameters& parameters) noexcept
{
    return withStored(type, [&](auto s) { return start<BinBody<decltype(s)>>(queue, blocks, parameters); });
}

} // namespace gpu

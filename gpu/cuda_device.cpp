// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda_device.h"

#include "gpu/kernels.h"

#include <fmt/format.h>

namespace gpu {
namespace {

void check(int error)
{
    if (error != 0)
        throw DeviceError(fmt::format("CUDA says \"{}\"", errorText(error)), isOutOfMemory(error));
}

class CudaDevice : public OneStart<CudaDevice>
{
public:
    explicit CudaDevice(int number) { check(openQueue(number, m_queue)); }
    ~CudaDevice() override
    {
        gpu::synchronize(m_queue);
        closeQueue(m_queue);
    }
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;

    std::byte* allocate(std::size_t bytes) override
    {
        void* memory = nullptr;
        check(gpu::allocate(m_queue, bytes, memory));
        return static_cast<std::byte*>(memory);
    }
    void release(std::byte* memory) noexcept override { gpu::release(m_queue, memory); }

    std::byte* allocatePinned(std::size_t bytes) override
    {
        void* memory = nullptr;
        check(gpu::allocatePinned(m_queue, bytes, memory));
        return static_cast<std::byte*>(memory);
    }
    void releasePinned(std::byte* memory) noexcept override
    {
        // Where something failed half-way, a copy may still use it. Other memory CUDA gives back when all is done.
        gpu::synchronize(m_queue);
        gpu::releasePinned(m_queue, memory);
    }

    void copyIn(std::byte* to, const std::byte* from, std::size_t bytes) override
    {
        check(gpu::copyIn(m_queue, to, from, bytes));
    }
    void copyRowsIn(std::byte* to, std::size_t toStep, const std::byte* from, std::size_t fromStep, std::size_t rowBytes,
                    std::size_t rows) override
    {
        check(gpu::copyRowsIn(m_queue, to, toStep, from, fromStep, rowBytes, rows));
    }
    void copyOut(std::byte* to, const std::byte* from, std::size_t bytes) override
    {
        check(gpu::copyOut(m_queue, to, from, bytes));
    }
    void fill(std::byte* to, int value, std::size_t bytes) override { check(gpu::fill(m_queue, to, value, bytes)); }

    std::size_t prefixScratch(std::int64_t n) override
    {
        std::size_t bytes = 0;
        check(gpu::prefixScratch(m_queue, n, bytes));
        return bytes;
    }
    void prefix(const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, std::byte* scratch) override
    {
        check(gpu::prefix(m_queue, counts, before, n, scratch, prefixScratch(n)));
    }

    void mark(int place) override { check(setMark(m_queue, place)); }
    void await(int place) override { check(awaitMark(m_queue, place)); }
    void synchronize() override { check(gpu::synchronize(m_queue)); }

private:
    friend class OneStart<CudaDevice>;

    template <class Parameters>
    void start(Stored type, std::int64_t blocks, const Parameters& parameters)
    {
        check(gpu::launch(m_queue, type, blocks, parameters));
    }

    Queue m_queue{};
};

} // namespace

std::unique_ptr<Device> openCudaDevice(int number)
{
    return std::make_unique<CudaDevice>(number);
}

} // namespace gpu

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

#include <cstddef>

/// All that is asked of CUDA. Nothing throws; a call answers 0 or the CUDA runtime's error code. Every call may come from any
/// thread.
namespace gpu {

/// What the CUDA runtime says of one device.
struct DeviceFacts
{
    char name[256];
    int major;
    int minor;
};

/// Devices found; versions as the runtime tells them (12040 is 12.4), `driver` 0 where there is no driver.
struct DeviceList
{
    static constexpr int most = 16;
    int error;
    int driver;
    int runtime;
    int count;
    DeviceFacts devices[most];
};
void listDevices(DeviceList& list) noexcept;

/// One sentence's part for people ("out of memory").
const char* errorText(int error) noexcept;
bool isOutOfMemory(int error) noexcept;

/// Work on one device in the order in which it was asked for, beside what other queues do.
struct Queue
{
    static constexpr int marks = 4;
    int device;
    void* stream;
    void* events[marks];
};
/// Fails where the program has no code for the device.
int openQueue(int device, Queue& queue) noexcept;
void closeQueue(Queue& queue) noexcept;
int synchronize(const Queue& queue) noexcept;
/// Remembers the point that the queue's work has reached by then, in place `mark`; waits until work has reached it.
int setMark(const Queue& queue, int mark) noexcept;
int awaitMark(const Queue& queue, int mark) noexcept;

int allocate(const Queue& queue, std::size_t bytes, void*& memory) noexcept;
int release(const Queue& queue, void* memory) noexcept;
/// Memory of the host that copies need not stage.
int allocatePinned(const Queue& queue, std::size_t bytes, void*& memory) noexcept;
int releasePinned(const Queue& queue, void* memory) noexcept;

/// Queued, not awaited. Pinned memory must stay as it is until then.
int copyIn(const Queue& queue, void* to, const void* from, std::size_t bytes) noexcept;
int copyRowsIn(const Queue& queue, void* to, std::size_t toStep, const void* from, std::size_t fromStep, std::size_t rowBytes,
               std::size_t rows) noexcept;
int copyOut(const Queue& queue, void* to, const void* from, std::size_t bytes) noexcept;
/// Sets every byte.
int fill(const Queue& queue, void* to, int value, std::size_t bytes) noexcept;

/// before[i] is the sum of the counts before i, for `n` of them; `scratch` has as many bytes as prefixScratch says.
int prefixScratch(const Queue& queue, std::int64_t n, std::size_t& bytes) noexcept;
int prefix(const Queue& queue, const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, void* scratch,
           std::size_t bytes) noexcept;

/// Queues a kernel for values of a type.
int launch(const Queue& queue, Stored type, std::int64_t blocks, const ScanParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const SumParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const CountParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const NormParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const LabelParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const ReduceParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const MarkParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const ListParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const UpdateParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const ChooseParameters& parameters) noexcept;
int launch(const Queue& queue, Stored type, std::int64_t blocks, const BinParameters& parameters) noexcept;

} // namespace gpu

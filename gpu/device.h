// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace gpu {

/// A device failed: the CPU has to answer. `what()` is one clause for people ("it is out of memory").
class DeviceError : public std::runtime_error
{
public:
    DeviceError(const std::string& what, bool isMemory) : std::runtime_error(what), m_isMemory(isMemory) {}
    /// Whether memory ran out; else the device is of no more use.
    bool isMemory() const { return m_isMemory; }

private:
    bool m_isMemory;
};

/// A device and a queue of work on it. Work is done in the order asked for, whoever asks; calls return before it is done,
/// except for await() and synchronize(). Thread safe, but for marks. What fails throws DeviceError; release never throws.
class Device
{
public:
    /// Places for marks.
    static constexpr int marks = 4;

    virtual ~Device() = default;

    /// Memory is given back when all that was asked for is done.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* memory) noexcept = 0;
    /// Memory of the host that copies need not stage.
    virtual std::byte* allocatePinned(std::size_t bytes) = 0;
    virtual void releasePinned(std::byte* memory) noexcept = 0;

    /// Host memory stays as it is until the copy is done.
    virtual void copyIn(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Rows of `rowBytes` bytes, `toStep` and `fromStep` bytes apart.
    virtual void copyRowsIn(std::byte* to, std::size_t toStep, const std::byte* from, std::size_t fromStep,
                            std::size_t rowBytes, std::size_t rows) = 0;
    virtual void copyOut(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Sets every byte.
    virtual void fill(std::byte* to, int value, std::size_t bytes) = 0;

    /// before[i] becomes the sum of the counts before i, for `n` of them. `scratch`: prefixScratch(n) bytes.
    virtual std::size_t prefixScratch(std::int64_t n) = 0;
    virtual void prefix(const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, std::byte* scratch) = 0;

    virtual void launch(Stored type, std::int64_t blocks, const ScanParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const SumParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const CountParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const NormParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const LabelParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const ReduceParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const MarkParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const ListParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const UpdateParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const ChooseParameters& parameters) = 0;
    virtual void launch(Stored type, std::int64_t blocks, const BinParameters& parameters) = 0;

    /// Marks the point that the work asked for so far will reach; waits for work to reach it.
    virtual void mark(int place) = 0;
    virtual void await(int place) = 0;
    virtual void synchronize() = 0;
};

/// Opens a queue of its own on a device. Throws DeviceError.
using OpenDevice = std::function<std::unique_ptr<Device>()>;

/// A device whose launches are all begun by one template of its own: start(type, blocks, parameters).
template <class Self>
class OneStart : public Device
{
public:
    void launch(Stored type, std::int64_t blocks, const ScanParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const SumParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const CountParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const NormParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const LabelParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const ReduceParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const MarkParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const ListParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const UpdateParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const ChooseParameters& p) final { self().start(type, blocks, p); }
    void launch(Stored type, std::int64_t blocks, const BinParameters& p) final { self().start(type, blocks, p); }

private:
    Self& self() { return static_cast<Self&>(*this); }
};

} // namespace gpu

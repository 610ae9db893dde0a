// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace at {
class Tensor;
}
namespace c10 {
struct IValue;
}

namespace runner {

class Arena;
class SeenTensors;

/// Copies what a layer gave into the arena, and says where it lies, in the words of docs/runner-protocol.md.
class ValueWriter
{
public:
    /// A tensor of a value: which one ("[1][0]"), the `value` of the message, and what to tell of it.
    struct Part
    {
        std::string member;
        nlohmann::json value;
        std::vector<std::string> notes;
    };

    /// The arena must outlive the writer.
    explicit ValueWriter(Arena& arena);
    ~ValueWriter();
    /// Copies all tensors of a value: of lists, tuples and dicts one part each; None and undefined tensors as `none`. What
    /// holds no tensor gives no part. Where the arena has no room the part has statistics instead. A tensor that was written
    /// before and has not changed since, such as what a Sequential hands on from its last layer, is told of again, not copied.
    std::vector<Part> write(const c10::IValue& value);
    /// Tensors that found no room, and their bytes.
    std::int64_t dropped() const { return m_dropped; }
    std::int64_t droppedBytes() const { return m_droppedBytes; }

private:
    void visit(const c10::IValue& value, const std::string& member, std::vector<Part>& parts);
    void addTensor(const at::Tensor& tensor, const std::string& member, std::vector<Part>& parts);
    void describe(const at::Tensor& tensor, Part& part);
    nlohmann::json toArena(const at::Tensor& tensor);
    nlohmann::json writeDense(const at::Tensor& tensor);
    nlohmann::json writeSparse(const at::Tensor& tensor);

    Arena& m_arena;
    std::unique_ptr<SeenTensors> m_seen;
    std::int64_t m_dropped = 0;
    std::int64_t m_droppedBytes = 0;
};

} // namespace runner

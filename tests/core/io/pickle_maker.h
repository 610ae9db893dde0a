// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// Pickles written by hand, mostly in the text opcodes of protocol 0.
inline std::string pickleNumber(std::int64_t value)
{
    return "I" + std::to_string(value) + "\n";
}

inline std::string pickleTuple(const std::vector<std::int64_t>& values)
{
    std::string out = "(";
    for (const auto value : values)
        out += pickleNumber(value);
    return out + "t";
}

/// A string of up to 255 bytes.
inline std::string pickleText(const std::string& text)
{
    return std::string("\x8c") + static_cast<char>(text.size()) + text;
}

/// What _rebuild_tensor_v2 is called with.
struct PickledTensor
{
    std::vector<std::int64_t> shape{2};
    std::vector<std::int64_t> strides{1};
    std::int64_t offset = 0;
    std::int64_t storageElements = 2;
    std::string storageType = "FloatStorage";
    std::string key = "0";

    /// The call, without protocol and STOP.
    std::string call() const
    {
        const std::string storage = "(" + pickleText("storage") + "ctorch\n" + storageType + "\n" + pickleText(key) +
                                    pickleText("cpu") + pickleNumber(storageElements) + "tQ";
        return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + pickleNumber(offset) + pickleTuple(shape) +
               pickleTuple(strides) + "I00\nNtR";
    }
};

/// A whole pickle around a value.
inline std::string pickleOf(const std::string& value)
{
    return "\x80\x02" + value + ".";
}

} // namespace tests

// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Runs a fuzz target, linked beside this, over the files of a folder: what once broke it, and what reaches far into it. A
/// crash or a sanitizer's report fails by itself.
int main(int argc, char** argv)
{
    int files = 0;
    for (const auto& item : std::filesystem::directory_iterator(argc > 1 ? argv[1] : ".")) {
        std::ifstream in(item.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        ++files;
    }
    std::printf("%d inputs\n", files);
    return files > 0 ? 0 : 1;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the C++ torch::save archives of tests/data/torch. Built by hand with LibTorch 2.11:
//   g++ -std=c++17 -I LIBTORCH/include -I LIBTORCH/include/torch/csrc/api/include cpp_save.cpp -L LIBTORCH/lib -ltorch
//   -ltorch_cpu -lc10
#include <torch/torch.h>

struct Net : torch::nn::Module
{
    Net()
    {
        fc = register_module("fc", torch::nn::Linear(3, 2));
        torch::NoGradGuard guard;
        fc->weight.fill_(0.5);
        fc->bias.copy_(torch::tensor({1.0f, -1.0f}));
        register_buffer("seen", torch::tensor(4));
    }
    torch::nn::Linear fc{nullptr};
};

int main()
{
    torch::save(torch::arange(12, torch::kFloat32).reshape({1, 3, 4}) / 8, "cpp_tensor.pt");
    torch::save(
        std::vector<torch::Tensor>{torch::tensor({1, 2, 3}, torch::kInt64), torch::tensor({{true}, {false}}, torch::kBool)},
        "cpp_list.pt");
    torch::save(std::make_shared<Net>(), "cpp_module.pt");
}

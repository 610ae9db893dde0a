// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/plain_model.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>

namespace bench {
namespace {

using torch::jit::Module;

/// Modules of torchvision's ResNet (He et al., "Deep Residual Learning for Image Recognition"), written in TorchScript.
class Builder
{
public:
    Module resNet18()
    {
        at::manual_seed(0);
        Module net = make("torchvision.models.resnet.ResNet");
        net.register_module("conv1", conv(3, 64, 7, 2));
        net.register_module("bn1", norm(64));
        net.register_module("relu", relu());
        net.register_module("maxpool",
                            defined("torch.nn.modules.pooling.MaxPool2d", "torch.max_pool2d(x, [3, 3], [2, 2], [1, 1])"));
        net.register_module("layer1", stage(64, 64));
        net.register_module("layer2", stage(64, 128));
        net.register_module("layer3", stage(128, 256));
        net.register_module("layer4", stage(256, 512));
        net.register_module("avgpool",
                            defined("torch.nn.modules.pooling.AdaptiveAvgPool2d", "torch.adaptive_avg_pool2d(x, [1, 1])"));
        net.register_module("fc", linear(512, 1000));
        net.define(R"(
def forward(self, x):
    x = self.relu.forward(self.bn1.forward(self.conv1.forward(x)))
    x = self.layer1.forward(self.maxpool.forward(x))
    x = self.layer4.forward(self.layer3.forward(self.layer2.forward(x)))
    return self.fc.forward(torch.flatten(self.avgpool.forward(x), 1))
)");
        return net;
    }

private:
    Module make(const std::string& type) { return {c10::QualifiedName("__torch__." + type), m_unit, true}; }

    Module defined(const std::string& type, const std::string& result)
    {
        Module module = make(type);
        module.define("def forward(self, x):\n    return " + result + "\n");
        return module;
    }

    Module relu() { return defined("torch.nn.modules.activation.ReLU", "torch.relu_(x)"); }

    Module conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride)
    {
        Module module = make("torch.nn.modules.conv.Conv2d");
        const double scale = std::sqrt(2.0 / static_cast<double>(out * kernel * kernel));
        module.register_parameter("weight", at::randn({out, in, kernel, kernel}) * scale, false);
        const std::string step = std::to_string(stride);
        const std::string pad = std::to_string(kernel / 2);
        module.define("def forward(self, x):\n    return torch.conv2d(x, self.weight, None, [" + step + ", " + step + "], [" +
                      pad + ", " + pad + "])\n");
        return module;
    }

    Module norm(std::int64_t channels)
    {
        Module module = make("torch.nn.modules.batchnorm.BatchNorm2d");
        module.register_parameter("weight", at::ones({channels}), false);
        module.register_parameter("bias", at::zeros({channels}), false);
        module.register_buffer("running_mean", at::zeros({channels}));
        module.register_buffer("running_var", at::ones({channels}));
        module.define(R"(
def forward(self, x):
    return torch.batch_norm(x, self.weight, self.bias, self.running_mean, self.running_var, False, 0.1, 1e-05, True)
)");
        return module;
    }

    Module linear(std::int64_t in, std::int64_t out)
    {
        Module module = make("torch.nn.modules.linear.Linear");
        module.register_parameter("weight", at::randn({out, in}) / std::sqrt(static_cast<double>(in)), false);
        module.register_parameter("bias", at::zeros({out}), false);
        module.define("def forward(self, x):\n    return torch.linear(x, self.weight, self.bias)\n");
        return module;
    }

    Module sequence(Module first, Module second)
    {
        Module module = make("torch.nn.modules.container.Sequential");
        module.register_module("0", first);
        module.register_module("1", second);
        module.define("def forward(self, x):\n    return getattr(self, \"1\").forward(getattr(self, \"0\").forward(x))\n");
        return module;
    }

    Module block(std::int64_t in, std::int64_t out)
    {
        const std::int64_t stride = in == out ? 1 : 2;
        Module module = make("torchvision.models.resnet.BasicBlock");
        module.register_module("conv1", conv(in, out, 3, stride));
        module.register_module("bn1", norm(out));
        module.register_module("relu", relu());
        module.register_module("conv2", conv(out, out, 3, 1));
        module.register_module("bn2", norm(out));
        if (in != out)
            module.register_module("downsample", sequence(conv(in, out, 1, stride), norm(out)));
        module.define(std::string("def forward(self, x):\n"
                                  "    y = self.bn1.forward(self.conv1.forward(x))\n"
                                  "    y = self.bn2.forward(self.conv2.forward(self.relu.forward(y)))\n"
                                  "    y += ") +
                      (in == out ? "x" : "self.downsample.forward(x)") + "\n    return self.relu.forward(y)\n");
        return module;
    }

    Module stage(std::int64_t in, std::int64_t out) { return sequence(block(in, out), block(out, out)); }

    std::shared_ptr<torch::jit::CompilationUnit> m_unit = std::make_shared<torch::jit::CompilationUnit>();
};

class TorchModel : public PlainModel
{
public:
    explicit TorchModel(Module module) : m_module(std::move(module)) {}

    void run(std::span<const float> input, std::int64_t side) override
    {
        const at::NoGradGuard noGrad;
        m_output = m_module.forward({at::from_blob(const_cast<float*>(input.data()), {1, 3, side, side})}).toTensor();
    }

    std::span<const float> output() const override
    {
        return {m_output.const_data_ptr<float>(), static_cast<std::size_t>(m_output.numel())};
    }

private:
    Module m_module;
    at::Tensor m_output;
};

} // namespace

void saveResNet18(const std::filesystem::path& file)
{
    Builder().resNet18().save(file.string());
}

std::unique_ptr<PlainModel> openPlain(const std::filesystem::path& file, int threads)
{
    at::set_num_threads(threads);
    return std::make_unique<TorchModel>(torch::jit::load(file.string(), c10::kCPU));
}

} // namespace bench

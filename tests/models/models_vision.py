# SPDX-License-Identifier: GPL-3.0-or-later
"""Narrow versions of the usual networks for pictures and video."""
import torch
import torchvision
from torch import nn

from hooks import Model
from torchvision.models.resnet import BasicBlock, Bottleneck


def seeded(make, seed=1):
    """The network with random weights and random, plausible running statistics."""
    torch.manual_seed(seed)
    network = make().eval()
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
            nn.init.uniform_(module.weight, 0.5, 1.5)
    return network


def picture(*shape, seed=2):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def everyConv(module):
    return [m for m in module.modules() if isinstance(m, nn.Conv2d)]


class NarrowResNet(torchvision.models.ResNet):
    """torchvision's ResNet (its forward, its blocks) of 4, 8, 8, 8 channels."""

    def __init__(self, block=BasicBlock):
        super().__init__(block, [1, 1, 1, 1])
        self.inplanes = 4
        self.conv1, self.bn1 = nn.Conv2d(3, 4, 7, 2, 3, bias=False), nn.BatchNorm2d(4)
        self.layer1 = self._make_layer(block, 4, 2)
        self.layer2 = self._make_layer(block, 8, 1, stride=2)
        self.layer3 = self._make_layer(block, 8, 1, stride=2)
        self.layer4 = self._make_layer(block, 8, 1, stride=2)
        self.fc = nn.Linear(8 * block.expansion, 5)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([self.block(3, 4), self.block(4, 6), self.block(6, 8)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(8, 6, 2, 2), nn.ConvTranspose2d(6, 4, 2, 2)])
        self.merge = nn.ModuleList([self.block(12, 6), self.block(8, 4)])
        self.pool, self.head = nn.MaxPool2d(2), nn.Conv2d(4, 2, 1)

    @staticmethod
    def block(a, b):
        return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True))

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.down):
            x = block(x)
            if i < 2:
                skips.append(x)
                x = self.pool(x)
        for i, (up, merge) in enumerate(zip(self.up, self.merge)):
            x = merge(torch.cat([up(x), skips[1 - i]], 1))
        return self.head(x)


def vit():
    network = torchvision.models.VisionTransformer(16, 8, 2, 2, 16, 16, num_classes=5)
    nn.init.normal_(network.heads.head.weight)
    return network


def models():
    both = ("scripted", "traced", "frozen")
    yield Model("resnet", seeded(NarrowResNet), [("x", picture(1, 3, 32, 32))], both)
    yield Model("resnet_bottleneck", seeded(lambda: NarrowResNet(Bottleneck)), [("x", picture(1, 3, 24, 24))], ("traced",))
    yield Model("unet", seeded(UNet), [("x", picture(1, 3, 16, 16))], ("scripted", "traced"))
    attention = "encoder.layers.encoder_layer_{}.self_attention"
    yield Model("vit", seeded(vit), [("x", picture(1, 3, 16, 16))], ("scripted", "traced"),
                lost={"traced": [attention.format(i) + "[1]" for i in (0, 1)]},
                renamed={"traced": {attention.format(i) + "[0]": attention.format(i) for i in (0, 1)}})

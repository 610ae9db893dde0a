# SPDX-License-Identifier: GPL-3.0-or-later
"""More narrow networks for pictures and video."""
from collections import OrderedDict
from functools import partial

import torch
import torchvision
from torch import nn
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.inception import BasicConv2d
from torchvision.models.mobilenetv3 import InvertedResidualConfig, MobileNetV3
from torchvision.models.segmentation.deeplabv3 import ASPP
from torchvision.models.video.resnet import BasicBlock, Conv2Plus1D
from torchvision.ops import StochasticDepth

from hooks import Model
from models_vision import picture, seeded


def mobilenet():
    row = partial(InvertedResidualConfig, width_mult=1.0)
    rows = [row(8, 3, 8, 8, True, "RE", 2, 1), row(8, 3, 16, 8, False, "HS", 1, 1), row(8, 5, 16, 16, True, "HS", 2, 1)]
    return MobileNetV3(rows, 16, num_classes=4)


def densenet():
    return torchvision.models.DenseNet(4, (2, 2), 4, 2, num_classes=3)


class InceptionBlock(nn.Module):
    """Branches that are concatenated, as InceptionC has them."""

    def __init__(self, a, b):
        super().__init__()
        self.one = BasicConv2d(a, b, kernel_size=1)
        self.three = nn.Sequential(BasicConv2d(a, b, kernel_size=1), BasicConv2d(b, b, kernel_size=(1, 3), padding=(0, 1)),
                                   BasicConv2d(b, b, kernel_size=(3, 1), padding=(1, 0)))
        self.pool = BasicConv2d(a, b, kernel_size=1)

    def forward(self, x):
        pooled = nn.functional.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return torch.cat([self.one(x), self.three(x), self.pool(pooled)], 1)


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = BasicConv2d(3, 4, kernel_size=3, stride=2)
        self.blocks = nn.Sequential(InceptionBlock(4, 3), nn.MaxPool2d(2), InceptionBlock(9, 3))
        self.aux, self.fc, self.dropout = nn.Linear(9, 2), nn.Linear(9, 2), nn.Dropout()

    def forward(self, x):
        x = self.blocks(self.stem(x)).mean([2, 3])
        if self.training:
            return self.fc(x) + self.aux(x)
        return self.fc(self.dropout(x))


def swin():
    return torchvision.models.SwinTransformer([2, 2], 8, [2, 1], [1, 2], [2, 2], num_classes=3, stochastic_depth_prob=0.2)


class DeepLab(nn.Module):
    """torchvision's way of taking layers from a backbone, its ASPP, and a dict as output."""

    def __init__(self):
        super().__init__()
        layers = OrderedDict(stem=nn.Conv2d(3, 4, 3, 2, 1), relu=nn.ReLU(), middle=nn.Conv2d(4, 6, 3, 2, 1), last=nn.Conv2d(6, 8, 3, 1, 2, 2))
        self.backbone = IntermediateLayerGetter(nn.Sequential(layers), {"middle": "aux", "last": "out"})
        self.classifier = nn.Sequential(ASPP(8, [2, 4, 6], 5), nn.Conv2d(5, 3, 1))
        self.aux_classifier = nn.Conv2d(6, 3, 1)

    def forward(self, x):
        features = self.backbone(x)
        result = OrderedDict()
        result["out"] = nn.functional.interpolate(self.classifier(features["out"]), size=x.shape[-2:], mode="bilinear", align_corners=False)
        result["aux"] = self.aux_classifier(features["aux"])
        return result


class R2Plus1D(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv3d(3, 4, (1, 5, 5), (1, 2, 2), (0, 2, 2)), nn.BatchNorm3d(4), nn.ReLU(inplace=True))
        downsample = nn.Sequential(nn.Conv3d(4, 6, 1, 2, bias=False), nn.BatchNorm3d(6))
        self.layer = nn.Sequential(BasicBlock(4, 4, Conv2Plus1D), BasicBlock(4, 6, Conv2Plus1D, 2, downsample))
        self.pool, self.fc = nn.AdaptiveAvgPool3d(1), nn.Linear(6, 3)

    def forward(self, x):
        return self.fc(self.pool(self.layer(self.stem(x))).flatten(1))


class Identities(nn.Module):
    """Layers that return their input: a trace does not call them."""

    def __init__(self):
        super().__init__()
        self.first, self.identity, self.depth = nn.Conv2d(3, 4, 3), nn.Identity(), StochasticDepth(0.5, "row")
        self.dropout, self.last = nn.Dropout(0.3), nn.Sequential(nn.Identity(), nn.Conv2d(4, 2, 1))

    def forward(self, x):
        return self.last(self.dropout(self.depth(self.identity(self.first(x)))))


def models():
    yield Model("mobilenet_v3", seeded(mobilenet), [("x", picture(1, 3, 24, 24))], ("scripted", "frozen"))
    yield Model("densenet", seeded(densenet), [("x", picture(1, 3, 32, 32))])
    yield Model("inception", seeded(Inception), [("x", picture(2, 3, 15, 15))])
    yield Model("swin", seeded(swin), [("x", picture(1, 3, 8, 8))])
    yield Model("deeplab", seeded(DeepLab), [("x", picture(1, 3, 24, 24))], ("scripted", "traced"),
                renamed={"traced": {"backbone.aux": "backbone[1]", "backbone.out": "backbone[0]"}})
    yield Model("r2plus1d", seeded(R2Plus1D), [("x", picture(1, 3, 4, 12, 12))])
    yield Model("identities", seeded(Identities), [("x", picture(1, 3, 6, 6))], ("scripted", "traced"),
                lost={"traced": ["identity", "depth", "last.0"]})

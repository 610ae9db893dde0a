# SPDX-License-Identifier: GPL-3.0-or-later
"""torchvision's operators, one layer for each way to call them."""
import torch
import torchvision
from torch import Tensor, nn

from hooks import Model
from models_vision import picture


class Nms(nn.Module):
    def __init__(self, threshold: float):
        super().__init__()
        self.threshold = threshold

    def forward(self, boxes: Tensor, scores: Tensor) -> Tensor:
        return torch.ops.torchvision.nms(boxes, scores, self.threshold)


class Suppression(nn.Module):
    def __init__(self):
        super().__init__()
        self.strict, self.medium, self.loose, self.asDouble = Nms(0.1), Nms(0.5), Nms(0.9), Nms(0.5)
        self.empty, self.all = Nms(0.5), Nms(-1.0)

    def forward(self, boxes: Tensor, scores: Tensor):
        kept = self.strict(boxes, scores), self.medium(boxes, scores), self.loose(boxes, scores)
        return kept, self.asDouble(boxes.double(), scores.double()), self.empty(boxes[:0], scores[:0]), self.all(boxes, scores)


class Align(nn.Module):
    def __init__(self, scale: float, down: int, across: int, sampling: int, aligned: bool):
        super().__init__()
        self.scale, self.down, self.across, self.sampling, self.aligned = scale, down, across, sampling, aligned

    def forward(self, x: Tensor, rois: Tensor) -> Tensor:
        return torch.ops.torchvision.roi_align(x, rois, self.scale, self.down, self.across, self.sampling, self.aligned)


class PositionAlign(nn.Module):
    def __init__(self, scale: float, bins: int, sampling: int):
        super().__init__()
        self.scale, self.bins, self.sampling = scale, bins, sampling

    def forward(self, x: Tensor, rois: Tensor):
        return torch.ops.torchvision.ps_roi_align(x, rois, self.scale, self.bins, self.bins, self.sampling)


class Pool(nn.Module):
    def __init__(self, scale: float, bins: int):
        super().__init__()
        self.scale, self.bins = scale, bins

    def forward(self, x: Tensor, rois: Tensor):
        return torch.ops.torchvision.roi_pool(x, rois, self.scale, self.bins, self.bins + 1)


class Regions(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed, self.adaptive = Align(0.5, 3, 2, 2, False), Align(1.0, 2, 2, -1, False)
        self.aligned, self.asHalf, self.asDouble = Align(0.5, 2, 3, -1, True), Align(0.5, 2, 2, 2, True), Align(0.25, 2, 2, -1, True)
        self.position, self.positionAdaptive, self.positionHalf = PositionAlign(0.5, 2, 2), PositionAlign(1.0, 2, -1), PositionAlign(1.0, 2, 1)
        self.pool, self.poolHalf, self.poolDouble, self.none = Pool(0.5, 2), Pool(1.0, 2), Pool(1.0, 1), Align(1.0, 2, 2, 2, True)

    def forward(self, x: Tensor, rois: Tensor):
        a = self.fixed(x, rois), self.adaptive(x, rois), self.aligned(x, rois), self.asHalf(x.half(), rois.half())
        b = self.asDouble(x.double(), rois.double()), self.position(x, rois), self.positionAdaptive(x, rois)
        c = self.positionHalf(x.half(), rois.half()), self.pool(x, rois), self.poolHalf(x.half(), rois.half())
        return a, b, c, self.poolDouble(x.double(), rois.double()), self.none(x, rois[:0])


def detections():
    torch.manual_seed(5)
    corner, size = torch.rand(40, 2) * 20, torch.rand(40, 2) * 12
    boxes = torch.cat([corner, corner + size], 1)
    scores = torch.rand(40)
    scores[10:20] = 0.5           # ties
    boxes[15] = boxes[14]         # two equal boxes
    boxes[3, 2:] = boxes[3, :2]   # no area
    boxes[4, 2:] = boxes[4, :2] - 1
    return boxes, scores


def regions():
    torch.manual_seed(6)
    corner = torch.rand(9, 2) * 10
    rois = torch.cat([torch.tensor([[0.], [1.], [0.], [1.], [1.], [0.], [1.], [0.], [1.]]), corner, corner + torch.rand(9, 2) * 9], 1)
    rois[0, 1:] = torch.tensor([-5.0, -3.0, 30.0, 25.0])   # beyond the picture
    rois[1, 3:] = rois[1, 1:3]                               # a point
    rois[2, 1:] = torch.tensor([8.0, 8.0, 3.0, 4.0])         # turned around
    rois[3, 1:] = torch.tensor([40.0, 40.0, 50.0, 50.0])     # outside
    return rois


class Deform(nn.Module):
    def __init__(self, width, groups, offsetGroups, kernel, dtype=torch.float32, **options):
        super().__init__()
        generator = torch.Generator().manual_seed(width)
        count = offsetGroups * kernel[0] * kernel[1]
        self.conv = torchvision.ops.DeformConv2d(4, width, kernel, groups=groups, **options)
        for p in self.conv.parameters():
            p.data = torch.randn(p.shape, generator=generator)
        self.offset = nn.Conv2d(4, 2 * count, kernel, **options)
        self.mask = nn.Conv2d(4, count, kernel, **options)
        for p in [*self.offset.parameters(), *self.mask.parameters()]:
            p.data = torch.randn(p.shape, generator=generator)
        self.to(dtype)

    def forward(self, x: Tensor):
        return self.conv(x, self.offset(x), torch.sigmoid(self.mask(x))), self.conv(x, self.offset(x))


class Deformable(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = Deform(3, 1, 1, (3, 3), padding=1)
        self.grouped = Deform(4, 2, 2, (2, 3), stride=(2, 1), padding=(0, 2), dilation=(1, 2))
        self.asDouble = Deform(2, 2, 4, (1, 2), torch.float64)
        self.asHalf = Deform(2, 1, 1, (2, 2), torch.float16)

    def forward(self, x: Tensor):
        return self.plain(x), self.grouped(x), self.asDouble(x.double()), self.asHalf(x.half())


def models():
    boxes, scores = detections()
    yield Model("nms", Suppression().eval(), [("boxes", boxes), ("scores", scores)], tolerance=0)
    yield Model("regions", Regions().eval(), [("x", picture(2, 8, 10, 12)), ("rois", regions())], tolerance=1e-6)
    yield Model("deformable", Deformable().eval(), [("x", picture(2, 4, 6, 7))])

# SPDX-License-Identifier: GPL-3.0-or-later
"""torchvision's detection models over narrow backbones, scripted as they are. Scripted they answer (losses, detections), in Python the detections
alone, so that the output has other names."""
from collections import OrderedDict
from functools import partial

from torch import nn
from torchvision.models.detection import MaskRCNN, FasterRCNN, RetinaNet
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.faster_rcnn import TwoMLPHead
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.models.detection.retinanet import RetinaNetHead
from torchvision.models.detection.ssd import SSD
from torchvision.models.detection.ssdlite import SSDLiteHead
from torchvision.ops import MultiScaleRoIAlign

from hooks import Model, members
from models_vision import picture, seeded


class Backbone(nn.Module):
    """Two maps of features, as a feature pyramid gives them."""

    def __init__(self, width=8):
        super().__init__()
        self.out_channels = width
        self.stem, self.down = nn.Conv2d(3, width, 3, 4, 1), nn.Conv2d(width, width, 3, 2, 1)

    def forward(self, x):
        out = OrderedDict()
        out["0"] = nn.functional.relu(self.stem(x))
        out["1"] = nn.functional.relu(self.down(out["0"]))
        return out


def anchors():
    return AnchorGenerator(((8,), (16,)), ((0.5, 1.0, 2.0),) * 2)


def pool(size):
    return MultiScaleRoIAlign(["0", "1"], size, 2)


SIZES = dict(min_size=32, max_size=40)
FEW = dict(rpn_anchor_generator=None, rpn_pre_nms_top_n_test=30, rpn_post_nms_top_n_test=12, box_detections_per_img=4)


def fasterRcnn():
    return FasterRCNN(Backbone(), num_classes=None, box_head=TwoMLPHead(8 * 9, 8), box_roi_pool=pool(3),
                      box_predictor=Predictor(8, 3), **SIZES, **(FEW | {"rpn_anchor_generator": anchors()}))


class Predictor(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.cls_score, self.bbox_pred = nn.Linear(width, classes), nn.Linear(width, classes * 4)

    def forward(self, x):
        return self.cls_score(x), self.bbox_pred(x)


def maskRcnn():
    return MaskRCNN(Backbone(4), num_classes=None, box_head=TwoMLPHead(4 * 9, 8), box_roi_pool=pool(3), box_predictor=Predictor(8, 3),
                    mask_roi_pool=pool(4), mask_head=MaskRCNNHeads(4, (4,), 1), mask_predictor=MaskRCNNPredictor(4, 4, 3), **SIZES,
                    **(FEW | {"rpn_anchor_generator": anchors(), "rpn_post_nms_top_n_test": 6, "box_detections_per_img": 2}))


def retinaNet():
    network = RetinaNet(Backbone(4), 2, anchor_generator=anchors(), head=RetinaNetHead(4, 3, 2, norm_layer=partial(nn.GroupNorm, 2)),
                        score_thresh=0.005, topk_candidates=20, detections_per_img=4, **SIZES)
    return network


def ssdLite():
    boxes = DefaultBoxGenerator([[2], [2]], min_ratio=0.2, max_ratio=0.95)
    head = SSDLiteHead([8, 8], boxes.num_anchors_per_location(), 3, partial(nn.BatchNorm2d, eps=0.001))
    return SSD(Backbone(), boxes, (24, 24), 3, head=head, score_thresh=0.05, topk_candidates=20, detections_per_img=4)


def detector(name, make):
    model = Model(name, seeded(make, 3), [("images", [picture(3, 30, 24).sigmoid()])], sourceLines=())
    with_output = {}
    for place, tensor in members(model.calls()[0][-1][2]):
        with_output["output" + place] = "output[1]" + place
    model.renamed = {"scripted": with_output}
    return model


def models():
    yield detector("faster_rcnn", fasterRcnn)
    yield detector("mask_rcnn", maskRcnn)
    yield detector("retinanet", retinaNet)
    yield detector("ssdlite", ssdLite)

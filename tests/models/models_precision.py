# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantized and 16-bit networks."""
import torch
import torch.utils.mkldnn
from torch import nn
from torch.ao import quantization

from hooks import Model
from models_vision import picture, seeded


class Static(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()
        self.conv, self.norm, self.relu = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()
        self.plain, self.pool, self.fc = nn.Conv2d(4, 4, 1), nn.AdaptiveAvgPool2d(2), nn.Linear(16, 3)
        self.add = torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.relu(self.norm(self.conv(self.quant(x))))
        x = self.add.add(x, self.plain(x))
        return self.dequant(self.fc(self.pool(x).flatten(1)))


def static():
    network = seeded(Static)
    network.qconfig = quantization.get_default_qconfig("x86")
    quantization.fuse_modules(network, [["conv", "norm", "relu"]], inplace=True)
    quantization.prepare(network, inplace=True)
    for seed in range(4):
        network(picture(2, 3, 8, 8, seed=seed))
    return quantization.convert(network)


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.rnn, self.head = kind(6, 4, batch_first=True), nn.Linear(4, 3)

    def forward(self, x):
        y, state = self.rnn(x)
        return self.head(y), state


def dynamic(kind):
    return quantization.quantize_dynamic(seeded(lambda: Recurrent(kind)), {nn.LSTM, nn.GRU, nn.Linear})


def plain():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.AvgPool2d(2), nn.Flatten(), nn.LayerNorm(36), nn.Linear(36, 5),
                         nn.Softmax(1))


class Mkldnn(nn.Module):
    """Layers whose outputs have MKL-DNN's own layout."""

    def __init__(self):
        super().__init__()
        self.conv = torch.utils.mkldnn.to_mkldnn(nn.Conv2d(3, 4, 3).eval())
        self.norm = torch.utils.mkldnn.to_mkldnn(nn.BatchNorm2d(4).eval())

    def forward(self, x):
        return self.norm(self.conv(x.to_mkldnn())).to_dense()


def models():
    torch.backends.quantized.engine = "x86"
    yield Model("static_int8", static(), [("x", picture(2, 3, 8, 8))], tolerance=0.02)
    yield Model("dynamic_lstm", dynamic(nn.LSTM), [("x", picture(2, 5, 6))], tolerance=0.02)
    yield Model("dynamic_gru", dynamic(nn.GRU), [("x", picture(2, 5, 6))], tolerance=0.02)
    yield Model("half", seeded(plain).half(), [("input", picture(1, 3, 8, 8).half())], ("scripted", "traced"), tolerance=0.004)
    yield Model("bfloat16", seeded(plain).bfloat16(), [("input", picture(1, 3, 8, 8).bfloat16())], tolerance=0.03)
    yield Model("double", seeded(plain).double(), [("input", picture(1, 3, 8, 8).double())], ("frozen",))
    torch.manual_seed(1)
    yield Model("mkldnn", Mkldnn().eval(), [("x", picture(1, 3, 6, 6))], sourceLines=())

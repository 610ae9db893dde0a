# SPDX-License-Identifier: GPL-3.0-or-later
"""More features of TorchScript: sharing, containers, arguments, devices, failures."""
from typing import Dict, List, Optional

import torch
from torch import Tensor, nn

from hooks import Model
from models_language import Branch
from models_vision import picture, seeded


class Shared(nn.Module):
    """A module under two names, one held by two parents, one called three times."""

    def __init__(self):
        super().__init__()
        self.first = Branch()
        self.second = self.first
        self.left, self.right = nn.Sequential(self.first.linear, nn.ReLU()), nn.Sequential(self.first.linear, nn.Tanh())
        self.often = nn.Linear(4, 4)

    def forward(self, x):
        x = self.second(self.first(x))
        x = self.left(x) + self.right(x)
        return self.often(self.often(self.often(x)))


class Containers(nn.Module):
    """Loops over ModuleList and ModuleDict, a container in a container, a parameter list."""

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Linear(4, 4), nn.ModuleList([nn.Linear(4, 4), nn.Tanh()])])
        self.heads = nn.ModuleDict({"mean": nn.Linear(4, 1), "log var": nn.Linear(4, 1)})
        self.unused = nn.ModuleDict({"a": nn.Linear(2, 2)})

    def forward(self, x):
        x = self.steps[0](x)
        for step in self.steps[1]:
            x = step(x)
        out: Dict[str, Tensor] = {}
        for name, head in self.heads.items():
            out[name] = head(x)
        return out


class Arguments(nn.Module):
    """Every kind of plain argument, with defaults."""

    def __init__(self):
        super().__init__()
        self.linear, self.other = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x, scale: float = 2.0, times: int = 1, flip: bool = False, mode: str = "tanh", shift: Optional[Tensor] = None,
                sizes: Optional[List[int]] = None):
        for _ in range(times):
            x = self.linear(x) * scale
        x = x.flip(1) if flip else x
        x = torch.tanh(x) if mode == "tanh" else self.other(x)
        if shift is not None:
            x = x + shift
        return x if sizes is None else x.reshape(-1, sizes[0]).repeat(sizes[1], 1)


class SeveralInputs(nn.Module):
    """Token ids, a mask and a picture."""

    def __init__(self):
        super().__init__()
        self.embed, self.conv, self.attention = nn.Embedding(11, 4), nn.Conv2d(1, 4, 3), nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, tokens, mask, image):
        pixels = self.conv(image).flatten(2).transpose(1, 2)
        y, weights = self.attention(self.embed(tokens), pixels, pixels, mask, True)
        return y, weights


class Listing(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, items: List[Tensor]) -> List[Tensor]:
        return [self.linear(t) for t in items]


class Device(nn.Module):
    """Traced on a GPU: devices are written into the code."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("table", torch.arange(4.0))

    def forward(self, x):
        x = self.linear(x) + torch.arange(4, dtype=torch.float32, device="cpu") + torch.ones(4, device=torch.device("cpu"))
        return x.to(torch.device("cpu")) + self.table


def onCuda(name, data):
    """The archive as if it had been saved on a GPU."""
    if name.startswith("code/") and name.endswith(".py"):
        return data.replace(b'torch.device("cpu")', b'torch.device("cuda:0")')
    return data.replace(b"X\3\0\0\0cpu", b"X\6\0\0\0cuda:0") if name == "data.pkl" else data


class ToSparse(nn.Module):
    def forward(self, x):
        return x.relu().to_sparse()


class ToRows(nn.Module):
    def forward(self, x):
        return x.to_dense().to_sparse_csr()


class Sparse(nn.Module):
    def __init__(self):
        super().__init__()
        self.coo, self.csr, self.linear = ToSparse(), ToRows(), nn.Linear(5, 2)

    def forward(self, x):
        s = self.coo(x)
        return self.linear(s.to_dense()), self.csr(s)


class Log(nn.Module):
    def forward(self, x) -> None:
        if x.numel() > 1000:
            print("large")


class Nothing(nn.Module):
    """None as a layer's output, as a member, and for an Optional."""

    def __init__(self):
        super().__init__()
        self.log, self.attention = Log(), nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        self.log(x)
        y = self.attention(x, x, x, need_weights=False)
        return y


class Training(nn.Module):
    """Dropout that draws random numbers."""
    keepTraining = True

    def __init__(self):
        super().__init__()
        self.linear, self.drop, self.last, self.feature = nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 4), nn.Dropout2d(0.5)

    def forward(self, x):
        return self.feature(self.last(self.drop(self.linear(x))).reshape(2, 4, 1, 1))


class Guard(nn.Module):
    def forward(self, x):
        if bool((x < 0).any()):
            raise ValueError("values must not be negative")
        return x


class Raising(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.inner, self.after = nn.Linear(3, 3), nn.Sequential(nn.Tanh(), Guard()), nn.Linear(3, 3)

    def forward(self, x):
        return self.after(self.inner(self.linear(x)))


class Mismatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(5, 2))

    def forward(self, x):
        return self.head(self.body(x))


class Methods(nn.Module):
    """Layers called by other methods and by free functions; a method that is exported beside forward."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.ModuleList([nn.Linear(4, 4)])

    @torch.jit.export
    def encode(self, x):
        return squashed(self.a(x))

    def decode(self, x, first: bool):
        y = self.b[0](x)
        return (y, self.encode(y)) if first else (y, y)

    def forward(self, x):
        y, z = self.decode(self.encode(x), True)
        return y + z


def squashed(x):
    return torch.tanh(x) * 2


class Spectrum(nn.Module):
    """A layer that gives complex numbers, integers and booleans."""

    def forward(self, x):
        y = torch.fft.rfft(x)
        return torch.view_as_real(y), x.argmax(-1), x > 0, x.to(torch.int8)


class Types(nn.Module):
    def __init__(self):
        super().__init__()
        self.spectrum = Spectrum()

    def forward(self, x):
        return self.spectrum(x)[1]


class Output(nn.Module):
    """A layer that is called as the model's own output, one that never runs, and lines that are printed."""

    def __init__(self):
        super().__init__()
        self.first, self.output, self.never = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4)), nn.Linear(4, 4)

    def forward(self, x, lines: int = 0):
        y = self.output(self.first(x)) + 1
        for i in range(lines):
            print("line", i, "of the model")
        return y if lines >= 0 else self.never(y)


def models():
    yield Model("shared", seeded(Shared), [("x", picture(2, 4))],
                aliases={"first": ["first", "second"], "first.linear": ["first.linear", "second.linear", "left.0", "right.0"]})
    yield Model("containers", seeded(Containers), [("x", picture(2, 4))])
    yield Model("arguments", seeded(Arguments), [("x", picture(2, 3))])
    yield Model("arguments_given", seeded(Arguments), [("x", picture(2, 3)), ("scale", -0.5), ("times", 2), ("flip", True), ("mode", "other"),
                                                       ("shift", picture(3)), ("sizes", [1, 2])])
    mask = torch.zeros(2, 16, dtype=torch.bool)
    mask[:, 10:] = True
    yield Model("several_inputs", seeded(SeveralInputs), [("tokens", torch.tensor([[1, 10], [0, 3]])), ("mask", mask),
                                                          ("image", picture(2, 1, 6, 6))])
    yield Model("list_input", seeded(Listing), [("items", [picture(2, 3), picture(1, 3, seed=3)])])
    yield Model("device", seeded(Device), [("x", picture(2, 4))], ("scripted", "traced"), edit=onCuda)
    yield Model("sparse", seeded(Sparse), [("x", picture(4, 5))])
    yield Model("nothing", seeded(Nothing), [("x", picture(1, 3, 4))])
    torch.manual_seed(1)
    yield Model("training", Training(), [("x", picture(2, 6))])
    yield Model("raising", seeded(Raising), [("x", picture(2, 3))], failure={"layer": "inner.1", "message": "values must not be negative"})
    yield Model("mismatch", seeded(Mismatch), [("x", picture(2, 3))], failure={"layer": "head.1", "message": "shapes cannot be multiplied"})
    yield Model("methods", seeded(Methods), [("x", picture(2, 4))])
    yield Model("output", seeded(Output), [("x", picture(2, 4))])
    yield Model("types", seeded(Types), [("x", picture(2, 8))])

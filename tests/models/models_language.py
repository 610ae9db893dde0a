# SPDX-License-Identifier: GPL-3.0-or-later
"""One model for each feature of TorchScript's language."""
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn

from hooks import Model
from models_vision import picture, seeded


class ControlFlow(nn.Module):
    """if, while and for; a layer in a loop; a branch that is not taken."""

    def __init__(self):
        super().__init__()
        self.first, self.step, self.often = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.taken, self.notTaken = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x, rounds: int = 2):
        x = self.first(x)
        left = rounds
        while left > 0:
            x = torch.tanh(self.step(x))
            left -= 1
        for i in range(3):
            if i != 1:
                x = self.often(x)
        if rounds > 10:
            x = self.notTaken(x)
        else:
            x = self.taken(x)
        return x


class Pair(NamedTuple):
    left: Tensor
    right: Tensor


class Split(nn.Module):
    def forward(self, x):
        return Pair(x + 1, x * 2)


class Gather(nn.Module):
    def forward(self, pair: Pair, extra: Optional[Tensor]):
        out: Dict[str, Tensor] = {"sum": pair.left + pair.right}
        if extra is not None:
            out["extra"] = extra
        return out


class Listed(nn.Module):
    def forward(self, x: List[Tensor]):
        return [t.relu() for t in x], (x[0], [x[1], x[0]])


class Maybe(nn.Module):
    def forward(self, x, give: bool) -> Optional[Tensor]:
        if give:
            return x
        return None


class Structures(nn.Module):
    """Lists, tuples, dicts, named tuples and Optional, in and out."""

    def __init__(self):
        super().__init__()
        self.split, self.gather, self.listed, self.some, self.none = Split(), Gather(), Listed(), Maybe(), Maybe()

    def forward(self, items: List[Tensor], named: Dict[str, Tensor], pair: Tuple[Tensor, Tensor]):
        both = self.split(items[0])
        first = self.gather(both, self.some(named["a"], True))
        second = self.gather(Pair(pair[0], pair[1]), self.none(items[1], False))
        lists, nested = self.listed([first["sum"], second["sum"]])
        return {"lists": lists}, both, nested


class InPlace(nn.Module):
    """Operators that overwrite a layer's output right after it."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True)
        self.last = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        y = self.relu(self.norm(self.conv(x)))
        y.mul_(3).add_(1)
        z = self.last(y)
        z[:, 0] = 7.0
        z.clamp_(min=-1)
        return z


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.sigmoid(self.linear(x))


class Forks(nn.Module):
    """fork and wait, a list of futures, a fork in a fork."""

    def __init__(self):
        super().__init__()
        self.one, self.two = Branch(), Branch()
        self.many = nn.ModuleList([Branch(), Branch(), Branch()])
        self.head = nn.Linear(4, 2)

    def inner(self, x):
        future = torch.jit.fork(self.two, x)
        return torch.jit.wait(future) + 1

    def forward(self, x):
        one = torch.jit.fork(self.one, x)
        nested = torch.jit.fork(self.inner, x)
        futures: List[torch.jit.Future[Tensor]] = []
        for branch in self.many:
            futures.append(torch.jit.fork(branch, x))
        y = torch.jit.wait(one) + torch.jit.wait(nested)
        for future in futures:
            y = y + torch.jit.wait(future)
        return self.head(y)


@torch.jit.interface
class Step(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Double(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


class Interfaces(nn.Module):
    """An attribute of interface type, and a ModuleList indexed at run time through the interface."""
    step: Step

    def __init__(self):
        super().__init__()
        self.step = Affine()
        self.steps = nn.ModuleList([Double(), Affine(), Affine()])

    def forward(self, x: Tensor, which: int = 1) -> Tensor:
        x = self.step.forward(x)
        chosen: Step = self.steps[which]
        x = chosen.forward(x)
        last: Step = self.steps[2]
        return last.forward(x)


class InterfacesEager(Interfaces):
    """The same with calls that fire eager hooks (`forward` called by name does not)."""

    def forward(self, x: Tensor, which: int = 1) -> Tensor:
        return self.steps[-1](self.steps[which](self.step(x)))


def interfaces():
    eager, scripted = seeded(InterfacesEager), seeded(Interfaces)
    scripted.load_state_dict(eager.state_dict())
    return Model("interfaces", eager, [("x", picture(2, 4))], script=torch.jit.script(scripted))


def models():
    yield Model("control_flow", seeded(ControlFlow), [("x", picture(2, 4))])
    yield Model("structures", seeded(Structures), [("items", [picture(2, 3), picture(2, 3, seed=3)]),
                                                    ("named", {"a": picture(3, seed=4), "b": picture(1)}),
                                                    ("pair", (picture(2, 3, seed=5), picture(3, seed=6)))])
    yield Model("in_place", seeded(InPlace), [("x", picture(1, 3, 8, 8))], ("scripted", "traced", "frozen"))
    yield Model("forks", seeded(Forks), [("x", picture(2, 4))])
    yield interfaces()

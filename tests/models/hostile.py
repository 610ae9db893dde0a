# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that do harm, compiled by PyTorch itself (format: make_hostile.py)."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn

class ReadsInForward(nn.Module):
    def forward(self, x):
        return torch.from_file("/etc/passwd", False, 16, dtype=torch.uint8)


class ReadsProcess(nn.Module):
    """Its own memory, through the file system."""

    def forward(self, x):
        return torch.from_file("/proc/self/mem", True, 16, dtype=torch.uint8)


class WritesInForward(nn.Module):
    """from_file with shared=True makes the file."""

    def forward(self, x):
        y = torch.from_file("actiscope_hostile_output", True, 16, dtype=torch.uint8)
        y.fill_(65)
        return y


class SavesInForward(nn.Module):
    def forward(self, x):
        torch.save(x, "actiscope_hostile_output")
        return x


class SavesAnywhere(nn.Module):
    def forward(self, x):
        torch.save(x, "/tmp/actiscope_hostile_output")
        return x


class AtLoad(nn.Module):
    """Base of what acts in __setstate__, while the file is being loaded."""

    def __init__(self):
        super().__init__()
        self.x = torch.zeros(3)

    @torch.jit.export
    def __getstate__(self):
        return self.x, self.training

    def forward(self, x):
        return x + self.x


class ReadsAtLoad(AtLoad):
    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]):
        self.x = torch.from_file("/etc/passwd", False, 16, dtype=torch.uint8)
        self.training = state[1]


class WritesAtLoad(AtLoad):
    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]):
        y = torch.from_file("actiscope_hostile_output", True, 3, dtype=torch.uint8)
        self.x = y.fill_(65).float()   # unused, it would be removed as dead code
        self.training = state[1]


class SavesAtLoad(AtLoad):
    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]):
        torch.save(state[0], "actiscope_hostile_output")
        self.x = state[0]
        self.training = state[1]


class SpinsAtLoad(AtLoad):
    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]):
        n = 0
        while state[0].numel() > 0:
            n += 1
        self.x = state[0]
        self.training = state[1]


class DividesAtLoad(AtLoad):
    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]):
        n = state[0].numel() % (state[0].dim() - 1)
        self.x = state[0] * n
        self.training = state[1]


class LoadsLibrary(nn.Module):
    """NNAPI's class loads a shared library by its name."""

    def forward(self, x):
        c = torch.classes._nnapi.Compilation()
        c.init(torch.zeros(4, dtype=torch.int32), [x])
        return x


class Spins(nn.Module):
    def forward(self, x):
        n = 0
        while x.numel() > 0:
            n += 1
        return x + n


class PrintsForever(nn.Module):
    def forward(self, x):
        while x.numel() > 0:
            print("a line that the window must not keep without end")
        return x


class AllocatesAtOnce(nn.Module):
    def forward(self, x):
        return torch.ones(1 << 38, dtype=torch.uint8)


class AllocatesSlowly(nn.Module):
    def forward(self, x):
        kept: List[Tensor] = []
        while x.numel() > 0:
            kept.append(torch.ones(1 << 26, dtype=torch.uint8))
        return kept


class ListGrows(nn.Module):
    def forward(self, x):
        kept = [1]
        while x.numel() > 0:
            kept.append(1)
        return len(kept)


class StringDoubles(nn.Module):
    def forward(self, x):
        s = "a"
        for _ in range(40):
            s = s + s
        return x + len(s)


class Modulo(nn.Module):
    def forward(self, x):
        return x + 5 % (x.dim() - 2)


class Overflows(nn.Module):
    def forward(self, x):
        return x + (-9223372036854775807 - x.size(0) + 1) // (1 - x.dim())


class Inner(nn.Module):
    def forward(self, x):
        return x + 1


class CallsOften(nn.Module):
    """More captures than anybody can show."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        for _ in range(1 << 40):
            x = self.inner(x)
        return x


class Expand(nn.Module):
    def forward(self, x):
        return x.flatten()[:1].expand(1 << 40)


class Expands(nn.Module):
    """A layer's output of 2^40 elements that takes four bytes of memory."""

    def __init__(self):
        super().__init__()
        self.expand = Expand()

    def forward(self, x):
        return self.expand(x)[:4]


class BadSparse(nn.Module):
    def forward(self, x):
        return torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor([[1 << 40, -7]]), torch.ones(2), [4])


class BadRows(nn.Module):
    def forward(self, x):
        return torch.ops.aten._sparse_csr_tensor_unsafe(torch.tensor([0, 1 << 40, -3]), torch.tensor([1 << 33, -1]), torch.ones(2), [2, 2])


class SparseLies(nn.Module):
    """Sparse tensors whose indices lie outside their shapes."""

    def __init__(self):
        super().__init__()
        self.coo, self.csr = BadSparse(), BadRows()

    def forward(self, x):
        a, b = self.coo(x), self.csr(x)
        return x


class SparseWrites(nn.Module):
    """Made dense, such indices write outside of memory."""

    def forward(self, x):
        return torch.ops.aten._sparse_coo_tensor_unsafe(torch.tensor([[1 << 44]]), torch.ones(1), [4]).to_dense()


class ForksForever(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        futures: List[torch.jit.Future[Tensor]] = []
        while x.numel() > 0:
            futures.append(torch.jit.fork(self.inner, x))
        return torch.jit.wait(futures[0])


class TakesClass(nn.Module):
    """An argument that nobody can give from outside."""

    def forward(self, x, stream: torch.classes.profiler._RecordFunction):
        return x


class Many(nn.Module):
    """A dict output with very many members."""

    def __init__(self):
        super().__init__()
        self.inner = ManyInner()

    def forward(self, x):
        return len(self.inner(x))


class ManyInner(nn.Module):
    def forward(self, x):
        out: Dict[int, Tensor] = {}
        for i in range(1 << 30):
            out[i] = x
        return out


class NoForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    @torch.jit.export
    def encode(self, x):
        return x * self.weight

# SPDX-License-Identifier: GPL-3.0-or-later
"""For the record: what numpy's, PyTorch's and numba's one-liners take for the rows of ./dev bench, where they are installed.

Usage: one_liners.py THREADS ROUNDS SHAPE [ONLY]   (SHAPE: B,C,H,W; ONLY: a part of a row's name)
Prints medians in ms; ./dev bench runs it at its end. numpy works on one thread.
"""
import importlib
import os
import statistics
import sys
import time

THREADS, ROUNDS = int(sys.argv[1]), int(sys.argv[2])
SHAPE = tuple(int(n) for n in sys.argv[3].split(","))
ONLY = sys.argv[4] if len(sys.argv) > 4 else ""
os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numpy, torch, numba = load("numpy"), load("torch"), load("numba")


def show(name, text, work):
    if ONLY not in name:
        return
    work()
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append((time.perf_counter() - begin) * 1e3)
    print(f"{name:<34}{statistics.median(times):>10.2f}  {text}", flush=True)


def numpyRows(x, y, t, percent, first):
    show(f"counts/{percent}", "numpy: (x > t).sum((2, 3))", lambda: (x > t).sum((2, 3)))
    show(f"counts/{percent}", "numpy: count_nonzero(x > t, (2, 3))", lambda: numpy.count_nonzero(x > t, (2, 3)))
    show(f"coords_int64/{percent}", "numpy: argwhere(x > t)", lambda: numpy.argwhere(x > t))
    show(f"coords_u32/{percent}", "numpy: flatnonzero(x > t)", lambda: numpy.flatnonzero(x > t))
    show(f"update/{percent}", "numpy: where(x > t, 5, x)", lambda: numpy.where(x > t, numpy.float32(5), x))
    if first:
        show("argmax", "numpy: x.argmax(1)", lambda: x.argmax(1))
        show("fusion", "numpy: where(norm(x) >= norm(y), x, y)",
             lambda: numpy.where(((x * x).sum((2, 3)) >= (y * y).sum((2, 3)))[:, :, None, None], x, y))


def torchRows(x, y, t, percent, first):
    show(f"counts/{percent}", "torch: (x > t).sum((2, 3))", lambda: (x > t).sum((2, 3)))
    show(f"coords_int64/{percent}", "torch: (x > t).nonzero()", lambda: (x > t).nonzero())
    show(f"coords_u32/{percent}", "torch: (x > t).flatten().nonzero()", lambda: (x > t).flatten().nonzero())
    show(f"update/{percent}", "torch: x.masked_fill(x > t, 5)", lambda: x.masked_fill(x > t, 5))
    if first:
        show("argmax", "torch: x.max(1)", lambda: x.max(1))
        norm = torch.linalg.vector_norm
        show("fusion", "torch: where(vector_norm(x) >= vector_norm(y), x, y)",
             lambda: torch.where(norm(x, dim=(2, 3), keepdim=True) >= norm(y, dim=(2, 3), keepdim=True), x, y))


def numbaFused():
    @numba.njit(parallel=True, fastmath=False)
    def fused(x, t, counts, countMap, sumMap, maxMap):
        batches, channels, pixels = x.shape
        tile = 2048
        tiles = (pixels + tile - 1) // tile
        for item in numba.prange(batches * tiles):
            b, first = item // tiles, item % tiles * tile
            last = min(first + tile, pixels)
            for c in range(channels):
                n = 0
                for i in range(first, last):
                    v = x[b, c, i]
                    if v > t:
                        n += 1
                        countMap[b, i] += 1
                        sumMap[b, i] += v
                        maxMap[b, i] = max(maxMap[b, i], v)
                counts[item % tiles, b, c] = n
    return fused


def numbaRows(x, t, percent):
    flat = x.reshape(x.shape[0], x.shape[1], -1)
    fused = numbaFused()
    counts = numpy.zeros(((flat.shape[2] + 2047) // 2048, flat.shape[0], flat.shape[1]), numpy.int64)
    maps = [numpy.zeros((flat.shape[0], flat.shape[2]), d) for d in (numpy.int32, numpy.float64, numpy.float32)]

    def run():
        maps[0][:] = 0
        maps[1][:] = 0
        maps[2][:] = -numpy.inf
        fused(flat, t, counts, *maps)

    show(f"fused/{percent}", "numba: one parallel loop", run)


def labelRows():
    labels = numpy.random.default_rng(3).integers(0, 5000, 1 << 24, dtype=numpy.int32)
    show("label_counts", "numpy: bincount", lambda: numpy.bincount(labels))
    show("label_counts/unique", "numpy: unique(return_counts=True)", lambda: numpy.unique(labels, return_counts=True))
    if torch:
        show("label_counts", "torch: bincount", lambda: torch.from_numpy(labels).bincount())


def main():
    if numpy is None:
        print("numpy is not installed: no Python one-liners")
        return
    if torch:
        torch.set_num_threads(THREADS)
    if numba:
        numba.set_num_threads(THREADS)
    known = [f"{m.__name__} {m.__version__}" for m in (numpy, torch, numba) if m]
    print("for the record, Python one-liners in ms: " + ", ".join(known), flush=True)
    random = numpy.random.default_rng(1)
    x, y = (random.standard_normal(SHAPE, dtype=numpy.float32) for _ in range(2))
    for i, fraction in enumerate((0.00002, 0.008, 0.1)):
        t = float(numpy.quantile(x.ravel()[::37], 1 - fraction))
        percent = f"{fraction * 100:g}%"
        numpyRows(x, y, numpy.float32(t), percent, i == 0)
        if torch:
            torchRows(torch.from_numpy(x), torch.from_numpy(y), t, percent, i == 0)
        if numba:
            numbaRows(x, numpy.float32(t), percent)
    if ONLY in "label_counts/unique":
        labelRows()


main()

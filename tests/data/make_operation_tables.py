# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/engine/{float8,updates,labels,label_counts,norms}.txt: what PyTorch 2.11 answers, beside which the tests of
the engine's labels, select and norms stand.

Needs torch 2.11, numpy. Run: python3 tests/data/make_operation_tables.py
"""
import math

import torch

from make_engine_tables import DTYPES, OUT, isFloat, number, values

COMPLEX = ["complex64", "complex128"]
#: update, numbers (none: -): of set and scale one, of clamp two.
SETS = ["0", "1", "-1", "300", "-255", "-256", "127", "128", "-128", "-129", "255", "65535", "65536", "-65535", "2147483647", "2147483648",
        "-2147483648", "-2147483649", "4294967295", "16777217", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "0.0", "-0.0", "1.5", "-1.5", "-0.5", "254.9", "255.5", "0.1", "65504.0", "65519.0", "65520.0", "1e-50", "1e5",
        "3.4028234e38", "3.4028235677973366e38", "1e39", "1e300", "inf", "-inf", "nan"]
BOUNDS = [("0", "1"), ("1", "0"), ("-1", "5"), ("-2", "-"), ("-", "2"), ("-0.5", "1.5"), ("0.1", "-"), ("-", "300"), ("-", "70000"), ("-0.0", "-"),
          ("0.0", "-"), ("-", "-0.0"), ("-inf", "1.0"), ("nan", "1.0"), ("-", "nan"), ("1e300", "-"), ("-1e39", "0.1"), ("16777217", "-")]
FACTORS = ["0", "1", "2", "3", "-1", "300", "256", "65537", "-7", "4294967297", "9223372036854775807", "0.5", "-0.0", "0.1", "1.1", "1e-40",
           "1e300", "3.0", "inf", "nan"]
WHERES = ["!= 0", "> 1", "nan"]


def raw(x):
    x = x.contiguous()
    parts = torch.view_as_real(x) if x.dtype.is_complex else x
    return bytes(parts.view(torch.uint8).reshape(-1).tolist()).hex()


def numberOf(text):
    return math.nan if text == "nan" else number(text)


def mask(x, where):
    if where == "nan":
        return torch.isnan(x)
    return x != 0 if where == "!= 0" else x > 1


def update(x, where, kind, numbers):
    """The elements after PyTorch's in-place operation on the hot ones, or nothing where it refuses."""
    y = x.clone()
    hot = mask(x, where)
    part = y[hot]
    try:
        if kind == "set":
            y.masked_fill_(hot, numberOf(numbers[0]))
            return y
        if kind == "abs":
            part.abs_()
        elif kind == "negate":
            part.neg_()
        elif kind == "scale":
            part.mul_(numberOf(numbers[0]))
        else:
            lower, upper = [None if n == "-" else numberOf(n) for n in numbers]
            part.clamp_(lower, upper)
    except RuntimeError as error:
        assert "not implemented" not in str(error), error
        return None
    y[hot] = part
    return y


def updates():
    lines = ["# values DTYPE: stored bytes of the elements, little-endian",
             "# DTYPE UPDATE NUMBER NUMBER WHERE: stored bytes afterwards, or why not: refused"]
    asked = [("set", (n, "-")) for n in SETS] + [("abs", ("-", "-")), ("negate", ("-", "-"))]
    asked += [("clamp", pair) for pair in BOUNDS] + [("scale", (n, "-")) for n in FACTORS]
    for name in [n for n in DTYPES if "float8" not in n and n not in ("uint16", "uint32", "uint64")] + COMPLEX:
        if name in COMPLEX:
            parts = [0.0, -0.0, 1.0, 0.1, math.inf, math.nan]
            x = torch.tensor([complex(a, b) for a in parts for b in parts], dtype=torch.complex128).to(getattr(torch, name))
        else:
            x = values(name)
        lines.append(f"values {name} {raw(x)}")
        for kind, numbers in asked:
            for where in WHERES:
                if (where == "nan" and not isFloat(name)) or (where == "> 1" and name in COMPLEX):
                    continue
                if kind == "set" and where != "!= 0" and numbers[0] not in ("1", "nan"):
                    continue
                # bool has no kernels that in-place operations could refuse by name.
                if name == "bool" and kind in ("abs", "negate"):
                    continue
                after = update(x, where, kind, numbers)
                lines.append(f"{name} {kind} {numbers[0]} {numbers[1]} {where.replace(' ', '')} " + (raw(after) if after is not None else "refused"))
    (OUT / "updates.txt").write_text("\n".join(lines) + "\n")


def smallTensor(name, seed):
    """[2, 5, 3, 7] with many ties, -0, NaN and infinities."""
    generator = torch.Generator().manual_seed(seed)
    k = torch.randint(-3, 4, (2, 5, 3, 7), generator=generator)
    if name == "bool":
        return k > 1
    if not isFloat(name):
        return (k % 4 if name.startswith("u") else k).to(getattr(torch, name))
    x = k.double() / 2
    x[torch.rand(x.shape, generator=generator) < 0.1] = -0.0
    x[torch.rand(x.shape, generator=generator) < 0.05] = math.inf
    x[torch.rand(x.shape, generator=generator) < 0.1] = -math.inf
    x[torch.rand(x.shape, generator=generator) < 0.05] = math.nan
    return x.to(getattr(torch, name))


def labels():
    lines = ["# DTYPE: stored bytes of [2, 5, 3, 7], argmax over the channels, the values there"]
    counts = ["# DTYPE: stored bytes of [2, 5, 3, 7], then id:count of torch.unique"]
    for name in [n for n in DTYPES if "float8" not in n and n not in ("uint16", "uint32", "uint64")]:
        x = smallTensor(name, len(name))
        wide = x.to(torch.uint8) if name == "bool" else x
        best = wide.argmax(1)
        lines.append(f"{name} {raw(x)} {','.join(str(v) for v in best.flatten().tolist())} {raw(x.gather(1, best[:, None]))}")
        if not isFloat(name):
            ids, n = torch.unique(x, return_counts=True)
            counts.append(f"{name} {raw(x)} " + " ".join(f"{int(i)}:{c}" for i, c in zip(ids.tolist(), n.tolist())))
    (OUT / "labels.txt").write_text("\n".join(lines) + "\n")
    (OUT / "label_counts.txt").write_text("\n".join(counts) + "\n")


def norms():
    lines = ["# values DTYPE: stored bytes of [2, 5, 3, 7]", "# DTYPE P: the norms per (batch, channel)"]
    for name in [n for n in DTYPES if "float8" not in n] + COMPLEX:
        x = smallTensor("float64" if name in COMPLEX else name, 3)
        if name in COMPLEX:
            x = torch.complex(x.nan_to_num(1, 2, 3), x.nan_to_num(4, 5, 6).flip(0)).to(getattr(torch, name))
        wide = x.abs().double() if name in COMPLEX else x.double()
        lines.append(f"values {name} {raw(x)}")
        for p in (0, 0.5, 1, 2, 3, 7.25, math.inf):
            answer = torch.linalg.vector_norm(wide, p, dim=(2, 3)).flatten().tolist()
            lines.append(f"{name} {p} {' '.join(repr(v) for v in answer)}")
    (OUT / "norms.txt").write_text("\n".join(lines) + "\n")


def float8():
    """Values at, beside and halfway between the numbers of each 8-bit float."""
    lines = ["# DTYPE: float32 values, and their bytes as the dtype"]
    for name in [n for n in DTYPES if "float8" in n]:
        dtype = getattr(torch, name)
        numbers = torch.arange(256, dtype=torch.uint8).view(dtype).float()
        numbers = numbers[torch.isfinite(numbers)].unique()
        middles = (numbers[1:] + numbers[:-1]) / 2
        top = numbers.max() * torch.tensor([1.01, 1.03, 1.0357, 1.05, 1.07, 1.1, 1.2, 2.0, 1e30])
        x = torch.cat([numbers, middles, torch.nextafter(middles, torch.tensor(math.inf)), torch.nextafter(middles, torch.tensor(-math.inf)), top,
                       -top, torch.tensor([-0.0, math.inf, -math.inf, math.nan, 1e-30, -1e-30, 1e-45])])
        lines.append(f"{name} {raw(x)} {raw(x.to(dtype))}")
    (OUT / "float8.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    float8()
    updates()
    labels()
    norms()

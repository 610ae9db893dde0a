# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/engine/*.txt: what PyTorch 2.11 and scikit-image answer, beside which the engine's tests stand.

Needs torch 2.11, numpy, scikit-image. Run: python3 tests/data/make_engine_tables.py
"""
import math
import operator
import pathlib
from fractions import Fraction

import numpy
import skimage.filters
import torch

OUT = pathlib.Path(__file__).parent / "engine"
OPERATORS = [(">", operator.gt), (">=", operator.ge), ("<", operator.lt), ("<=", operator.le), ("==", operator.eq), ("!=", operator.ne)]
DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float8_e4m3fn", "float8_e5m2",
          "float8_e4m3fnuz", "float8_e5m2fnuz", "float16", "bfloat16", "float32", "float64"]
INTEGERS = [0, 1, 2, 43, 44, 45, 100, 126, 127, 128, 129, 212, 213, 254, 255, 256, 300, 32767, 32768, 65535, 2**24 - 1, 2**24, 2**24 + 1,
            2**24 + 2, 2**24 + 3, 2**31 - 1, 2**31, 2**32 - 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1, 2**63 - 1025, 2**63 - 513,
            2**63 - 512, 2**63 - 1, 2**63, 2**64 - 1]
FLOATS = ["0.0", "-0.0", "5e-324", "1e-320", "1e-45", "1e-40", "6e-8", "1e-7", "0.1", "0.09999999403953552", "0.10000000149011612",
          "0.0999755859375", "0.100006103515625", "0.1001", "0.5", "1.0", "1.0009765625", "1.00390625", "1.0078125", "1.5", "44.0", "240.0",
          "448.0", "57344.0", "65504.0", "16777215.0", "16777216.0", "16777217.0", "16777218.0", "9007199254740992.0", "9.3e18",
          "3.4028234663852886e38", "1.7976931348623157e308", "inf", "nan"]
THRESHOLDS = ["0", "1", "2", "-1", "44", "45", "300", "127", "128", "-128", "-129", "255", "256", "-256", "-300", "65535", "65536",
              "16777216", "16777217", "-16777217", "2147483647", "2147483648", "4294967295", "9007199254740992", "9007199254740993",
              "9223372036854775807", "9223372036854775808", "18446744073709551615", "-9223372036854775808", "-9223372036854775807",
              "0.0", "-0.0", "0.1", "-0.1", ".5", "-0.5", "1.", "1.5", "44.5", "-44.5", "254.5", "16777216.5", "16777217.0", "16777218.5",
              "9007199254740993.0", "9.223372036854775807e18", "1.8446744073709551615e19", "1e300", "-1e300", "1e-320", "1e-400", "-1e-400",
              "1e400", "-1e400", "inf", "-inf", "65504.0", "65519.9", "65520.0", "1.00048828125", "1.001953125", "1.00390625", "448.0",
              "464.5", "3.4028235677973366e38", "3.4028235e38", "2e-45", "7e-46", "0.1000000014901161193847656250",
              "0.10000000149011611938476562500000000000000000000001", "9007199254740992.5", "1e3", "1E+2"]
PAIRS = [("0", "1"), ("-1", "1"), ("1", "-1"), ("44", "300"), ("-0.5", "44.5"), ("0.1", "0.5"), ("inf", "inf"), ("-inf", "inf"),
         ("16777216", "16777216.5"), ("1.5", "0.5"), ("0", "inf"), ("9223372036854775807", "9223372036854775808")]


def isFloat(name):
    return name.startswith(("float", "bfloat"))


def values(name):
    dtype = getattr(torch, name)
    if name == "bool":
        return torch.tensor([False, True])
    if isFloat(name):
        numbers = [float(v) for v in FLOATS] + [-float(v) for v in FLOATS]
        x = torch.tensor(numbers, dtype=torch.float64).to(torch.float32 if "float8" in name else torch.float64).to(dtype)
        raw = {bytes(r): i for i, r in reversed(list(enumerate(x.view(torch.uint8).reshape(len(x), -1).tolist())))}
        return x[sorted(raw.values())]
    info = torch.iinfo(dtype)
    numbers = sorted({v for v in INTEGERS + [-v for v in INTEGERS] + [-2**63 + 512, -2**63 + 513] if info.min <= v <= info.max})
    return torch.from_numpy(numpy.array(numbers, dtype=getattr(numpy, name)))


def number(text):
    return float(text) if any(c in text for c in ".eE") or "inf" in text else int(text)


def wrap(t, name):
    bits = torch.iinfo(getattr(torch, name)).bits
    t %= 1 << bits
    return t - (1 << bits) if torch.iinfo(getattr(torch, name)).min < 0 and t >= 1 << (bits - 1) else t


def compared(x, name, t):
    """(list of values, threshold) such that Python's own comparison of the two is PyTorch's."""
    if isinstance(t, int) and name == "bool":
        return [int(v) for v in x.tolist()], t
    if isinstance(t, int) and not isFloat(name):
        return x.tolist(), wrap(t, name)
    if not isFloat(name):
        return [float(numpy.float32(v)) for v in x.numpy()], torch.tensor(t, dtype=torch.float64).float().item()
    dtype = torch.float32 if "float8" in name else getattr(torch, name)
    scalar = torch.empty((), dtype=dtype).fill_(0)
    if isinstance(t, int):
        scalar = (torch.tensor(t, dtype=torch.uint64) if t >= 2**63 else torch.tensor(t, dtype=torch.int64)).to(dtype)
    else:
        scalar = torch.tensor(t, dtype=torch.float64).to(dtype)
    return x.to(dtype).tolist(), scalar.item()


def native(x, op, t):
    """PyTorch's own answer, or nothing where it has none."""
    if "float8" in str(x.dtype):
        x = x.float()
    try:
        return op(x, t).tolist()
    except (NotImplementedError, RuntimeError):
        return None


def magnitude(values_):
    return [abs(v) for v in values_]


def exactly(x, text):
    """Values and threshold as exact numbers; infinities and NaN stay float."""
    stored = x.float() if "float8" in str(x.dtype) else x
    t = float(text) if "inf" in text else Fraction(text)
    return [v if isinstance(v, float) and not math.isfinite(v) else Fraction(v) for v in stored.tolist()], t


def compare(op, v, t):
    if isinstance(v, float) and math.isnan(v):
        return op is operator.ne
    return op(v, t)


def bits(flags):
    """Hexadecimal, the first element in the highest bit of the first digit."""
    text = "".join("1" if f else "0" for f in flags)
    text += "0" * (-len(text) % 4)
    return f"{int(text, 2):0{len(text) // 4}x}"


def row(x, name, text, comparison):
    t = number(text)
    left, right = compared(x, name, t) if comparison == "torch" else exactly(x, text)
    fields = []
    for symbol, op in OPERATORS:
        flags = [compare(op, v, right) for v in left]
        if comparison == "torch":
            own = native(x, op, t)
            assert own is None or own == flags, (name, symbol, text, own, flags)
        fields.append(bits(flags))
    for symbol, op in OPERATORS[:2]:
        flags = [compare(op, v, right) for v in magnitude(left)]
        if comparison == "torch" and name not in ("bool",):
            try:
                own = op((x.float() if "float8" in name else x).abs(), t).tolist()
                # abs of the smallest integer overflows in PyTorch; here it is the magnitude.
                smallest = None if isFloat(name) else torch.iinfo(x.dtype).min
                assert all(o == f for o, f, v in zip(own, flags, x.tolist()) if v != smallest or v == 0), (name, symbol, text)
            except (NotImplementedError, RuntimeError):
                pass
        fields.append(bits(flags))
    threshold = right if comparison == "torch" else (t if isinstance(t, int) else float(t))
    return f"{comparison} {name} {text} {threshold!r} {' '.join(fields)}"


def pair(x, name, a, b, comparison):
    def cut(text):
        return compared(x, name, number(text)) if comparison == "torch" else exactly(x, text)
    (left, ra), (left2, rb) = cut(a), cut(b)
    between = [compare(operator.ge, v, ra) and compare(operator.le, w, rb) for v, w in zip(left, left2)]
    outside = [compare(operator.lt, v, ra) or compare(operator.gt, w, rb) for v, w in zip(left, left2)]
    return f"{comparison} {name} {a} {b} {bits(between)} {bits(outside)}"


def conditions():
    lines = ["# values DTYPE: stored bytes of each element, little-endian",
             "# COMPARISON DTYPE T: threshold compared, then hot elements of >, >=, <, <=, ==, !=, abs >, abs >=",
             "# (hexadecimal, the first element in the highest bit)"]
    pairs = ["# COMPARISON DTYPE A B: hot elements of between, outside"]
    for name in DTYPES:
        x = values(name)
        raw = x.contiguous().view(torch.uint8).reshape(x.numel(), -1)
        lines.append(f"values {name} " + " ".join(bytes(r.tolist()).hex() for r in raw))
        for comparison in ("torch", "exact"):
            lines += [row(x, name, text, comparison) for text in THRESHOLDS]
            pairs += [pair(x, name, a, b, comparison) for a, b in PAIRS]
    (OUT / "conditions.txt").write_text("\n".join(lines) + "\n")
    (OUT / "intervals.txt").write_text("\n".join(pairs) + "\n")


def generated(name, n, seed, shift):
    """Elements that the test makes again: a linear congruential generator's top 24 bits, as k or k / 2^16."""
    numbers, state = [], seed
    for _ in range(n):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        numbers.append((state >> 40) - 2**23 >> shift)
    if name == "bool":
        return torch.tensor([k % 2 == 1 for k in numbers])
    if isFloat(name):
        x = torch.tensor([k / 65536 for k in numbers], dtype=torch.float32)
        x[5::17], x[7::29], x[11::31] = math.nan, math.inf, -math.inf
        return x.to(getattr(torch, name))
    info = torch.iinfo(getattr(torch, name))
    wrapped = [(k - info.min) % (info.max - info.min + 1) + info.min for k in numbers]
    return torch.from_numpy(numpy.array(wrapped, dtype=getattr(numpy, name)))


def rule(x, kind, parameter):
    if "float8" in str(x.dtype):
        x = x.float()
    finite = x[torch.isfinite(x)] if x.dtype.is_floating_point else x
    if finite.numel() == 0:
        return None
    exact = finite.double()
    if kind == "percentile":
        return torch.quantile(exact, float(parameter) / 100).item()
    if kind == "max":
        return float(parameter) * exact.max().item()
    if kind == "sigma":
        numbers = exact.tolist()
        mean = math.fsum(numbers) / len(numbers)
        return mean + float(parameter) * math.sqrt(math.fsum((v - mean) ** 2 for v in numbers) / len(numbers))
    image = finite.float().numpy() if x.dtype == torch.bfloat16 else finite.numpy()
    if not isFloat(str(x.dtype)[6:]) and x.dtype != torch.bool and int(image.max()) - int(image.min()) >= 65536:
        image = image.astype(numpy.float64)
    try:
        return float(skimage.filters.threshold_otsu(image, nbins=256))
    except ValueError:
        return float(skimage.filters.threshold_otsu(image.astype(numpy.float64), nbins=256))


def rules():
    lines = ["# DTYPE N SEED SHIFT RULE: threshold"]
    for name in DTYPES:
        for n, seed, shift in [(1, 1, 0), (2, 2, 0), (7, 3, 4), (1000, 4, 0), (4999, 5, 12), (70000, 6, 8), (300000, 7, 2), (64, 8, 24)]:
            x = generated(name, n, seed, shift)
            for kind, parameter in [("percentile", "0"), ("percentile", "50"), ("percentile", "99.9"), ("percentile", "12.34"),
                                    ("percentile", "100"), ("sigma", "2.5"), ("max", "0.3"), ("otsu", "")]:
                lines.append(f"{name} {n} {seed} {shift} {kind} {parameter or '-'} {rule(x, kind, parameter)!r}")
    (OUT / "rules.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    conditions()
    rules()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tests/data/cli: small files, and in expected.json what the command line must say of them, computed by PyTorch,
NumPy, matplotlib and scikit-image. Run by hand (python make_cli_tables.py) with PyTorch 2.11; the results are committed."""
import base64
import io
import json
import math
import pathlib

import matplotlib
import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file
from skimage.filters import threshold_otsu

FOLDER = pathlib.Path(__file__).parent / "cli"
DEFAULT_LAYOUT = {0: "", 1: "W", 2: "HW", 3: "CHW", 4: "NCHW", 5: "NCDHW"}
COMPARE = {">": torch.gt, ">=": torch.ge, "<": torch.lt, "<=": torch.le, "==": torch.eq, "!=": torch.ne}
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)


def number(text):
    """A number as a user types it into Python."""
    return float(text) if any(c in text for c in ".eEi") else int(text)


def compared(dtype, t):
    """What PyTorch makes of a Python number next to a tensor."""
    if dtype == torch.bool and isinstance(t, int):
        return t
    if dtype in INTEGERS:
        if isinstance(t, float):
            return torch.tensor(t, dtype=torch.float32).item()
        bits = torch.iinfo(dtype).bits
        wrapped = t % 2**bits
        return wrapped - 2**bits if dtype != torch.uint8 and wrapped >= 2 ** (bits - 1) else wrapped
    if dtype.is_complex:
        return float(t)
    return torch.tensor(t, dtype=dtype).item()


def rule_threshold(x, words):
    """T of a rule over a tensor's finite values, or None."""
    d = x.double()
    finite = d[torch.isfinite(d)]
    if finite.numel() == 0:
        return None
    if words[0] == "percentile":
        return torch.quantile(finite, float(words[1]) / 100).item()
    if words[0] == "sigma":
        return (finite.mean() + float(words[1]) * finite.std(correction=0)).item()
    if words[0] == "max":
        return float(words[1]) * finite.max().item()
    return float(threshold_otsu(x[torch.isfinite(d)].numpy(), nbins=256))


def hot(x, where):
    """Mask, and the threshold that was compared."""
    words = where.split()
    if words[0] in COMPARE:
        t = number(words[1])
        return COMPARE[words[0]](x, t), compared(x.dtype, t)
    if words[0] == "abs":
        t = number(words[2])
        magnitude = x.abs()
        return COMPARE[words[1]](magnitude, t), compared(magnitude.dtype, t)
    if words[0] in ("between", "outside"):
        a, b = number(words[1]), number(words[2])
        pair = [compared(x.dtype, a), compared(x.dtype, b)]
        return ((x >= a) & (x <= b)) if words[0] == "between" else ((x < a) | (x > b)), pair
    if words[0] in ("nan", "inf", "finite"):
        return {"nan": torch.isnan, "inf": torch.isinf, "finite": torch.isfinite}[words[0]](x), None
    t = rule_threshold(x, words)
    if t is None:
        return torch.zeros_like(x, dtype=torch.bool), None
    return x > t, compared(x.dtype, t)


def plain(value):
    """A number as the JSON contract writes it."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value


def statistics(x):
    if x.dtype.is_complex:
        return dict.fromkeys(("min", "max", "mean", "std", "sum"))
    d = x.double()
    keep = torch.isfinite(d)
    if not keep.any():
        return dict.fromkeys(("min", "max", "mean", "std", "sum"))
    if x.dtype in INTEGERS:
        values = [int(v) for v in x[keep].flatten().tolist()]
        total = sum(values)
        low, high, mean = min(values), max(values), total / len(values)
    else:
        total = math.fsum(d[keep].tolist())
        low, high, mean = d[keep].min().item(), d[keep].max().item(), total / int(keep.sum())
    return {"min": low, "max": high, "mean": mean, "std": d[keep].std(correction=0).item(), "sum": plain(total)}


def hot_sum(x, mask):
    if x.dtype.is_complex:
        return None
    values = x[mask].tolist()
    return plain(sum(int(v) for v in values) if x.dtype in INTEGERS else float(torch.tensor(values, dtype=torch.float64).sum()))


def planes(x, layout, fixed):
    """The selected part as [N, C, rest], and the indices in the file of its first batch item and channel."""
    index = [slice(fixed[a], fixed[a] + 1) if a in fixed else slice(None) for a in range(x.dim())]
    part = x[tuple(index)] if x.dim() else x
    first = [fixed.get(layout.find(role), 0) if role in layout else 0 for role in "NC"]
    order = [layout.index(role) for role in "NC" if role in layout]
    rest = [a for a in range(x.dim()) if a not in order]
    part = part.permute(order + rest)
    for position, role in enumerate("NC"):
        if role not in layout:
            part = part.unsqueeze(position)
    return part.reshape(part.shape[0], part.shape[1], math.prod(part.shape[2:])), first


def analysis(x, where="!= 0", layout=None, fixed=None, per_channel=False, exact=None):
    """What `analyze --json` must say; `exact`: (mask, threshold) where PyTorch has no such comparison."""
    layout = layout if layout is not None else DEFAULT_LAYOUT.get(x.dim(), "-" * (x.dim() - 5) + "NCDHW")
    fixed = dict(fixed or {})
    for axis, role in enumerate(layout):
        if role == "-":
            fixed.setdefault(axis, 0)
    part, first = planes(x, layout, fixed)
    mask, threshold = exact(part) if exact else hot(part, where)
    thresholds = [threshold] * part.shape[1]
    if per_channel:
        each = [hot(part[:, c], where) for c in range(part.shape[1])]
        mask = torch.stack([m for m, _ in each], dim=1)
        thresholds = [t for _, t in each]
    count, elements = int(mask.sum()), part.numel()
    d = part if part.dtype.is_complex else part.double()
    result = {"dtype": str(x.dtype).removeprefix("torch."), "shape": list(x.shape), "layout": layout or "W", "where": where}
    if not per_channel:
        result["threshold"] = plain(threshold)
    result |= {"elements": elements, "count": count, "fraction": count / elements if elements else None}
    real = not x.dtype.is_complex
    result["values"] = statistics(part) | {
        "zeros": int((part == 0).sum()), "nan": int(torch.isnan(d).sum()),
        "posinf": int(torch.isposinf(d).sum()) if real else int(torch.isinf(d).sum()),
        "neginf": int(torch.isneginf(d).sum()) if real else 0}
    result["channels"] = []
    for n in range(part.shape[0]):
        for c in range(part.shape[1]):
            plane, hits = part[n, c], mask[n, c]
            size = plane.numel()
            result["channels"].append(
                {"batch": first[0] + n, "channel": first[1] + c, "threshold": plain(thresholds[c]), "elements": size,
                 "count": int(hits.sum()), "fraction": int(hits.sum()) / size if size else None} | statistics(plane)
                | {"hot_sum": hot_sum(plane, hits), "nan": int(torch.isnan(plane).sum())})
    return result


def file_bytes(array):
    """What numpy.save writes, for a comparison byte by byte."""
    buffer = io.BytesIO()
    np.save(buffer, np.require(array, requirements="C"))
    return base64.b64encode(buffer.getvalue()).decode()


def heat(x, where, reduction, all_values=False):
    """The heat map of [N, C, ...] over C, as `render -o x.npy` writes it."""
    mask, _ = hot(x, where)
    if all_values:
        mask = torch.ones_like(mask)
    d = x.double()
    kept = torch.where(mask, d, torch.zeros_like(d))
    count = mask.sum(1)
    if reduction == "count":
        return count.numpy()
    if reduction == "sum":
        return kept.sum(1).numpy()
    if reduction == "l1":
        return kept.abs().sum(1).numpy()
    if reduction == "l2":
        return (kept * kept).sum(1).sqrt().numpy()
    if reduction == "mean":
        return torch.where(count > 0, kept.sum(1) / count, torch.full_like(d[:, 0], math.nan)).numpy()
    largest = torch.where(mask, d, torch.full_like(d, -math.inf)).amax(1)
    largest = torch.where(count > 0, largest, torch.full_like(largest, math.nan))
    return largest.to(x.dtype if x.dtype.is_floating_point else torch.float64).numpy()


def make_files():
    """Writes the files and returns their tensors by file name (or file name and tensor name)."""
    torch.manual_seed(20261130)
    eighths = lambda *shape: torch.round(torch.randn(*shape) * 8) / 8  # sums of these are exact in any order
    tensors = {}
    acts = eighths(2, 3, 4, 5)
    acts.view(-1)[7] = 0.1
    special = eighths(2, 4, 6)
    special[0, 0, :3] = torch.tensor([math.nan, math.inf, -math.inf])
    special[0, 1, 2] = -0.0
    special[1, 2] = math.nan
    tensors["acts.npy"] = acts
    tensors["special.npy"] = special
    tensors["nonfinite.npy"] = torch.tensor([[math.nan, math.inf], [-math.inf, math.nan]])
    tensors["u8.npy"] = torch.randint(0, 256, (3, 8, 8), dtype=torch.uint8)
    tensors["i32.npy"] = torch.tensor([[16777216, 16777217, 16777218], [-5, 0, 7]], dtype=torch.int32)
    tensors["i64.npy"] = torch.tensor([2**62, 2**62, 2**62, 2**53 + 1, 2**53, -(2**63), 2**63 - 1, 2**62], dtype=torch.int64)
    tensors["big.npy"] = torch.tensor([2**63 - 1] * 5, dtype=torch.int64)
    tensors["flags.npy"] = torch.rand(2, 5, 5) < 0.3
    tensors["f64.npy"] = torch.randn(3, 7, 9, dtype=torch.float64)
    tensors["c64.npy"] = torch.complex(eighths(3, 4), eighths(3, 4)).index_fill(0, torch.tensor(1), 1 + 0j)
    tensors["scalar.npy"] = torch.tensor(2.5)
    tensors["row.npy"] = eighths(9)
    tensors["empty.npy"] = torch.zeros(2, 0, 4)
    tensors["volume.npy"] = eighths(2, 2, 4, 3, 5)
    tensors["six.npy"] = eighths(3, 2, 2, 2, 3, 2)
    tensors["equal.npy"] = torch.full((2, 3), 1.5)
    for name, tensor in tensors.items():
        np.save(FOLDER / name, tensor.numpy())
    several = {"half": eighths(1, 2, 3, 3).half(), "brain": eighths(2, 3, 3).bfloat16(), "deep.weight": eighths(4, 4)}
    save_file(several, FOLDER / "several.safetensors")
    tensors |= {f"several.safetensors/{name}": tensor for name, tensor in several.items()}
    dense = torch.zeros(5, 6)
    dense[0, 1], dense[2, 3], dense[2, 0], dense[4, 5] = 1.5, -2.0, 4.0, 0.25
    indices = torch.tensor([[0, 2, 2, 4, 4], [1, 3, 0, 5, 5]])
    torch.save(torch.sparse_coo_tensor(indices, torch.tensor([1.5, -2.0, 4.0, 1.25, -1.0]), (5, 6)), FOLDER / "coo.pt")
    tensors["coo.pt"] = dense
    side = 2**31  # as scipy.sparse.save_npz keeps a matrix of 2^31 x 2^31 with one element, in coordinate form
    np.savez_compressed(FOLDER / "huge_coo.npz", row=np.array([5]), col=np.array([7]), data=np.array([1.5], dtype=np.float32),
                        shape=np.array([side, side]), format=np.array(b"coo"))
    pixels = np.random.default_rng(5).integers(0, 256, (6, 7, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(FOLDER / "photo.png")
    tensors["photo.png"] = torch.from_numpy(pixels)
    torch.save({"model": {"conv.weight": acts, "bias": torch.arange(3.0)}, "epoch": 7, "steps": [torch.ones(2)]},
               FOLDER / "checkpoint.pt")
    return tensors


def case(arguments, file, **expected):
    return {"arguments": ["analyze", file, "--json", *arguments], "expected": {"file": file} | expected}


def analyze_cases(tensors):
    def add(file, *arguments, tensor=None, **keywords):
        x = tensors[f"{file}/{tensor}" if tensor else file]
        name = tensor or file.split(".")[0]
        extra = ["--tensor", tensor] if tensor else []
        cases.append(case([*arguments, *extra], file, tensor=name, **analysis(x, **keywords)))

    def where(file, text, **keywords):
        add(file, "--where", text, where=text, **keywords)

    cases = []
    add("acts.npy")
    add("acts.npy", "--threshold", "0.8", where="> 0.8")
    add("acts.npy", "--threshold", "-1", where="> -1")
    for text in ("> 0.1", ">= 0.1", "< -.5", "<= 1e-3", "== 0.5", "between -0.5 0.5", "outside -0.5 0.5", "abs > 1", "abs >= 1",
                 "> -inf", "percentile 90", "percentile 33.3", "sigma 1", "sigma -0.5", "max 0.5", "otsu"):
        where("acts.npy", text)
    for text in ("percentile 75", "sigma 1.5", "max 0.25", "otsu"):
        add("acts.npy", "--where", text, "--per-channel", where=text, per_channel=True)
    add("acts.npy", "--batch", "1", "--channel", "2", where="!= 0", fixed={0: 1, 1: 2})
    add("acts.npy", "--at", "H=1", "--where", "percentile 50", where="percentile 50", fixed={2: 1})
    add("acts.npy", "--at", "3=4", "--at", "N=0", fixed={3: 4, 0: 0})
    add("acts.npy", "--layout", "NHWC", "--threshold", "0.5", where="> 0.5", layout="NHWC")
    add("acts.npy", "--layout", "-CHW", "--at", "0=1", layout="-CHW", fixed={0: 1})
    add("acts.npy", "--layout", "N-LC", "--where", "max 0.5", "--per-channel", where="max 0.5", layout="N-LC", per_channel=True)
    for text in ("!= 0", "nan", "inf", "finite", "> 0", "< inf", "percentile 50", "otsu"):
        where("special.npy", text)
    add("special.npy", "--where", "sigma 0", "--per-channel", where="sigma 0", per_channel=True)
    for text in ("!= 0", "percentile 50", "nan"):
        where("nonfinite.npy", text)
    for text in ("> 300", "> -1", "> 2.5", "== 17", "otsu", "percentile 10"):
        where("u8.npy", text)
    for text in ("> 16777216.5", "> 16777216", "> 4294967296"):
        where("i32.npy", text)
    add("i32.npy", "--where", "> 16777216.5", "--comparison", "exact", where="> 16777216.5",
        exact=lambda x: (x.double() > 16777216.5, 16777216.5))
    add("acts.npy", "--where", "> 0.1", "--comparison", "exact", where="> 0.1", exact=lambda x: (x.double() > 0.1, 0.1))
    for text in ("> 9007199254740992", "== 9007199254740993", "> 18446744073709551615", "< 0"):
        where("i64.npy", text)
    where("big.npy", "> 0")
    for text in ("!= 0", "> 2", "> 0.5", "== 1"):
        where("flags.npy", text)
    for text in ("> 0.1", "otsu", "percentile 99.9", "sigma 2"):
        where("f64.npy", text)
    for text in ("!= 0", "== 1", "abs > 1", "nan", "finite"):
        where("c64.npy", text)
    add("scalar.npy", "--threshold", "2", where="> 2")
    add("row.npy", "--threshold", "0", where="> 0")
    add("empty.npy", "--where", "> 0", where="> 0")
    add("empty.npy", "--where", "otsu", where="otsu")
    add("volume.npy", "--threshold", "0.5", where="> 0.5")
    add("volume.npy", "--at", "D=1", "--channel", "1", fixed={2: 1, 1: 1})
    add("six.npy")
    add("six.npy", "--at", "0=2", fixed={0: 2})
    where("equal.npy", "otsu")
    for name in ("half", "brain", "deep.weight"):
        add("several.safetensors", "--where", "> 0.3", tensor=name, where="> 0.3")
    for text in ("!= 0", "<= 0", "> 1", "percentile 95", "between -3 0"):
        where("coo.pt", text)
    add("photo.png", "--threshold", "100", where="> 100", layout="HWC")
    return cases


def file_cases(tensors):
    """Commands that write an .npy, and the bytes that NumPy writes for it."""
    def add(command, file, array, *arguments):
        cases.append({"arguments": [command, file, *arguments], "bytes": file_bytes(array)})

    cases = []
    acts, volume, special = tensors["acts.npy"], tensors["volume.npy"], tensors["special.npy"]
    add("coords", "acts.npy", torch.nonzero(acts > 0.8).numpy(), "--threshold", "0.8")
    add("coords", "acts.npy", torch.nonzero(acts).numpy())
    add("coords", "acts.npy", torch.nonzero(acts).numpy()[:7], "--limit", "7")
    held = torch.zeros_like(acts, dtype=torch.bool)
    held[1, 2] = acts[1, 2] > 0
    add("coords", "acts.npy", torch.nonzero(held).numpy(), "--threshold", "0", "--batch", "1", "--channel", "2")
    add("coords", "acts.npy", torch.nonzero(acts > 1).numpy(), "--threshold", "1", "--layout", "WHCN")
    add("coords", "special.npy", torch.nonzero(special).numpy())
    add("coords", "scalar.npy", torch.nonzero(torch.tensor(2.5)).numpy())
    add("coords", "empty.npy", np.zeros((0, 3), dtype=np.int64))
    add("coords", "six.npy", torch.nonzero(torch.where(torch.arange(3).view(3, 1, 1, 1, 1, 1) == 1, tensors["six.npy"], 0.)).numpy(),
        "--at", "0=1")
    add("coords", "coo.pt", torch.nonzero(tensors["coo.pt"]).numpy())
    for reduction in ("sum", "count", "max", "mean", "l1", "l2"):
        add("render", "acts.npy", heat(acts, "> 0.5", reduction), "--threshold", "0.5", "--reduce", reduction)
        add("render", "acts.npy", heat(acts, "> 0.5", reduction, True), "--threshold", "0.5", "--reduce", reduction, "--all-values")
    add("render", "acts.npy", heat(acts[1:], "> 0", "sum"), "--threshold", "0", "--batch", "1")
    add("render", "volume.npy", heat(volume, "> 0", "sum"), "--threshold", "0")
    add("render", "u8.npy", heat(tensors["u8.npy"][None], "> 200", "max"), "--threshold", "200", "--reduce", "max")
    add("render", "flags.npy", heat(tensors["flags.npy"][None], "!= 0", "max"), "--reduce", "max")
    add("render", "acts.npy", acts[1, 2].numpy(), "--view", "channel", "--batch", "1", "--channel", "2")
    add("render", "acts.npy", acts[0, 0].numpy(), "--view", "channel")
    add("render", "volume.npy", volume[0, 1].numpy(), "--view", "channel", "--channel", "1")
    add("render", "acts.npy", acts[:, 1, :, 2].T.numpy(), "--view", "channel", "--layout", "W-HC", "--at", "1=1", "--channel", "2")
    add("render", "several.safetensors", tensors["several.safetensors/brain"][1].float().numpy(), "--tensor", "brain", "--view",
        "channel", "--channel", "1")
    add("render", "c64.npy", tensors["c64.npy"].numpy(), "--view", "channel")
    add("render", "acts.npy", (acts[0, 1] > 0.5).numpy(), "--view", "mask", "--channel", "1", "--threshold", "0.5")
    add("render", "volume.npy", (volume[1, 0] > 0.5).numpy(), "--view", "mask", "--batch", "1", "--threshold", "0.5")
    add("render", "coo.pt", tensors["coo.pt"].numpy(), "--view", "channel")
    return cases


def limits(v, symmetric=False, percentiles=None):
    finite = v[np.isfinite(v)]
    if finite.size == 0:
        return 0.0, 0.0
    lo, hi = np.percentile(finite, percentiles) if percentiles else (finite.min(), finite.max())
    return (-max(abs(lo), abs(hi)), max(abs(lo), abs(hi))) if symmetric else (lo, hi)


def colored(v, name, lo, hi):
    """The pixels of a map under the contract's formula, with matplotlib's colours."""
    v = np.asarray(v, dtype=np.float64)
    table = matplotlib.colormaps[name].resampled(256)(np.arange(256), bytes=True)[:, :3]
    with np.errstate(invalid="ignore", divide="ignore"):
        index = np.floor(256 * (v - lo) / (hi - lo)) if hi != lo else np.zeros_like(v)
    pixels = table[np.clip(np.nan_to_num(index, nan=0, posinf=255, neginf=0), 0, 255).astype(int)]
    pixels[np.isnan(v)] = (255, 0, 255)
    pixels[np.isposinf(v)] = (255, 255, 255)
    pixels[np.isneginf(v)] = (0, 0, 0)
    return pixels


def picture_cases(tensors):
    """Commands that write a .png, and its RGB pixels."""
    def add(file, pixels, *arguments):
        cases.append({"arguments": ["render", file, *arguments], "height": pixels.shape[0], "width": pixels.shape[1],
                      "rgb": base64.b64encode(np.ascontiguousarray(pixels)).decode()})

    cases = []
    acts, volume, special = tensors["acts.npy"], tensors["volume.npy"], tensors["special.npy"].numpy()
    hot_sum = heat(acts, "> 0.5", "sum")[0]
    add("acts.npy", colored(hot_sum, "viridis", *limits(hot_sum)), "--threshold", "0.5")
    signed = heat(acts, "!= 0", "sum")[0]
    add("acts.npy", colored(signed, "coolwarm", *limits(signed, True)))
    counts = heat(acts, "> 0.5", "count")[0].astype(float)
    add("acts.npy", colored(counts, "inferno", *limits(counts)), "--threshold", "0.5", "--reduce", "count")
    greatest = heat(acts, "> 1", "max")[0]  # NaN where nothing is hot
    add("acts.npy", colored(greatest, "viridis", *limits(greatest)), "--threshold", "1", "--reduce", "max")
    for name in ("viridis", "inferno", "magma", "plasma", "cividis", "turbo", "gray", "coolwarm"):
        row = acts[1, 1].numpy()
        add("acts.npy", colored(row, name, *limits(row)), "--view", "channel", "--batch", "1", "--channel", "1", "--colormap", name)
    plane = special[0]
    add("special.npy", colored(plane, "coolwarm", *limits(plane, True)), "--view", "channel")
    add("special.npy", colored(plane, "coolwarm", -1, 0.5), "--view", "channel", "--range", "-1,0.5")
    add("special.npy", colored(plane, "turbo", *limits(plane, percentiles=(10, 90))), "--view", "channel", "--range", "10%,90%",
        "--colormap", "turbo")
    add("nonfinite.npy", colored(tensors["nonfinite.npy"].numpy(), "viridis", 0, 0), "--view", "channel")
    add("equal.npy", colored(tensors["equal.npy"].numpy(), "viridis", 1.5, 1.5), "--view", "channel")
    depth = volume[0, 1, 2].numpy()  # the middle of 4 slices
    add("volume.npy", colored(depth, "gray", *limits(depth)), "--view", "channel", "--channel", "1", "--colormap", "gray")
    depth = volume[0, 1, 0].numpy()
    add("volume.npy", colored(depth, "gray", *limits(depth)), "--view", "channel", "--channel", "1", "--at", "D=0", "--colormap", "gray")
    large = np.repeat(np.repeat(colored(plane, "gray", *limits(plane)), 3, 0), 3, 1)
    add("special.npy", large, "--view", "channel", "--colormap", "gray", "--scale", "3")
    mask = np.repeat((acts[0, 2] > 0.5).numpy()[:, :, None] * np.uint8(255), 3, 2)
    add("acts.npy", mask, "--view", "mask", "--channel", "2", "--threshold", "0.5")
    return cases


def main():
    FOLDER.mkdir(exist_ok=True)
    tensors = make_files()
    expected = {"analyze": analyze_cases(tensors), "files": file_cases(tensors), "pictures": picture_cases(tensors)}
    lines = ["{"]
    for key, cases in expected.items():
        body = ",\n".join(json.dumps(c) for c in cases)
        lines.append(f'"{key}": [\n{body}\n]' + ("," if key != "pictures" else ""))
    (FOLDER / "expected.json").write_text("\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

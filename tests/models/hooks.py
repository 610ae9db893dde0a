# SPDX-License-Identifier: GPL-3.0-or-later
"""A model with its inputs, what eager forward hooks see of it, and the files made of it (format: make_models.py)."""
import dataclasses
import json
import pathlib
import re
import sys
import warnings
import zipfile
from typing import Any, Callable, Optional

import torch
from safetensors.torch import save_file

warnings.filterwarnings("ignore")


class Values:
    """The tensors of NAME.safetensors, by key."""

    def __init__(self):
        self.tensors = {}

    def keep(self, key, tensor):
        unique, k = key, 1
        while unique in self.tensors:
            k += 1
            unique = f"{key}~{k}"
        self.tensors[unique] = tensor.detach().contiguous().clone()
        return unique


def argument(value, key, values):
    """An argument as the runner's protocol writes it."""
    if torch.is_tensor(value):
        return {"tensor": values.keep(key, value)}
    if value is None:
        return {"none": True}
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return {"string" if kind is str else kind.__name__: value}
    if isinstance(value, dict):
        return {"dict": [[argument(k, key, values), argument(v, f"{key}.{k}", values)] for k, v in value.items()]}
    members = [argument(v, f"{key}[{i}]", values) for i, v in enumerate(value)]
    return {"tuple" if isinstance(value, tuple) else "list": members}


def snapshot(value):
    """A copy at once: an in-place operator may overwrite the value a moment later."""
    if torch.is_tensor(value):
        return value.detach().to_dense() if value.is_mkldnn else value.detach().clone()
    if isinstance(value, dict):
        return {k: snapshot(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [snapshot(v) for v in value]
    return value


def members(value, place=""):
    """Every tensor and None of a value, with its place."""
    if torch.is_tensor(value) or value is None:
        yield place, value
    elif isinstance(value, dict):
        for key, v in value.items():
            yield from members(v, f"{place}[{key}]" if isinstance(key, int) else f"{place}.{key}")
    elif isinstance(value, (list, tuple)):
        for i, v in enumerate(value):
            yield from members(v, f"{place}[{i}]")


def described(tensor, key, values):
    """A capture's value for the index."""
    if tensor is None:
        return {"none": True}
    if tensor.layout == torch.sparse_coo:
        return {"sparse": {"kind": "coo", "shape": list(tensor.shape), "coalesced": tensor.is_coalesced(),
                           "indices": values.keep(key + ":indices", tensor._indices()),
                           "values": values.keep(key + ":values", tensor._values())}}
    if tensor.layout == torch.sparse_csr:
        return {"sparse": {"kind": "csr", "shape": list(tensor.shape), "coalesced": True,
                           "indices": values.keep(key + ":indices", tensor.crow_indices()),
                           "plain": values.keep(key + ":plain", tensor.col_indices()),
                           "values": values.keep(key + ":values", tensor.values())}}
    if tensor.is_nested:
        return {"tensor": values.keep(key, torch.nested.to_padded_tensor(tensor, 0.0)), "padded": True}
    if tensor.is_quantized:
        facts = {"dtype": str(tensor.dtype).removeprefix("torch.")}
        if tensor.qscheme() == torch.per_tensor_affine:
            facts |= {"scale": tensor.q_scale(), "zeroPoint": tensor.q_zero_point()}
        else:
            facts |= {"scales": tensor.q_per_channel_scales().tolist(), "zeroPoints": tensor.q_per_channel_zero_points().tolist(),
                      "axis": tensor.q_per_channel_axis()}
        return {"tensor": values.keep(key, tensor.dequantize()), "quantized": facts}
    return {"tensor": values.keep(key, tensor)}


def shortenPaths(pickled):
    """A debug_pkl without the folders of the machine that wrote it."""
    for folder in (pathlib.Path(torch.__file__).parents[1], pathlib.Path(__file__).parent, pathlib.Path(sys.argv[0]).parent):
        start = f"{folder.resolve()}/".encode()
        while (at := pickled.find(start)) >= 0:
            length = int.from_bytes(pickled[at - 4:at], "little") - len(start)
            pickled = pickled[:at - 4] + length.to_bytes(4, "little") + pickled[at + len(start):]
    return pickled


@dataclasses.dataclass
class Model:
    name: str
    module: torch.nn.Module
    arguments: list                        # [(name, value)] in the order of forward's
    made: tuple = ("scripted",)
    tolerance: float = 1e-5
    aliases: dict = dataclasses.field(default_factory=dict)   # layer -> the name used at each of its calls, where it has several
    lost: dict = dataclasses.field(default_factory=dict)      # how made -> names
    renamed: dict = dataclasses.field(default_factory=dict)   # how made -> {name: name}
    failure: Optional[dict] = None
    sourceLines: tuple = ("scripted", "frozen")               # what keeps its debug_pkl records
    edit: Optional[Callable] = None        # changes the archive's text: (member name, bytes) -> bytes
    script: Any = None                     # the scripted module, where torch.jit.script(module) is not how it is made
    traceArguments: Optional[list] = None  # values to trace with, where they are not the arguments

    def calls(self):
        """[(layer, call, output)] of an eager forward in order; None: the model's own output."""
        seen, handles = [], []
        for layer, module in self.module.named_modules():
            if layer:
                handles.append(module.register_forward_hook(lambda m, i, o, layer=layer: seen.append((layer, snapshot(o)))))
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                seen.append((None, snapshot(self.module(*(v for _, v in self.arguments)))))
        except Exception as error:
            if not self.failure or self.failure["message"] not in str(error):
                raise
        for handle in handles:
            handle.remove()
        counts, calls = {}, []
        for layer, output in seen:
            if layer in self.aliases:
                layer = self.aliases[layer].pop(0)
            calls.append((layer, counts.get(layer, 0), output))
            counts[layer] = counts.get(layer, 0) + 1
        return calls, counts

    def captures(self, values):
        calls, counts = self.calls()
        captures = []
        for layer, call, output in calls:
            for place, tensor in members(output):
                name = "output" if layer is None else layer if counts[layer] == 1 else f"{layer}#{call}"
                captures.append({"name": name + place, "layer": layer, "call": call, "member": place,
                                 **described(tensor, name + place, values)})
        return captures

    def make(self, how):
        if how == "traced":
            example = tuple(v for _, v in self.arguments) if self.traceArguments is None else tuple(self.traceArguments)
            torch.manual_seed(0)
            return torch.jit.trace(self.module, example, check_trace=False, strict=False)
        scripted = self.script if self.script is not None else torch.jit.script(self.module)
        return torch.jit.freeze(scripted) if how == "frozen" else scripted

    def rewrite(self, path, how):
        """Shortens source paths (or drops source lines), applies `edit`; records stay aligned and packed as PyTorch's writer left them."""
        with zipfile.ZipFile(path) as archive:
            records = [(i, archive.read(i)) for i in archive.infolist()]
        with zipfile.ZipFile(path, "w") as archive:
            for info, data in records:
                name = info.filename.split("/", 1)[1]
                if name.endswith(".debug_pkl"):
                    data = shortenPaths(data) if how in self.sourceLines else None
                if self.edit and data is not None:
                    data = self.edit(name, data)
                if data is None:
                    continue
                fresh = zipfile.ZipInfo(info.filename)
                fresh.compress_type = info.compress_type
                if name.startswith(("data/", "constants/")):
                    padding = -(archive.fp.tell() + 30 + len(info.filename) + 4) % 64
                    fresh.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
                archive.writestr(fresh, data)

    def file(self, how, folder, captures):
        path = folder / f"{self.name}{'' if how == 'scripted' else '_' + how}.pt"
        module = self.make(how)
        torch.jit.save(module, str(path))
        self.rewrite(path, how)
        with zipfile.ZipFile(path) as archive:
            code = b"\n".join(archive.read(n) for n in archive.namelist() if n.endswith(".py")).decode()
        facts = {"file": path.name, "made": how, "operators": sorted({"::".join(m) for m in re.findall(r"(?<![\w.])ops\.(\w+)\.(\w+)", code)
                                                                     if m[0] not in ("aten", "prim", "quantized")})}
        if how == "frozen":
            return facts
        lost, renamed = self.lost.get(how, []), self.renamed.get(how, {})
        ran = {c["layer"] for c in captures if c["name"] not in lost and c["layer"] is not None}
        layers = [n for n, m in module.named_modules(remove_duplicate=False) if n and hasattr(m, "forward") and m._c._has_method("forward")]
        if self.failure:
            return facts | {"lost": lost, "renamed": renamed}
        return facts | {"lost": lost, "renamed": renamed, "notExecuted": [n for n in layers if n not in ran]}

    def save(self, folder):
        self.module.eval() if self.module.training and not getattr(self.module, "keepTraining", False) else None
        values = Values()
        arguments = [{"name": k, "value": argument(v, f"input {k}", values)} for k, v in self.arguments]
        captures = self.captures(values)
        index = {"arguments": arguments, "seed": 0, "tolerance": self.tolerance, "captures": captures}
        if self.failure:
            index["failure"] = self.failure
        index["files"] = [self.file(how, folder, captures) for how in self.made]
        save_file(values.tensors, folder / f"{self.name}.safetensors")
        (folder / f"{self.name}.safetensors").chmod(0o644)
        (folder / f"{self.name}.json").write_text(lines(index))


def lines(index):
    """JSON with one capture and one file a line."""
    parts = []
    for key, value in index.items():
        if isinstance(value, list) and value:
            parts.append(f"{json.dumps(key)}: [\n  " + ",\n  ".join(json.dumps(v) for v in value) + "\n ]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n ".join(parts) + "}\n"

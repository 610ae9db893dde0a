# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of torch.save, TorchScript and torch.export, and expected.json with what PyTorch itself reads from them."""
import collections
import dataclasses
import inspect
import json
import pathlib
import re
import warnings
import zipfile

import numpy
import torch

warnings.filterwarnings("ignore")
torch.manual_seed(1)

# Makes every file the same at each run.
MODULE = "fixtures_torch"


class Net(torch.nn.Module):
    """A module of an unknown class with nested ones, a buffer, an attribute that is a tensor, and ties."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 3, 3, bias=False)
        self.body = torch.nn.Sequential(torch.nn.BatchNorm2d(3), torch.nn.ReLU(), torch.nn.Linear(4, 2))
        self.register_buffer("scale", torch.tensor([0.5, 2.0]))
        self.cache = [torch.arange(4)]
        self.depth = 7

    def forward(self, x):
        return self.body(self.conv(x))


class Small(torch.nn.Module):
    """A module that can be traced and scripted."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        self.register_buffer("mean", torch.tensor([1.0, -2.0]))
        self.count: int = 3

    def forward(self, x):
        return self.inner(self.fc(x)) - self.mean


class Block(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))) + x


class Nested(torch.nn.Module):
    """What an exported program tells of modules: nested, called twice, under two names, never called, without operators."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 2, 3)
        self.blocks = torch.nn.ModuleList([Block(2), Block(2)])
        self.head = torch.nn.Linear(2, 2)
        self.tied = self.head
        self.unused = torch.nn.Linear(1, 1)
        self.same = torch.nn.Identity()

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = self.same(self.blocks[0](x))
        return self.head(x.mean((2, 3))) + self.tied(x.amax((2, 3)))


class Branches(torch.nn.Module):
    """Modules that only the programs of a condition call, whose operators name the whole model alone."""

    def __init__(self):
        super().__init__()
        self.left = torch.nn.Linear(2, 2)
        self.right = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: self.left(y), lambda y: self.right(y), (x,))


class Attributes(torch.nn.Module):
    """Tensors in attributes of a scripted module."""

    def __init__(self):
        super().__init__()
        self.steps = torch.jit.annotate(list[torch.Tensor], [torch.arange(2.0), torch.arange(3)])
        self.table = torch.jit.annotate(dict[str, torch.Tensor], {"a": torch.ones(1)})
        self.sizes = [1, 2]

    def forward(self, x):
        return x + self.steps[0].sum() + self.table["a"] + self.sizes[0]


@dataclasses.dataclass
class Record:
    name: str
    data: torch.Tensor


Point = collections.namedtuple("Point", ["x", "y"])


def dense(tensor, kind="tensor", **more):
    """What a reader must find for a strided tensor: its values row by row, as the bytes of its dtype."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    flat = plain.reshape(-1).view(torch.uint8) if plain.numel() else torch.empty(0, dtype=torch.uint8)
    return dict(kind=kind, dtype=str(tensor.dtype).removeprefix("torch."), shape=list(tensor.shape),
                strides=list(tensor.stride()), storage="strided", data=bytes(flat.tolist()).hex(), **more)


def sparse(tensor, **more):
    layout = str(tensor.layout).removeprefix("torch.sparse_")
    if layout == "coo":
        parts = (tensor._indices(), None, tensor._values())
    elif layout in ("csr", "bsr"):
        parts = (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    else:
        parts = (tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    return dict(kind="tensor", dtype=str(tensor.dtype).removeprefix("torch."), shape=list(tensor.shape), storage=layout,
                indices=dense(parts[0]), plain=dense(parts[1]) if parts[1] is not None else None, values=dense(parts[2]),
                stored=parts[2].numel(), **more)


def value(text):
    return dict(kind="value", value=text)


def thing(type_name, **more):
    return dict(kind="object", type=type_name, **more)


def of_numpy(array, **more):
    """An array in the file's own byte order is shown by its values."""
    native = numpy.array(array, dtype=array.dtype.newbyteorder("="), order="C", ndmin=0)
    # NumPy makes up strides for empty arrays.
    strides = [step // array.itemsize for step in array.strides] if array.size else list(torch.empty(array.shape).stride())
    return dict(kind="tensor", dtype=str(native.dtype), shape=list(array.shape), strides=strides, storage="strided",
                data=native.tobytes().hex(), **more)


def rewrite(source, target, change, compress=zipfile.ZIP_STORED):
    """Copies a zip archive; change(name, data) gives the new data of each member, None leaves it out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compress) as new:
        for member in old.infolist():
            name = member.filename
            info = zipfile.ZipInfo(name)
            info.compress_type = max(compress, member.compress_type)
            data = change(name.split("/", 1)[1], old.read(name))
            if data is not None:
                new.writestr(info, data)


class Writer:
    def __init__(self, folder):
        self.folder = folder
        self.expected = {}

    def save(self, name, data, entries, format="torch", **options):
        torch.save(data, self.folder / name, **options)
        self.expect(name, entries, format)

    def expect(self, name, entries, format="torch"):
        self.expected[name] = dict(format=format, entries=[dict(name=key, **entry) for key, entry in entries.items()])


def all_dtypes():
    values = {}
    for name in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"):
        info = torch.iinfo(getattr(torch, name))
        values[name] = torch.from_numpy(numpy.array([info.min, 0, 1, 7, info.max], dtype=name))
    values["bool"] = torch.tensor([True, False, True])
    for name in ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
                 "float8_e5m2fnuz"):
        values[name] = torch.tensor([0.0, -1.5, 3.25, 448.0, float("nan")], dtype=torch.float64).to(getattr(torch, name))
    for name in ("complex64", "complex128"):
        values[name] = torch.tensor([1 + 2j, -0.5 - 0.25j], dtype=getattr(torch, name))
    return values


def save_plain(out):
    values = all_dtypes()
    out.save("dtypes.pt", values, {name: dense(tensor) for name, tensor in values.items()})
    out.save("zero_d.pt", torch.tensor(3.5), {"zero_d": dense(torch.tensor(3.5))})
    out.save("bare.name.pt", torch.arange(6).reshape(2, 3), {"bare.name": dense(torch.arange(6).reshape(2, 3))})
    base = torch.arange(2 * 3 * 4 * 5, dtype=torch.float32).reshape(2, 3, 4, 5)
    views = {"empty": torch.zeros(0, 3), "expanded": torch.tensor([1.0, 2.0]).reshape(2, 1).expand(2, 4),
             "channels_last": base.to(memory_format=torch.channels_last), "permuted": base.permute(3, 1, 0, 2),
             "window": base[1:, 1:, ::2, 2:], "transposed": torch.arange(6.0).reshape(2, 3).t(),
             "zero_strides": torch.tensor(7).expand(3, 2), "empty_middle": torch.zeros(2, 0, 3)}
    entries = {name: dense(tensor) for name, tensor in views.items()}
    entries["window"]["notes"] = ["shares its storage with permuted"]
    out.save("views.pt", views, entries)
    whole = torch.arange(10.0)
    out.save("shared.pt", {"whole": whole, "part": whole[3:7], "same": whole},
             {"whole": dense(whole), "part": dense(whole[3:7], notes=["shares its storage with whole"]), "same": dense(whole)})
    z = torch.tensor([[1 + 2j, 3 - 4j], [-5j, 0.5 + 0j]])
    bits = {"conj": z.conj(), "imag_of_conj": z.clone().conj().imag, "conj_transposed": z.t().conj(), "neg": torch._neg_view(z),
            "neg_int": torch._neg_view(torch.tensor([1, -2, 3], dtype=torch.int16))}
    entries = {name: dense(tensor) for name, tensor in bits.items()}
    entries["conj"]["notes"] = ["conjugate view"]
    entries["imag_of_conj"]["notes"] = ["negative view"]
    out.save("lazy_bits.pt", bits, entries)


def save_containers(out):
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2))
    state = net.state_dict()
    out.save("state_dict.pt", state, {name: dense(tensor) for name, tensor in state.items()})
    out.save("one_entry.pt", {"acts": torch.arange(4.0)}, {"acts": dense(torch.arange(4.0))})
    parameter = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
    out.save("parameter.pt", parameter, {"parameter": dense(parameter, kind="parameter", notes=["requires grad"])})
    ordered = collections.OrderedDict(b=torch.ones(2), a=torch.zeros(1))
    out.save("ordered_dict.pt", ordered, {name: dense(tensor) for name, tensor in ordered.items()})
    nested = {"feats": [torch.ones(1), (torch.zeros(2),), {"mean": torch.tensor(2.0)}], 3: torch.tensor([3]),
              "a.b": torch.tensor([4]), "a": {"b": torch.tensor([5])}, "count": 12, "rate": 1e-05, "name": "naïve",
              "flag": True, "nothing": None, "big": 2**80, "negative": -(2**70), "z": 1 + 2j, (1, "x"): torch.tensor([6]),
              "raw": b"\x00\x01", "size": torch.Size([4, 5]), "device": torch.device("cuda", 1), "dtype": torch.float16,
              "set": {9}, "empty": {}, "whole": 2.0, "slice": slice(1, None, 2),
              "default": collections.defaultdict(list, k=[1]), "queue": collections.deque([torch.tensor([8])])}
    out.save("nested.pt", nested, {
        "feats[0]": dense(torch.ones(1)), "feats[1][0]": dense(torch.zeros(2)), "feats[2].mean": dense(torch.tensor(2.0)),
        "[3]": dense(torch.tensor([3])), "a.b": dense(torch.tensor([4])), "a.b~2": dense(torch.tensor([5])),
        "count": value("12"), "rate": value("1e-05"), "name": value("naïve"), "flag": value("True"), "nothing": value("None"),
        "big": value(str(2**80)), "negative": value(str(-(2**70))), "z": value("(1.0+2.0j)"),
        "[(1, 'x')]": dense(torch.tensor([6])), "raw": value("2 bytes"), "size[0]": value("4"), "size[1]": value("5"),
        "device": value("cuda:1"), "dtype": value("torch.float16"), "set[0]": value("9"), "whole": value("2.0"),
        "slice": value("slice(1, None, 2)"), "default.k[0]": value("1"), "queue[0]": dense(torch.tensor([8]))})
    out.save("list.pt", [torch.ones(1), "x"], {"[0]": dense(torch.ones(1)), "[1]": value("x")})
    out.save("number.pt", 5, {"number": value("5")})
    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.Adam([weight], lr=0.25)
    (weight * weight).sum().backward()
    optimizer.step()
    checkpoint = {"epoch": 3, "optimizer": optimizer.state_dict(), "loss": 0.5}
    moments = optimizer.state_dict()["state"][0]
    group = {key: value(str(item)) for key, item in optimizer.state_dict()["param_groups"][0].items() if key not in ("params", "betas")}
    entries = {"epoch": value("3")}
    entries |= {f"optimizer.state[0].{key}": dense(tensor) for key, tensor in moments.items()}
    for key, item in optimizer.state_dict()["param_groups"][0].items():
        name = f"optimizer.param_groups[0].{key}"
        if isinstance(item, (list, tuple)):
            entries |= {f"{name}[{i}]": value(str(member)) for i, member in enumerate(item)}
        else:
            entries[name] = group[key]
    entries["loss"] = value("0.5")
    out.save("optimizer.pt", checkpoint, entries)


def save_objects(out):
    net = Net()
    state = net.state_dict()
    module = {"module": thing(f"{MODULE}.Net", notes=["not executed"])}
    module |= {"scale": dense(state["scale"], kind="parameter"), "cache[0]": dense(net.cache[0]), "depth": value("7")}
    module |= {"conv": thing("torch.nn.modules.conv.Conv2d"), "conv.weight": dense(state["conv.weight"], kind="parameter")}
    module |= {name: dense(tensor, kind="parameter") for name, tensor in state.items() if name.startswith("body")}
    out.save("module.pt", net, module)
    out.expected["module.pt"]["partly"] = True
    out.save("objects.pt", {"record": Record("r", torch.ones(2)), "point": Point(torch.zeros(1), 2), "function": torch.nn.functional.relu}, {
        "record": thing(f"{MODULE}.Record"), "record.name": value("r"), "record.data": dense(torch.ones(2)),
        "point": thing(f"{MODULE}.Point"), "point[0]": dense(torch.zeros(1)), "point[1]": value("2"),
        "function": thing("torch.nn.functional.relu")})
    arrays = {"c": numpy.arange(6, dtype="<f4").reshape(2, 3), "fortran": numpy.asfortranarray(numpy.arange(6, dtype="<i8").reshape(2, 3)),
              "big_endian": numpy.array([1.5, -2.25], dtype=">f8"), "zero_d": numpy.array(4, dtype="<i2"),
              "bool": numpy.array([True, False]), "half": numpy.array([0.5, 200.0], dtype="<f2"),
              "complex": numpy.array([1 + 2j], dtype="<c8"), "empty": numpy.zeros((0, 2), dtype="<f4"),
              "bytes": numpy.arange(256, dtype="u1")}
    entries = {name: of_numpy(array) for name, array in arrays.items()}
    entries["scalar"] = of_numpy(numpy.array(2.5, dtype="<f8"), notes=["a NumPy scalar"])
    entries["text"] = thing("numpy.ndarray")
    mixed = arrays | {"scalar": numpy.float64(2.5), "text": numpy.array(["a", "b"])}
    for protocol in (2, 3, 4, 5):
        out.save(f"numpy_protocol{protocol}.pt", mixed, entries, pickle_protocol=protocol)
        data = {"a": torch.arange(3.0), "s": "text", "l": [1, 2.5, -70000, 2**40, 300]}
        members = {"a": dense(torch.arange(3.0)), "s": value("text")}
        members |= {f"l[{i}]": value(str(item)) for i, item in enumerate(data["l"])}
        out.save(f"protocol{protocol}.pt", data, members, pickle_protocol=protocol)
    out.save("storage.pt", torch.arange(3.0).untyped_storage(), {
        "storage": dense(torch.arange(3.0).view(torch.uint8), notes=["a storage"])})
    out.save("meta.pt", {"m": torch.empty(3, 4, device="meta"), "real": torch.ones(1)}, {
        "m": thing("torch.Tensor"), "real": dense(torch.ones(1))})
    out.save("unsupported.pt", {"half_complex": torch.zeros(2, dtype=torch.complex32), "real": torch.ones(1)}, {
        "half_complex": thing("torch.Tensor"), "real": dense(torch.ones(1))})


def save_legacy(out):
    base = torch.arange(12.0).reshape(3, 4)
    data = {"base": base, "row": base[1], "column": base.t()[2], "half": torch.tensor([0.5, 1.5], dtype=torch.float16),
            "flags": torch.tensor([True, False]), "n": 5, "array": numpy.arange(3, dtype="<i4")}
    entries = {name: dense(tensor) for name, tensor in data.items() if isinstance(tensor, torch.Tensor)}
    entries["row"]["notes"] = ["shares its storage with base"]
    entries = {name: entries[name] if name in entries else value("5") if name == "n" else of_numpy(data[name]) for name in data}
    for protocol in (2, 4):
        out.save(f"legacy_protocol{protocol}.pt", data, entries, format="torch-legacy", pickle_protocol=protocol,
                 _use_new_zipfile_serialization=False)
    out.save("legacy_bare.pt", torch.tensor([1, 2]), {"legacy_bare": dense(torch.tensor([1, 2]))}, format="torch-legacy",
             _use_new_zipfile_serialization=False)
    small = Small()
    # Legacy files name the file of each class.
    original, inspect.getsourcefile = inspect.getsourcefile, lambda thing: "source.py"
    module = {"legacy_module": thing(f"{MODULE}.Small")}
    module |= {name: dense(tensor, kind="parameter") for name, tensor in small.state_dict().items()}
    out.save("legacy_module.pt", small, module, format="torch-legacy", _use_new_zipfile_serialization=False)
    inspect.getsourcefile = original
    out.expected["legacy_module.pt"]["partly"] = True


def save_rewritten(out):
    """Files that this machine cannot write itself, made from others byte by byte."""
    source = out.folder / "source.tmp"
    data = {"x": torch.arange(6, dtype=torch.float32).reshape(2, 3).t(), "i": torch.tensor([1, -2, 70000]),
            "z": torch.tensor([1 + 2j]), "u": torch.tensor([1, 500], dtype=torch.int16), "b": torch.tensor([1, 2], dtype=torch.uint8)}
    torch.save(data, source)
    for device in ("cuda:0", "mps"):
        name = device.split(":")[0] + ".pt"
        tag = len(device).to_bytes(4, "little") + device.encode()
        rewrite(source, out.folder / name, lambda member, raw: raw.replace(b"X\x03\x00\x00\x00cpu", b"X" + tag)
                if member == "data.pkl" else raw)
        out.expect(name, {key: dense(tensor, notes=[f"saved on {device}"]) for key, tensor in data.items()})
    widths = {f"data/{i}": width for i, width in enumerate((4, 8, 4, 2, 1))}

    def big(member, raw):
        if member == "byteorder":
            return b"big"
        width = widths.get(member, 1)
        return b"".join(raw[i:i + width][::-1] for i in range(0, len(raw), width))

    rewrite(source, out.folder / "big_endian.pt", big)
    out.expect("big_endian.pt", {key: dense(tensor, notes=["big-endian"]) for key, tensor in data.items()})
    rewrite(source, out.folder / "deflated.pt", lambda member, raw: raw, zipfile.ZIP_DEFLATED)
    out.expect("deflated.pt", {key: dense(tensor) for key, tensor in data.items()})
    source.unlink()
    torch.serialization.set_crc32_options(False)
    out.save("no_crc.pt", data, {key: dense(tensor) for key, tensor in data.items()})
    torch.serialization.set_crc32_options(True)


def save_quantized(out):
    x = torch.tensor([[-1.0, 0.03, 0.5], [1.0, 2.0, 100.0]])
    scales, zeros = torch.tensor([0.1, 0.013], dtype=torch.float64), torch.tensor([3, -2])
    tensors = {"quint8": torch.quantize_per_tensor(x, 0.1, 3, torch.quint8), "qint8": torch.quantize_per_tensor(x, 0.037, -5, torch.qint8),
               "qint32": torch.quantize_per_tensor(x, 1e-5, 11, torch.qint32),
               "channels": torch.quantize_per_channel(x, scales, zeros, 0, torch.qint8),
               "columns": torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1, 2, 3]), 1, torch.quint8),
               "transposed": torch.quantize_per_tensor(x, 0.1, 3, torch.quint8).t()}
    notes = {"quint8": "quantized quint8, scale 0.1, zero point 3", "qint8": "quantized qint8, scale 0.037, zero point -5",
             "qint32": "quantized qint32, scale 1e-05, zero point 11",
             "channels": "quantized qint8 per channel of axis 0, scales 0.1 0.013, zero points 3 -2"}
    entries = {}
    for name, tensor in tensors.items():
        entries[name] = dense(tensor.dequantize().contiguous(), notes=[notes[name]] if name in notes else [])
    out.save("quantized.pt", tensors, entries)


def save_sparse(out):
    x = torch.zeros(4, 6)
    x[0, 1], x[1, 3], x[3, 0], x[3, 5] = 1.5, -2.0, 3.0, 4.0
    repeated = torch.sparse_coo_tensor(torch.tensor([[0, 0, 2], [1, 1, 0]]), torch.tensor([1.0, 2.0, 3.0]), (3, 4))
    hybrid = torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), (3, 2)).coalesce()
    tensors = {"coo": x.to_sparse(), "repeated": repeated, "hybrid": hybrid, "csr": x.to_sparse_csr(), "csc": x.to_sparse_csc(),
               "bsr": x.to_sparse_bsr((2, 3)), "bsc": x.to_sparse_bsc((2, 3)), "nothing": torch.zeros(2, 2).to_sparse(),
               "int": (x * 2).to(torch.int64).to_sparse(),
               "narrow": torch.sparse_csr_tensor(torch.tensor([0, 1], dtype=torch.int32), torch.tensor([2], dtype=torch.int32),
                                                 torch.tensor([5.0]), (1, 3))}
    out.save("sparse.pt", tensors, {name: sparse(tensor) for name, tensor in tensors.items()})


def save_program(program, path):
    """Saves without the paths of the sources, which differ on every machine and which nothing needs."""
    source = path.with_suffix(".tmp")
    program.save(source)
    rewrite(source, path, lambda name, raw: None if name.endswith(".debug_pkl") else raw)
    source.unlink()
    torch.jit.load(path)


def save_programs(out):
    small = Small().eval()
    parameters = {name: dense(tensor, kind="parameter") for name, tensor in small.state_dict().items()}
    save_program(torch.jit.trace(small, torch.ones(1, 3)), out.folder / "traced.pt")
    out.expect("traced.pt", parameters, "torchscript")
    save_program(torch.jit.script(small), out.folder / "scripted.pt")
    out.expect("scripted.pt", parameters, "torchscript")
    save_program(torch.jit.script(Attributes()), out.folder / "attributes.pt")
    out.expect("attributes.pt", {"steps[0]": dense(torch.arange(2.0)), "steps[1]": dense(torch.arange(3)),
                                 "table.a": dense(torch.ones(1))}, "torchscript")
    for name in ("traced.pt", "scripted.pt"):
        out.expected[name]["anyOrder"] = True
    for name in ("traced.pt", "scripted.pt", "attributes.pt"):
        out.expected[name]["program"] = True
    # Written by cpp_save.cpp, which is built by hand: see there.
    image = torch.arange(12, dtype=torch.float32).reshape(1, 3, 4) / 8
    out.expect("cpp_tensor.pt", {"0": dense(image, kind="parameter")}, "torchscript")
    out.expect("cpp_list.pt", {"0": dense(torch.tensor([1, 2, 3]), kind="parameter"), "1": dense(torch.tensor([[True], [False]]), kind="parameter")},
               "torchscript")
    out.expect("cpp_module.pt", {"fc.weight": dense(torch.full((2, 3), 0.5), kind="parameter"),
                                 "fc.bias": dense(torch.tensor([1.0, -1.0]), kind="parameter"),
                                 "seen": dense(torch.tensor(4), kind="parameter")}, "torchscript")
    out.expected["cpp_module.pt"]["anyOrder"] = True


def expect_exported(out, name, module, program, calls):
    """Writes an exported program, and what its module itself tells; `calls` are those that are not 1."""
    source = out.folder / "source.pt2"
    torch.export.save(program, source)
    traces = re.compile(rb'"stack_trace": "(\\.|[^"\\])*"')
    rewrite(source, out.folder / name, lambda member, raw: traces.sub(b'"stack_trace": ""', raw))
    source.unlink()
    entries = {}
    for path, layer in module.named_modules(remove_duplicate=False):
        if not path:
            continue
        count = sum(parameter.numel() for parameter in layer.parameters())
        called = calls.get(path, 1)
        notes = [f"{count} parameters"] if count else []
        notes += ["the file names no operator of it"] if called == 0 else [f"called {called} times"] if called > 1 else []
        kind = f"{type(layer).__module__}.{type(layer).__qualname__}" if called else ""
        entries[path] = {"kind": "layer", "type": kind, "notes": notes}
    for path, tensor in module.state_dict().items():
        entries[path] = dense(tensor, kind="parameter")
    out.expect(name, entries, "pt2")
    out.expected[name].update(anyOrder=True, program=True)


def save_exported(out):
    torch.manual_seed(2)
    small = Small().eval()
    expect_exported(out, "exported.pt2", small, torch.export.export(small, (torch.ones(1, 3),)), {})
    nested = Nested().eval()
    batch = torch.export.Dim("batch")
    program = torch.export.export(nested, (torch.ones(2, 3, 6, 6),), dynamic_shapes=({0: batch},))
    calls = {"blocks": 0, "unused": 0, "same": 0, "blocks.0": 2, "blocks.0.conv": 2, "blocks.0.norm": 2}
    expect_exported(out, "exported_nested.pt2", nested, program, calls)
    strict = torch.export.export(nested, (torch.ones(2, 3, 6, 6),), strict=True)
    # Tracing by bytecode takes a module under two names for the first of them.
    expect_exported(out, "exported_strict.pt2", nested, strict, calls | {"tied": 0})
    branches = Branches().eval()
    expect_exported(out, "exported_branches.pt2", branches, torch.export.export(branches, (torch.ones(2),)),
                    {"left": 0, "right": 0, "right.0": 0, "right.1": 0})


def make(folder):
    out = Writer(pathlib.Path(folder))
    for save in (save_plain, save_containers, save_objects, save_legacy, save_rewritten, save_quantized, save_sparse, save_programs,
                 save_exported):
        save(out)
    with open(folder / "expected.json", "w", encoding="utf-8") as file:
        lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(case, ensure_ascii=False)}" for name, case in out.expected.items())
        file.write("{\n" + lines + "\n}\n")

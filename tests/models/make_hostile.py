# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes files that try to do harm or are broken, each with the cause that the program must name.

    python tests/models/make_hostile.py OUTDIR

writes what is committed in tests/data/hostile: the files, and hostile.json, a list of
  {"file": "spins.pt", "what": "a sentence",
   "stage": "open" | "run",          where it ends at the latest: while it is opened or while forward runs
   "ends": ["failed", ...],          how it may end (where limits of memory decide, more than one):
                                       "refused"  before LibTorch sees it, by the program's own reading of the archive
                                       "failed"   by LibTorch or by the runner, which goes on living
                                       "died"     by a signal or an abort of the runner
                                       "stopped"  by a limit: time, memory, output
                                       "done"     it runs to its end, without effect outside the runner
   "cause": ["word", ...],           one of these words is in the message that the user sees (any case); empty for "done"
   "warns": ["word", ...],           the same of a warning that is shown when the file is opened; absent where none is needed
   "argument": [2, 3]}               the shape of x, float32, all ones
Every file leaves nothing behind: no file of the name actiscope_hostile_output, in the working directory or in /tmp.
Operators that open sockets or start programs are not among LibTorch's; the sandbox's own test tries those calls.
"""
import io
import json
import pathlib
import struct
import sys
import zipfile

import torch
from torch import nn

import hostile
from damage import Set, beyond, flipped, inCode, inMember, inSequential, text

LIMITS = ["time", "limit", "stopped", "long"]
MEMORY = ["memory", "alloc"]
SANDBOX = ["from_file", "file", "not allowed", "not permitted", "sandbox"]


def effects(out):
    for name, module, what in [
            ("reads_file", hostile.ReadsInForward(), "reads /etc/passwd in forward"),
            ("reads_process", hostile.ReadsProcess(), "opens its own memory in forward"),
            ("writes_file", hostile.WritesInForward(), "makes a file in forward")]:
        out.compiled(name, module, what, "run", ["failed"], SANDBOX, warns=["from_file", "a file"])
    for name, module, what in [("reads_file_at_load", hostile.ReadsAtLoad(), "reads /etc/passwd while it is loaded"),
                               ("writes_file_at_load", hostile.WritesAtLoad(), "makes a file while it is loaded")]:
        out.compiled(name, module, what, "open", ["failed"], SANDBOX)
    # LibTorch does not say that it could not save.
    for name, module, what in [("saves", hostile.SavesInForward(), "saves a tensor in forward"),
                               ("saves_anywhere", hostile.SavesAnywhere(), "saves a tensor in /tmp"),
                               ("saves_at_load", hostile.SavesAtLoad(), "saves a tensor while it is loaded")]:
        out.compiled(name, module, what, "run", ["done", "failed"], [], warns=["save", "a file"])
    out.compiled("loads_library", hostile.LoadsLibrary(), "loads a shared library through an NNAPI class", "run", ["failed", "refused"],
                 ["libneuralnetworks", "nnapi"])


def limits(out):
    out.compiled("spins", hostile.Spins(), "never ends", "run", ["stopped"], LIMITS)
    out.compiled("spins_at_load", hostile.SpinsAtLoad(), "never ends loading", "open", ["stopped"], LIMITS)
    out.compiled("prints_forever", hostile.PrintsForever(), "prints without end", "run", ["stopped"], LIMITS)
    out.compiled("forks_forever", hostile.ForksForever(), "starts tasks without end", "run", ["stopped", "failed", "died"], LIMITS + MEMORY)
    out.compiled("calls_often", hostile.CallsOften(), "calls a layer 2^40 times", "run", ["stopped", "failed"], LIMITS + MEMORY)
    out.compiled("many_members", hostile.Many(), "a layer gives a dict of 2^30 tensors", "run", ["stopped", "failed", "died"], LIMITS + MEMORY)
    out.compiled("allocates", hostile.AllocatesAtOnce(), "allocates 2^38 bytes", "run", ["failed", "died", "stopped"], MEMORY)
    out.compiled("allocates_slowly", hostile.AllocatesSlowly(), "allocates 64 MB at a time", "run", ["failed", "died", "stopped"], MEMORY)
    out.compiled("list_grows", hostile.ListGrows(), "a list grows without end", "run", ["failed", "died", "stopped"], MEMORY + LIMITS)
    out.compiled("string_doubles", hostile.StringDoubles(), "a string of 2^40 bytes", "run", ["failed", "died", "stopped"], MEMORY + ["length", "string"])
    out.compiled("expands", hostile.Expands(), "a layer's output has 2^40 elements in 4 bytes", "run", ["done", "failed", "stopped"], MEMORY + LIMITS)


def crashes(out):
    out.compiled("modulo", hostile.Modulo(), "divides integers by zero", "run", ["died"], ["SIGFPE", "divides", "division", "divided"])
    out.compiled("modulo_at_load", hostile.DividesAtLoad(), "divides integers by zero while it is loaded", "open", ["died"],
                 ["SIGFPE", "divides", "division", "divided"])
    out.compiled("overflows", hostile.Overflows(), "divides the least integer by -1", "run", ["died"], ["SIGFPE", "divides", "division", "divided"])
    out.compiled("sparse_lies", hostile.SparseLies(), "sparse tensors with indices outside their shapes", "run", ["failed", "done"], ["ind", "sparse"])
    out.compiled("sparse_writes", hostile.SparseWrites(), "writes outside of memory", "run", ["died", "failed"], ["SIGSEGV", "crash", "memory"])
    deep = "(" * 60000 + "x" + ")" * 60000
    out.compiled("nested_code", hostile.Inner(), "an expression 60,000 brackets deep", "open", ["died", "failed", "refused"],
                 ["SIGSEGV", "crash", "stack", "nest", "deep"], edit=inCode("return torch.add(x, 1)", f"return torch.add({deep}, 1)"))
    kind = "List[" * 60000 + "Tensor" + "]" * 60000
    out.compiled("nested_types", hostile.Inner(), "a type 60,000 brackets deep", "open", ["died", "failed", "refused"],
                 ["SIGSEGV", "crash", "stack", "nest", "deep"], edit=inCode("    x: Tensor", f"    x: {kind}"))
    out.compiled("nested_pickle", hostile.Inner(), "a pickle of a million tuples, one in another", "open", ["died", "failed", "refused"],
                 ["SIGSEGV", "crash", "stack", "nest", "deep"], edit=inMember("constants.pkl", lambda _: b"\x80\x02)" + b"\x85" * 1_000_000 + b"."))
    out.compiled("recursion", hostile.Inner(), "forward calls itself", "open", ["failed", "refused"], ["recurs"], edit=inCode("return torch.add(x, 1)", "return (self).forward(x, )"))
    out.compiled("call_tree", hostile.Inner(), "methods that call the next one twice, 40 deep", "run", ["stopped", "failed", "died"],
                 LIMITS + MEMORY + ["SIGSEGV", "crash"],
                 edit=inCode("    return torch.add(x, 1)", callTree(40, "x")))
    out.compiled("call_tree_unused", hostile.Inner(), "the same, never called", "run", ["done"], [],
                 edit=inCode("    return torch.add(x, 1)", callTree(40, "x", used=False)))


def callTree(depth, argument, used=True):
    """The body of forward and methods f0 to f(depth), each of which calls the next twice."""
    body = "    return (self).f0(x, )\n" if used else ("    if torch.gt(torch.dim(x), 7):\n      y = (self).f0(x, )\n"
                                                         "    else:\n      y = x\n    return y\n")
    for i in range(depth):
        body += (f"  def f{i}(self: __torch__.hostile.Inner,\n    x: Tensor) -> Tensor:\n    y = (self).f{i + 1}(x, )\n"
                 f"    return (self).f{i + 1}(y, )\n")
    return body + f"  def f{depth}(self: __torch__.hostile.Inner,\n    x: Tensor) -> Tensor:\n    return torch.add(x, 1)"


def archives(out):
    sound = out.sound()
    for name, part in [("truncated_start", 0.1), ("truncated_half", 0.5), ("truncated_end", 0.98)]:
        out.raw(name, sound[:int(len(sound) * part)], f"the first {part:.0%} of a file", "open", ["refused", "failed"], ["trunc", "end", "zip", "archive"])
    out.raw("mutated_weight", flipped(sound, "data/0"), "one bit of a weight changed: only its checksum tells", "run", ["done", "failed", "refused"],
            ["crc", "checksum", "damaged"], warns=["crc", "checksum"])
    out.raw("mutated_code", flipped(sound, "container.py"), "one bit of the packed code changed", "open", ["refused", "failed"],
            ["crc", "checksum", "damaged", "corrupt", "inflate", "invalid", "unknown type"])
    out.raw("mutated_directory", sound.replace(b"PK\1\2", b"PK\1\3", 3), "broken entries in the archive's directory", "open", ["refused", "failed"],
            ["zip", "archive", "directory", "damaged"])
    linear = nn.Linear(3, 4)
    out.compiled("short_storage", linear, "a tensor's record is half as long as it must be", "open", ["refused"], ["storage", "short", "bytes"],
                 edit=inMember("data/0", lambda data: data[:len(data) // 2]))
    out.compiled("empty_storage", linear, "a tensor's record is empty", "open", ["refused"], ["storage", "short", "bytes"],
                 edit=inMember("data/0", lambda data: b""))
    out.compiled("missing_storage", linear, "a tensor's record is not there", "open", ["refused", "failed"], ["data/0", "missing", "not"],
                 edit=lambda member, data: None if member == "data/0" else data)
    out.compiled("missing_code", linear, "no code", "open", ["refused", "failed"], ["code", "Unknown type", "not"],
                 edit=lambda member, data: None if member.startswith("code/") else data)
    out.compiled("missing_constants", linear, "no constants.pkl", "open", ["refused", "failed"], ["constants.pkl", "torchscript"],
                 edit=lambda member, data: None if member == "constants.pkl" else data)
    out.compiled("outside_storage", linear, "a tensor that begins beyond its storage", "open", ["refused", "failed"], ["storage", "bounds", "outside"],
                 edit=inMember("data.pkl", beyond))
    for name, version in [("version_new", b"9999\n"), ("version_zero", b"0\n"), ("version_text", b"seven\n"), ("version_empty", b"")]:
        out.compiled(name, linear, f"version {version!r}", "open", ["refused", "failed"], ["version", "stoi", "stoul", "number"],
                     edit=inMember("version", lambda _, version=version: version))
    out.compiled("pickled_command", linear, "a pickle that runs a command in Python", "open", ["refused", "failed"], ["os.system", "posix", "system", "type"],
                 edit=inMember("data.pkl", lambda _: b"\x80\x02cos\nsystem\n(X\x20\0\0\0touch actiscope_hostile_output #tR."))
    out.compiled("long_string", linear, "a string that says it has 2 GB", "open", ["refused", "failed", "died"], ["string", "end", "memory", "alloc", "short"],
                 edit=inMember("data.pkl", lambda _: b"\x80\x02X\xf0\xff\xff\x7fabc."))
    out.compiled("recursive_type", nn.Sequential(nn.ReLU()), "a class that holds itself", "open", ["refused", "failed", "died"],
                 ["itself", "SIGSEGV", "crash", "recurs", "type"],
                 edit=lambda m, d: inSequential(b"modules.activation.ReLU", b"modules.container.Sequential")(d))
    out.compiled("unknown_operator", hostile.Inner(), "an operator that nobody has", "open", ["refused", "failed"], ["mylib::magic"],
                 edit=inCode("torch.add(x, 1)", "ops.mylib.magic(x)"))
    out.compiled("unknown_class", hostile.Inner(), "a class that nobody has", "open", ["refused", "failed"], ["mylib"],
                 edit=inCode("return torch.add(x, 1)", "c = __torch__.torch.classes.mylib.Thing.__new__(__torch__.torch.classes.mylib.Thing)\n    return x"))
    out.compiled("not_python", hostile.Inner(), "code that is none", "open", ["refused", "failed"], ["expected", "syntax", "code"],
                 edit=inCode("return torch.add(x, 1)", "return )(x, 1"))
    out.compiled("no_forward", hostile.NoForward(), "a model without forward", "open", ["refused", "failed", "done"], ["forward"])
    out.compiled("takes_class", hostile.TakesClass(), "an argument that cannot be given", "run", ["refused", "failed"], ["stream", "argument", "_RecordFunction"])
    optimized(out)


def optimized(out):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU(), nn.Conv2d(4, 2, 1)).eval()
    module = torch.jit.optimize_for_inference(torch.jit.script(network))
    torch.jit.save(module, str(out.folder / "optimized.pt"))
    out.rewrite("optimized", None)
    out.note("optimized", "saved after optimize_for_inference: its weights are not in the file", "open", ["refused", "failed"],
             ["optimize_for_inference"])


def names(out):
    evil = b"a\nb\x1b[31m\xff/../../c"

    def strange(member, data):
        data = data.replace(text(b"0"), text(evil)) if member == "data.pkl" else data
        return inSequential(b'"0"', b'"a\\nb\\033[31m\\377/../../c"')(data)
    out.compiled("strange_names", nn.Sequential(nn.ReLU()), "a layer's name with a line break, a terminal's escape and a byte that is no UTF-8",
                 "open", ["refused", "failed", "done"], [], edit=strange)
    for name, count, ends, cause in [("many_layers", 2000, ["done"], []), ("too_many_layers", 20000, ["stopped", "failed", "died", "done"], LIMITS + MEMORY)]:
        out.compiled(name, nn.Sequential(nn.ReLU()), f"one layer under {count:,} names", "open", ends, cause,
                     edit=lambda member, data, count=count: manyNames(member, data, count))


def manyNames(member, data, count):
    if member == "data.pkl":    # ... "u" "b" "q" the child's number, and at the end "u" "b" "q" a number "."
        child = b"h" + data[data.index(b"ubq") + 3:][:1]
        return data[:-5] + b"".join(text(b"m%d" % i) + child for i in range(count)) + data[-5:]
    lines = b"".join(b'  __annotations__["m%d"] = __torch__.torch.nn.modules.activation.ReLU\n' % i for i in range(count))
    return inSequential(b"  def forward", lines + b"  def forward")(data)


def bombs(out):
    spaces = b" " * (96 << 20)
    out.compiled("bomb_code", hostile.Inner(), "96 MB of blanks in the code, packed to 96 KB", "open", ["refused", "failed", "died", "done"],
                 ["code", "large", "memory", "packed", "ratio"], edit=lambda m, d: d + spaces if m.startswith("code/") and b"Inner" in d else d)
    data = manyBombs(40)
    out.raw("bomb_overlap", data, "40 classes of 96 MB of code each, all the same 96 KB of the archive", "open", ["refused", "failed", "died"],
            ["overlap", "large", "memory", "alloc", "zip", "archive", "code"])


def manyBombs(count):
    """A model of `count` layers, whose classes are one text in the archive under as many names."""
    stream = io.BytesIO()
    inner = b"class Inner(Module):\n  training : bool\n  def forward(self, x: Tensor) -> Tensor:\n    return x\n"
    outer = b"class Outer(Module):\n" + b"".join(b"  m%d : __torch__.h%d.Inner\n" % (i, i) for i in range(count))
    outer += b"  def forward(self: __torch__.outer.Outer,\n    x: Tensor) -> Tensor:\n    return x\n"
    state = b"".join(text(b"m%d" % i) + b"c__torch__.h%d\nInner\n)\x81}(" % i + text(b"training") + b"\x89ub" for i in range(count))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in [("data.pkl", b"\x80\2c__torch__.outer\nOuter\n)\x81}(" + state + b"ub."), ("constants.pkl", b"\x80\2)."), ("version", b"3\n"),
                           ("code/__torch__/outer.py", outer), ("code/__torch__/h0.py", inner + b" " * (96 << 20))]:
            archive.writestr(zipfile.ZipInfo(f"bomb/{name}"), data, zipfile.ZIP_DEFLATED)
        packed = archive.infolist()[-1]
        for i in range(1, count):
            copy = zipfile.ZipInfo(f"bomb/code/__torch__/h{i}.py")
            for field in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(copy, field, getattr(packed, field))
            archive.filelist.append(copy)
    return stream.getvalue()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    out = Set(folder)
    for part in (effects, limits, crashes, archives, names, bombs):
        part(out)
    (folder / "hostile.json").write_text("[\n " + ",\n ".join(json.dumps(e) for e in out.entries) + "\n]\n")
    print(len(out.entries), "files,", sum(f.stat().st_size for f in folder.iterdir()), "bytes")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of hostile files and ways to change archives (format: make_hostile.py)."""
import io
import struct
import zipfile

import torch
from torch import nn

SHAPE = [2, 3]


class Set:
    def __init__(self, folder):
        self.folder, self.entries = folder, []

    def note(self, name, what, stage, ends, cause, **more):
        self.entries.append({"file": f"{name}.pt", "what": what, "stage": stage, "ends": ends, "cause": cause, **more, "argument": SHAPE})

    def compiled(self, name, module, *facts, edit=None, **more):
        """A model that PyTorch compiles; `edit` changes members of its archive."""
        torch.jit.save(torch.jit.script(module.eval()), str(self.folder / f"{name}.pt"))
        self.rewrite(name, edit)
        self.note(name, *facts, **more)

    def rewrite(self, name, edit):
        """Deflates everything, drops source lines and applies `edit`: (member, bytes) -> bytes, or None to drop it."""
        path = self.folder / f"{name}.pt"
        with zipfile.ZipFile(path) as archive:
            records = [(i.filename, archive.read(i)) for i in archive.infolist() if not i.filename.endswith(".debug_pkl")]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for member, data in records:
                data = edit(member.split("/", 1)[1], data) if edit else data
                if data is not None:
                    info = zipfile.ZipInfo(member)
                    info.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(info, data)

    def sound(self):
        """The bytes of a model without fault, packed as PyTorch packs them."""
        torch.manual_seed(1)
        stream, copy = io.BytesIO(), io.BytesIO()
        torch.jit.save(torch.jit.script(nn.Sequential(nn.Linear(3, 4), nn.ReLU()).eval()), stream)
        with zipfile.ZipFile(stream) as archive, zipfile.ZipFile(copy, "w") as target:
            for info in archive.infolist():
                if not info.filename.endswith(".debug_pkl"):
                    fresh = zipfile.ZipInfo(info.filename)
                    fresh.compress_type = info.compress_type
                    target.writestr(fresh, archive.read(info))
        return copy.getvalue()

    def raw(self, name, data, *facts, **more):
        (self.folder / f"{name}.pt").write_bytes(data)
        self.note(name, *facts, **more)


def inCode(old, new):
    """Replaces text in the code of the archive; it must be there."""
    def edit(member, data):
        if not member.startswith("code/") or old.encode() not in data:
            return data
        return data.replace(old.encode(), new.encode())
    return edit


def inMember(name, change):
    return lambda member, data: change(data) if member == name else data


def flipped(sound, member):
    """The archive with a bit changed in the middle of a member's bytes."""
    with zipfile.ZipFile(io.BytesIO(sound)) as archive:
        info = next(i for i in archive.infolist() if i.filename.endswith(member))
    name, extra = struct.unpack("<HH", sound[info.header_offset + 26:info.header_offset + 30])
    at = info.header_offset + 30 + name + extra + info.compress_size // 2
    return sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1:]


def beyond(pickled):
    """The first tensor begins at 2^30 instead of 0."""
    at = pickled.index(b"q\x07K\x00(") + 2
    return pickled[:at] + b"J" + struct.pack("<i", 1 << 30) + pickled[at + 2:]


def inSequential(old, new):
    return lambda data: data.replace(old, new) if b"class Sequential" in data else data


def text(value):
    """A pickled string."""
    return b"X" + struct.pack("<I", len(value)) + value

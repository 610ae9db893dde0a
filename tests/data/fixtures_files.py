# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of every format but PyTorch's, written by the libraries that own the formats, with the values expected from them.

make(folder) writes folder/*.npy, *.npz, *.safetensors and pictures, and expected_files.json beside the folder. Values are
kept as hexadecimal bytes: little-endian, row-major.
"""
import io
import json
import pathlib
import struct
import warnings
import zipfile
import zlib

import numpy as np
import scipy.sparse
import torch
import torchvision
from PIL import Image
from safetensors.numpy import save_file as save_numpy_file
from safetensors.torch import save_file

DTYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]
TORCH_NAMES = {"bool": "bool", "u1": "uint8", "i1": "int8", "u2": "uint16", "i2": "int16", "u4": "uint32", "i4": "int32",
               "u8": "uint64", "i8": "int64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64",
               "c16": "complex128"}


def values(dtype, shape):
    """Numbers that show mistakes: every byte differs, floats hold NaN, infinity and -0."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype.kind == "b":
        return (np.arange(count) % 3 == 0).reshape(shape)
    if dtype.kind in "ui":
        raw = (np.arange(count * dtype.itemsize) * 37 + 11).astype(np.uint8)
        return raw.view(dtype).reshape(shape)
    real = (np.arange(count) * 1.7 - 3.3).astype(dtype)
    if dtype.kind == "c":
        real = real + np.asarray(np.arange(count) * 0.25j, dtype)
    if count > 3:
        real[1], real[2], real[3] = np.nan, np.inf, -0.0
    return real.astype(dtype).reshape(shape)


def torch_name(dtype):
    dtype = np.dtype(dtype)
    return TORCH_NAMES["bool" if dtype.kind == "b" else dtype.kind + str(dtype.itemsize)]


def raw(array):
    array = np.asarray(array)
    return array.astype(array.dtype.newbyteorder("<")).tobytes().hex()


def tensor(name, array, **more):
    array = np.asarray(array)
    strides = [s // array.itemsize for s in array.strides] if array.size else None
    return {"name": name, "dtype": torch_name(array.dtype), "shape": list(array.shape), "strides": strides,
            "values": raw(array), **more}


def thing(name, type_name):
    return {"name": name, "kind": "object", "type": type_name}


class Maker:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.expected = {}

    def path(self, name):
        return self.folder / name

    def expect(self, name, form, entries, **more):
        self.expected[name] = {"format": form, "entries": entries, **more}

    # npy ---------------------------------------------------------------------------------------------------------------

    def npy(self, stem, array, version=(1, 0), **more):
        with open(self.path(stem + ".npy"), "wb") as file:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.lib.format.write_array(file, array, version=version)
        self.expect(stem + ".npy", "npy", [tensor(stem, array)], **more)

    def npy_files(self):
        for dtype in DTYPES:
            self.npy("npy_" + dtype, values(dtype, (2, 3)))
        for dtype in DTYPES[3:]:
            self.npy("npy_big_" + dtype, values(dtype, (2, 3)).astype(np.dtype(dtype).newbyteorder(">")))
        self.npy("npy_fortran", np.asfortranarray(values("f4", (2, 3, 4))))
        self.npy("npy_fortran_big", np.asfortranarray(values("i2", (3, 2, 2)).astype(">i2")))
        self.npy("npy_version2", values("f4", (2, 3)), version=(2, 0))
        self.npy("npy_version3", values("f4", (2, 3)), version=(3, 0))
        self.npy("npy_0d", np.array(1.5))
        self.npy("npy_empty", np.zeros((0, 3), "f4"))
        self.npy("npy_empty_middle", np.zeros((2, 0, 3), "i8"))
        self.npy("npy_1d", values("f4", (5,)))
        self.npy("npy_rank64", values("f4", (1,) * 62 + (2, 3)))
        array = values("f4", (2, 3))
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }"
        header += b" " * (-(len(header) + 11) % 16) + b"\n"
        self.path("npy_python2.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + array.tobytes())
        self.expect("npy_python2.npy", "npy", [tensor("npy_python2", array)])
        with open(self.path("npy_two.npy"), "wb") as file:
            np.save(file, array)
            np.save(file, array)
        self.expect("npy_two.npy", "npy", [tensor("npy_two", array)], warning="152 bytes after the array")
        for stem, other in {"string": np.array(["a", "bcdef"]), "bytes": np.array([b"a", b"bcd"]),
                            "datetime": np.array(["2026-11-30"], "M8[D]"), "timedelta": np.array([3], "m8[s]"),
                            "structured": np.zeros(2, [("a", "<i4"), ("O", "<f8", (2,))]),
                            "void": np.zeros(2, "V3"), "longdouble": np.zeros(2, "g")}.items():
            np.save(self.path(f"npy_{stem}.npy"), other)
            described = np.lib.format.dtype_to_descr(other.dtype)
            self.expect(f"npy_{stem}.npy", "npy", [thing("npy_" + stem, str(described))])
        np.save(self.path("bad_npy_object.npy"), np.array([{}, 1], object), allow_pickle=True)
        np.save(self.path("bad_npy_object_field.npy"), np.zeros(1, [("a", "<i4"), ("b", "O")]), allow_pickle=True)

    # npz ---------------------------------------------------------------------------------------------------------------

    def npz_files(self):
        arrays = {"floats": values("f4", (2, 3)), "ints": values("i8", (4,)), "fortran": np.asfortranarray(values("f8", (2, 3))),
                  "big": values("i4", (2, 2)).astype(">i4"), "scalar": np.array(2.5), "empty": np.zeros((0, 2), "u1"),
                  "layer1.0.weight": values("f2", (2, 2))}
        np.savez(self.path("npz_plain.npz"), **arrays)
        np.savez_compressed(self.path("npz_compressed.npz"), **arrays)
        entries = [tensor(name, array) for name, array in arrays.items()]
        self.expect("npz_plain.npz", "npz", entries)
        self.expect("npz_compressed.npz", "npz", entries)
        np.savez(self.path("npz_positional.npz"), arrays["floats"], arrays["ints"])
        self.expect("npz_positional.npz", "npz", [tensor("arr_0", arrays["floats"]), tensor("arr_1", arrays["ints"])])
        np.savez(self.path("npz_none.npz"))
        self.expect("npz_none.npz", "npz", [])
        mask = np.zeros((500, 500), "u1")
        mask[100:200, 50:60] = 1
        np.savez_compressed(self.path("npz_mask.npz"), mask=mask)
        self.expect("npz_mask.npz", "npz", [{"name": "mask", "dtype": "uint8", "shape": [500, 500], "strides": [500, 1],
                                             "sum": 1000}])
        self.odd_npz(arrays["floats"])
        # Written to a pipe: sizes stand after the data.
        stream = Unseekable()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(member("a.npy"), npy_bytes(arrays["floats"]), compress_type=zipfile.ZIP_DEFLATED)
            archive.writestr(member("b.npy"), npy_bytes(arrays["ints"]), compress_type=zipfile.ZIP_STORED)
        self.path("npz_streamed.npz").write_bytes(stream.data)
        self.expect("npz_streamed.npz", "npz", [tensor("a", arrays["floats"]), tensor("b", arrays["ints"])])
        self.sparse_npz()

    def odd_npz(self, array):
        with warnings.catch_warnings(), zipfile.ZipFile(self.path("npz_odd.npz"), "w") as archive:
            warnings.simplefilter("ignore")
            archive.writestr(member("a.npy"), npy_bytes(array))
            archive.writestr(member("a.npy"), npy_bytes(array + 1))
            archive.writestr(member("folder/"), b"")
            archive.writestr(member("folder/b.npy"), npy_bytes(array))
            archive.writestr(member("readme.txt"), b"hello")
            archive.writestr(member("objects.npy"), npy_bytes(np.array([None], object)))
            archive.writestr(member("names.npy"), npy_bytes(np.array(["x", "yz"])))
            archive.writestr(member("broken.npy"), npy_bytes(array)[:-4])
            archive.writestr(member("nonsense.npy"), b"hello")
        self.expect("npz_odd.npz", "npz", [
            tensor("a", array), tensor("a~2", array + 1), tensor("folder/b", array), thing("readme.txt", "other"),
            thing("objects", "|O"), thing("names", "<U2"), tensor("broken", array, error="cut off"), thing("nonsense", "damaged")],
            warning="broken")

    def sparse_npz(self):
        dense = np.zeros((5, 7), "f4")
        dense[0, 1], dense[2, 3], dense[2, 6], dense[4, 0] = 1.5, -2, np.nan, 7
        block = np.kron(np.array([[1, 0, 2], [0, 0, 3]]), np.arange(1, 5).reshape(2, 2)).astype("i2")
        makers = {"csr": scipy.sparse.csr_matrix(dense), "csc": scipy.sparse.csc_matrix(dense),
                  "coo": scipy.sparse.coo_matrix(dense), "csr_array": scipy.sparse.csr_array(dense),
                  "bsr": scipy.sparse.bsr_matrix(block, blocksize=(2, 2)),
                  "dia": scipy.sparse.dia_matrix((np.arange(1, 13, dtype="f8").reshape(2, 6), [-1, 2]), shape=(5, 6)),
                  "coo_3d": scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([0, 1, 1], [2, 0, 2], [3, 1, 3])), shape=(2, 3, 4)),
                  "csr_bool": scipy.sparse.csr_matrix(dense != 0)}
        for stem, matrix in makers.items():
            name = f"scipy_{stem}.npz"
            scipy.sparse.save_npz(self.path(name), matrix, compressed=stem not in ("csc", "coo"))
            kind = "coo" if stem == "dia" else matrix.format
            self.expect(name, "npz", [{"name": f"scipy_{stem}", "dtype": torch_name(matrix.dtype), "shape": list(matrix.shape),
                                       "storage": kind, "stored": int(matrix.nnz), "dense": raw(matrix.toarray())}])
        # SciPy before 1.0 under Python 3 wrote the name of the format as text; duplicates are legal in coo.
        np.savez(self.path("scipy_old.npz"), format=np.array("coo"), shape=np.array([3, 3]), row=np.array([0, 2, 2], "i4"),
                 col=np.array([1, 0, 0], "i4"), data=np.array([1, 2, 3], "i4"))
        self.expect("scipy_old.npz", "npz", [{"name": "scipy_old", "dtype": "int32", "shape": [3, 3], "storage": "coo",
                                              "stored": 3, "dense": raw(np.array([[0, 1, 0], [0, 0, 0], [5, 0, 0]], "i4"))}])

    # safetensors -------------------------------------------------------------------------------------------------------

    def safetensors_files(self):
        tensors = {}
        for dtype in [torch.bool, torch.uint8, torch.int8, torch.uint16, torch.int16, torch.uint32, torch.int32, torch.uint64,
                      torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
                      torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]:
            name = str(dtype).removeprefix("torch.")
            source = values({1: "u1", 2: "u2", 4: "u4", 8: "u8"}[dtype.itemsize], (2, 3))
            tensors[name] = (torch.arange(6) % 2 == 0).reshape(2, 3) if dtype == torch.bool else torch.from_numpy(source).view(dtype)
        save_file(tensors, self.path("st_dtypes.safetensors"))
        entries = [self.safe(name, value) for name, value in tensors.items()]
        self.expect("st_dtypes.safetensors", "safetensors", entries, anyOrder=True)
        arrays = {"scalar": np.array(1.5, "f4"), "none": np.zeros((0, 4), "f4"), "layer.0.weight": values("f4", (2, 2)),
                  "bytes": np.array([1, 2, 3], "u1")}
        save_numpy_file(arrays, self.path("st_metadata.safetensors"), metadata={"note": "\u00e9\u20ac \"x\""})
        entries = [tensor(name, array) for name, array in arrays.items()]
        entries += [{"name": "__metadata__." + key, "kind": "value", "value": value}
                    for key, value in {"note": "\u00e9\u20ac \"x\""}.items()]
        self.expect("st_metadata.safetensors", "safetensors", entries, anyOrder=True)
        save_numpy_file({}, self.path("st_none.safetensors"))
        self.expect("st_none.safetensors", "safetensors", [])
        header = b'{"q":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},"w":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}'
        self.path("st_f4.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\x12\x34" + struct.pack("<f", 1.5))
        self.expect("st_f4.safetensors", "safetensors", [thing("q", "F4"), tensor("w", np.array([1.5], "f4"))])

    @staticmethod
    def safe(name, value):
        raw_bytes = value.contiguous().view(torch.uint8) if value.dtype != torch.bool else value.to(torch.uint8)
        return {"name": name, "dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape),
                "strides": list(value.stride()), "values": raw_bytes.numpy().tobytes().hex()}

    # pictures ----------------------------------------------------------------------------------------------------------

    def picture(self, name, array, **more):
        stem = name.rsplit(".", 1)[0]
        self.expect(name, "image", [tensor(stem, np.ascontiguousarray(array), isImage=True)], **more)

    def png(self, name, array, bits, color, interlaced=False, chunks=b"", **more):
        """Writes a PNG of any kind (no library here writes them all) and checks it with torchvision and Pillow."""
        self.path(name).write_bytes(png_bytes(array, bits, color, interlaced, chunks))
        with Image.open(self.path(name)) as image:
            image.load()
        if color != 3 and bits >= 8 and not chunks:
            mode = torchvision.io.ImageReadMode.UNCHANGED
            again = torchvision.io.decode_image(str(self.path(name)), mode).permute(1, 2, 0).numpy()
            assert np.array_equal(again, array.reshape(again.shape)), name
        self.picture(name, array, **more)

    def png_files(self):
        height, width = 5, 7
        for bits in (1, 2, 4):
            grey = (np.arange(height * width).reshape(height, width) * 5 % 2 ** bits).astype("u1")
            self.png(f"png_grey{bits}.png", grey, bits, 0)
            self.png(f"png_grey{bits}_interlaced.png", grey, bits, 0, interlaced=True)
        for bits, dtype in ((8, "u1"), (16, "u2")):
            for kind, color, channels in (("grey", 0, 1), ("rgb", 2, 3), ("grey_alpha", 4, 2), ("rgba", 6, 4)):
                shape = (height, width, channels) if channels > 1 else (height, width)
                self.png(f"png_{kind}{bits}.png", values(dtype, shape), bits, color)
                self.png(f"png_{kind}{bits}_interlaced.png", values(dtype, shape), bits, color, interlaced=True)
        transparent = chunk(b"tRNS", struct.pack(">HHH", 1, 2, 3))
        self.png("png_rgb_trns.png", values("u1", (height, width, 3)), 8, 2, chunks=transparent)
        for bits in (1, 2, 4, 8):
            image = Image.fromarray((np.arange(height * width).reshape(height, width) % 2 ** bits).astype("u1"), "P")
            image.putpalette([i * 7 % 256 for i in range(3 * 2 ** bits)])
            name = f"png_palette{bits}.png"
            image.save(self.path(name), bits=bits, transparency=b"\x10\x80")
            self.picture(name, np.asarray(image))
        labels = Image.fromarray(np.array([[0, 1, 255], [2, 255, 1]], "u1"), "P")
        labels.putpalette([i % 256 for i in range(768)])
        labels.save(self.path("palette_255.png"))
        self.picture("palette_255.png", np.asarray(labels))
        noise = np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8)
        Image.fromarray(noise).save(self.path("png_pillow.png"), dpi=(300, 300))
        self.picture("png_pillow.png", noise)

    def jpeg_files(self):
        y, x = np.mgrid[0:24, 0:40]
        photo = np.stack([x * 6, y * 10, (x + y) * 4], -1).astype("u1")
        kinds = {"rgb": (Image.fromarray(photo), {}), "rgb444": (Image.fromarray(photo), {"subsampling": 0}),
                 "progressive": (Image.fromarray(photo), {"progressive": True}), "grey": (Image.fromarray(photo).convert("L"), {}),
                 "cmyk": (Image.fromarray(photo).convert("CMYK"), {})}
        for kind, (image, options) in kinds.items():
            name = f"jpeg_{kind}.jpg"
            image.save(self.path(name), quality=90, **options)
            with Image.open(self.path(name)) as again:
                self.picture(name, np.asarray(again), tolerance=2)
        for orientation in range(1, 9):
            name = f"jpeg_turned{orientation}.jpg"
            exif = Image.Exif()
            exif[0x0112] = orientation
            Image.fromarray(photo).save(self.path(name), quality=90, exif=exif)
            mode = torchvision.io.ImageReadMode.UNCHANGED
            turned = torchvision.io.decode_image(str(self.path(name)), mode, apply_exif_orientation=True)
            self.picture(name, turned.permute(1, 2, 0).numpy(), tolerance=2)

    def bmp_files(self):
        height, width = 5, 7
        rgb = values("u1", (height, width, 3))
        Image.fromarray(rgb).save(self.path("bmp_24.bmp"))
        self.picture("bmp_24.bmp", rgb)
        rgba = values("u1", (height, width, 4))
        Image.fromarray(rgba).save(self.path("bmp_32.bmp"))
        with Image.open(self.path("bmp_32.bmp")) as again:
            self.picture("bmp_32.bmp", np.asarray(again))
        indices = (np.arange(height * width).reshape(height, width) % 200).astype("u1")
        image = Image.fromarray(indices, "P")
        image.putpalette([i * 7 % 256 for i in range(768)])
        image.save(self.path("bmp_8.bmp"))
        self.picture("bmp_8.bmp", indices)
        Image.fromarray(indices).save(self.path("bmp_grey.bmp"))
        self.picture("bmp_grey.bmp", indices)
        bits = (indices % 2).astype(bool)
        Image.fromarray(bits).save(self.path("bmp_1.bmp"))
        self.picture("bmp_1.bmp", bits.astype("u1"))
        # Pillow writes none of these; their right values are those it reads.
        self.raw_bmp("bmp_4.bmp", width, height, 4, 0, struct.pack("<16I", *range(0, 0x100000, 0x10000)),
                     pack_rows(indices % 16, 4)[::-1], indices % 16)
        five = (np.arange(height * width).reshape(height, width) * 977 % 32768).astype("<u2")
        self.raw_bmp("bmp_16.bmp", width, height, 16, 0, b"", pad_rows(five.view("u1").reshape(height, -1))[::-1], None)
        self.raw_bmp("bmp_565.bmp", width, height, 16, 3, struct.pack("<3I", 0xF800, 0x07E0, 0x001F),
                     pad_rows(five.view("u1").reshape(height, -1))[::-1], None)
        self.raw_bmp("bmp_top_down.bmp", width, -height, 24, 0, b"", pad_rows(rgb[:, :, ::-1].reshape(height, -1)), None)
        self.raw_bmp("bad_rle.bmp", 4, 2, 8, 1, struct.pack("<256I", *range(256)), [b"\x04\x01\x00\x00\x04\x02\x00\x01"], None, False)

    def raw_bmp(self, name, width, height, bits, compression, table, rows, array, expected=True):
        body = b"".join(rows)
        colors = len(table) // 4 if bits <= 8 else 0
        info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, len(body), 2835, 2835, colors, 0)
        offset = 14 + len(info) + len(table)
        self.path(name).write_bytes(struct.pack("<2sIHHI", b"BM", offset + len(body), 0, 0, offset) + info + table + body)
        if not expected:
            return
        with Image.open(self.path(name)) as image:
            self.picture(name, np.asarray(image) if array is None else array)

    def write(self, path):
        lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(self.expected.items())]
        pathlib.Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n")


class Unseekable(io.RawIOBase):
    """Where a zip goes that is written to a pipe."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, block):
        self.data += bytes(block)
        return len(block)


def member(name):
    """Always the same date: making the fixtures again changes nothing."""
    return zipfile.ZipInfo(name)


def npy_bytes(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def pad_rows(rows):
    return [bytes(row) + b"\0" * (-len(bytes(row)) % 4) for row in rows]


def pack_rows(array, bits):
    """Rows of less than 8 bits a pixel, the leftmost pixel in the highest bits, padded to four bytes."""
    planes = [(array >> (bits - 1 - i)) & 1 for i in range(bits)]
    return pad_rows(np.packbits(np.stack(planes, -1).reshape(array.shape[0], -1).astype("u1"), axis=1))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_bytes(array, bits, color, interlaced, chunks):
    """A PNG (RFC 2083) with filter type `Sub` in every second row, so that filters are read, too."""
    height, width = array.shape[:2]
    adam7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    rows = b""
    for top, left, down, right in adam7 if interlaced else [(0, 0, 1, 1)]:
        part = array[top::down, left::right]
        if part.size:
            rows += png_rows(part, bits)
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunks + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def png_rows(part, bits):
    height = part.shape[0]
    if bits < 8:
        packed = np.packbits(np.stack([(part >> (bits - 1 - i)) & 1 for i in range(bits)], -1).reshape(height, -1).astype("u1"), axis=1)
    else:
        packed = np.ascontiguousarray(part.astype(">u2") if bits == 16 else part).view("u1").reshape(height, -1)
    step = max(1, bits * (part.shape[2] if part.ndim == 3 else 1) // 8)
    rows = b""
    for number, row in enumerate(packed):
        if number % 2:
            before = np.concatenate([np.zeros(step, "u1"), row])[:len(row)]
            rows += b"\1" + (row - before).astype("u1").tobytes()
        else:
            rows += b"\0" + row.tobytes()
    return rows


def make(folder):
    """Writes the files under folder/files and folder/expected_files.json."""
    torch.manual_seed(0)
    maker = Maker(pathlib.Path(folder) / "files")
    maker.npy_files()
    maker.npz_files()
    maker.safetensors_files()
    maker.png_files()
    maker.jpeg_files()
    maker.bmp_files()
    maker.write(pathlib.Path(folder) / "expected_files.json")


if __name__ == "__main__":
    make(pathlib.Path(__file__).parent)

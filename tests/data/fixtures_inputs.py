# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures, and what torchvision makes of them as a model's input. Needs torchvision.

Each row of expected.json: picture, options of the command line, array of expected.npz.
"""
import json

import numpy as np
import torch
from PIL import Image, ImageOps
from torchvision.transforms.v2 import functional as F


def make(folder):
    rng = np.random.default_rng(5)

    def picture(height, width, channels):
        """Blobs and noise, so that resizing has edges and slopes to show."""
        y, x = np.mgrid[0:height, 0:width]
        planes = [128 + 90 * np.sin(x / (3 + c)) * np.cos(y / (4 + c)) + rng.normal(0, 20, (height, width)) for c in range(channels)]
        return np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)

    rgb = picture(37, 53, 3)
    Image.fromarray(rgb).save(folder / "rgb.png")
    Image.fromarray(picture(37, 53, 4), "RGBA").save(folder / "rgba.png")
    Image.fromarray(picture(20, 30, 1)[..., 0]).save(folder / "grey.png")
    Image.fromarray(rgb).quantize(16).save(folder / "palette.png")
    Image.fromarray(picture(9, 21, 1)[..., 0] > 128).save(folder / "bits.png")
    exif = Image.Exif()
    exif[274] = 6
    Image.fromarray(rgb).save(folder / "turned.png", exif=exif)

    def load(name):
        image = ImageOps.exif_transpose(Image.open(folder / name)).convert("RGB")
        return torch.from_numpy(np.array(image)).permute(2, 0, 1)[None]

    def scaled(x, preset):
        x = x.to(torch.float32)
        if preset in ("zero-one", "imagenet"):
            x = x / 255
        if preset == "imagenet":
            mean = torch.tensor([0.485, 0.456, 0.406])[:, None, None]
            std = torch.tensor([0.229, 0.224, 0.225])[:, None, None]
            x = (x - mean) / std
        if preset == "minus-one-one":
            x = x / 127.5 - 1
        return x

    rows, arrays = [], {}

    def row(name, preset="zero-one", resize=None, crop=None):
        x = load(name)
        options = {"preset": preset}
        if isinstance(resize, int):
            x = F.resize(x, [resize], antialias=True)
            options["resize"] = f"short={resize}"
        elif resize:
            x = F.resize(x, [resize[1], resize[0]], antialias=True)
            options["resize"] = f"{resize[0]}x{resize[1]}"
        if crop:
            x = F.center_crop(x, [crop[1], crop[0]])
            options["crop"] = f"{crop[0]}x{crop[1]}"
        key = f"a{len(rows)}"
        arrays[key] = scaled(x, preset).numpy()
        rows.append({"picture": name, "options": options, "array": key, "resized": bool(resize)})

    for name in ("rgb.png", "rgba.png", "grey.png", "palette.png", "bits.png", "turned.png"):
        row(name)
    for preset in ("none", "zero-one", "minus-one-one", "imagenet"):
        row("rgb.png", preset)
    row("rgb.png", "none", (16, 16))
    row("rgb.png", "none", (80, 70))
    row("rgb.png", "none", 20)
    row("turned.png", "none", 20)
    row("rgb.png", "imagenet", 24, (24, 24))
    row("rgb.png", "none", None, (11, 12))
    row("rgb.png", "none", None, (60, 20))
    row("grey.png", "none", None, (31, 25))
    np.savez_compressed(folder / "expected.npz", **arrays)
    (folder / "expected.json").write_text(json.dumps(rows, indent=1) + "\n")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a small network that finds shapes in pictures, and makes a picture for it.

usage: make_shapes.py FOLDER         (needs torch, numpy and pillow; takes some five minutes on one core)

writes shapes.pt, a TorchScript model that gives each pixel of an RGB picture in [0, 1] a score for ground, disc, square, triangle and
star, and shapes.jpg, a picture that it has not seen. All pictures are drawn here: coloured tiles on a table, with light, shadows, grain.
"""
import math
import pathlib
import sys

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFilter
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "models"))
from hooks import Model  # noqa: E402

CLASSES = ["ground", "disc", "square", "triangle", "star"]
STEPS, RATE = 2000, 4e-3


def outline(kind, x, y, radius, turn):
    """Corners of a shape around (x, y)."""
    if kind == 1:
        angles, radii = np.linspace(0, 2 * math.pi, 48, endpoint=False), [radius]
    elif kind == 4:
        angles, radii = np.arange(10) * math.pi / 5, [radius * 1.15, radius * 0.5]
    else:
        count = {2: 4, 3: 3}[kind]
        angles, radii = np.arange(count) * 2 * math.pi / count, [radius * 1.15]
    return [(x + radii[i % len(radii)] * math.cos(a + turn), y + radii[i % len(radii)] * math.sin(a + turn)) for i, a in enumerate(angles)]


def noise(generator, side, octaves):
    """Smooth noise of several scales, about [-1, 1]."""
    total = np.zeros((side, side))
    for cells in octaves:
        grid = Image.fromarray(generator.normal(0, 1, (cells, cells)).astype(np.float32))
        total += np.asarray(grid.resize((side, side), Image.BICUBIC)) / len(octaves)
    return total


def table(generator, side):
    """Ground with grain along one direction and uneven light, [side, side, 3] in [0, 1]."""
    base = generator.uniform(0.25, 0.8) * (1 + generator.uniform(-0.25, 0.25, 3))
    wide = side * 3 // 2        # turned, it still fills the picture
    streaks = Image.fromarray(generator.normal(0, 1, (generator.integers(30, 90), 4)).astype(np.float32)).resize((wide, wide), Image.BICUBIC)
    corner = (wide - side) // 2
    grain = np.asarray(streaks.rotate(float(generator.uniform(0, 180)), Image.BICUBIC))[corner:corner + side, corner:corner + side]
    shade = 1 + 0.06 * grain + 0.06 * noise(generator, side, [3, 7, 20])
    return base * shade[..., None]


def draw(generator, side, shapes):
    """A picture [side, side, 3] in [0, 1] and the class of each pixel. `shapes`: (kind, x, y, radius, turn, colour), in order."""
    big = 2
    picture, labels = table(generator, side * big), np.zeros((side, side), np.int64)
    light = generator.uniform(0, 2 * math.pi)
    for kind, x, y, radius, turn, colour in shapes:
        mask = Image.new("L", (side * big, side * big))
        ImageDraw.Draw(mask).polygon(outline(kind, x * big, y * big, radius * big, turn), fill=255)
        reach = radius * big * 0.18
        shadow = mask.filter(ImageFilter.GaussianBlur(reach)).rotate(0, translate=(reach * math.cos(light), reach * math.sin(light)))
        picture *= 1 - 0.55 * np.asarray(shadow)[..., None] / 255
        inside = np.asarray(mask)[..., None] / 255
        rim = np.asarray(mask.filter(ImageFilter.GaussianBlur(reach / 2)), np.float32) / 255
        slope = np.gradient(rim)
        lit = -(slope[1] * math.cos(light) + slope[0] * math.sin(light)) * radius * 0.8
        tile = np.clip(np.array(colour) * (1 + np.clip(lit, -0.5, 0.5) + 0.04 * noise(generator, side * big, [4, 30]))[..., None], 0, 1)
        picture = picture * (1 - inside) + tile * inside
        labels[np.asarray(mask.resize((side, side), Image.BOX)) > 127] = kind
    rows, columns = np.mgrid[-1:1:side * big * 1j, -1:1:side * big * 1j]
    picture *= (1.05 - 0.25 * (rows**2 + columns**2) + 0.12 * (rows * math.sin(light) + columns * math.cos(light)))[..., None]
    small = Image.fromarray((np.clip(picture, 0, 1) * 255).astype(np.uint8)).resize((side, side), Image.BOX)
    pixels = np.asarray(small.filter(ImageFilter.GaussianBlur(float(generator.uniform(0, 0.7)))), np.float32) / 255
    return np.clip(pixels + generator.normal(0, 0.015, pixels.shape), 0, 1).astype(np.float32), labels


def scatter(generator, side, count, sizes):
    """Shapes at random places; later ones lie on earlier ones."""
    shapes = []
    for _ in range(count):
        colour = np.clip(generator.uniform(0.05, 1, 3) ** 1.3, 0.03, 1)
        shapes.append((int(generator.integers(1, 5)), *generator.uniform(0.05, 0.95, 2) * side, generator.uniform(*sizes),
                       generator.uniform(0, 2 * math.pi), colour))
    return shapes


def arranged(generator):
    """The sample's picture: one of each kind and some more, 256 x 256."""
    tiles = [(2, 66, 74, 38, 0.4, (0.85, 0.25, 0.2)), (1, 178, 60, 36, 0, (0.95, 0.75, 0.2)), (3, 64, 188, 42, 0.7, (0.2, 0.45, 0.8)),
             (4, 176, 176, 46, 0.2, (0.35, 0.65, 0.35)), (1, 118, 126, 20, 0, (0.9, 0.9, 0.88)), (3, 228, 120, 22, 1.4, (0.55, 0.3, 0.6)),
             (2, 122, 226, 18, 0.9, (0.2, 0.7, 0.75)), (4, 118, 30, 20, 0.5, (0.95, 0.5, 0.25))]
    return draw(generator, 256, tiles)[0]


class Block(nn.Module):
    def __init__(self, a: int, b: int):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b)
        self.conv2, self.norm2 = nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.relu(self.norm1(self.conv1(x)))
        return self.relu(self.norm2(self.conv2(x)))


class Up(nn.Module):
    def __init__(self, a: int, b: int):
        super().__init__()
        self.block = Block(a + b, b)

    def forward(self, x, skip):
        x = nn.functional.interpolate(x, size=skip.shape[-2:], mode="bilinear", align_corners=False)
        return self.block(torch.cat([x, skip], 1))


class ShapeFinder(nn.Module):
    """A U-Net from half the picture's scale to a sixteenth. Takes pictures of any size."""

    def __init__(self):
        super().__init__()
        widths = [16, 24, 32, 48]
        self.stem = nn.Conv2d(3, 16, 5, 2, 2)
        self.down1, self.down2 = Block(16, widths[0]), Block(widths[0], widths[1])
        self.down3, self.down4 = Block(widths[1], widths[2]), Block(widths[2], widths[3])
        self.pool = nn.MaxPool2d(2)
        self.up3, self.up2, self.up1 = Up(widths[3], widths[2]), Up(widths[2], widths[1]), Up(widths[1], widths[0])
        self.head = nn.Conv2d(widths[0], len(CLASSES), 1)

    def forward(self, image):
        a = self.down1(self.stem(image - 0.5))
        b = self.down2(self.pool(a))
        c = self.down3(self.pool(b))
        x = self.up3(self.down4(self.pool(c)), c)
        scores = self.head(self.up1(self.up2(x, b), a))
        return nn.functional.interpolate(scores, size=image.shape[-2:], mode="bilinear", align_corners=False)


def batch(generator, count, side=112):
    pairs = [draw(generator, side, scatter(generator, side, int(generator.integers(2, 7)), (8, 42))) for _ in range(count)]
    x = torch.from_numpy(np.stack([p for p, _ in pairs])).permute(0, 3, 1, 2)
    return x.contiguous(), torch.from_numpy(np.stack([labels for _, labels in pairs]))


def train(network, generator):
    optimizer = torch.optim.AdamW(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS, pct_start=0.1)
    pool = []
    for step in range(STEPS):
        if step % 6 == 0:      # drawing is slower than learning: each picture is seen about six times, turned and mirrored
            pool.append(batch(generator, 8))
        x, labels = pool[int(generator.integers(max(0, len(pool) - 100), len(pool)))]
        turns, mirror = int(generator.integers(4)), bool(generator.integers(2))
        x, labels = torch.rot90(x, turns, (2, 3)), torch.rot90(labels, turns, (1, 2))
        x, labels = (x.flip(3), labels.flip(2)) if mirror else (x, labels)
        loss = nn.functional.cross_entropy(network(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 99:
            print(f"step {step + 1} of {STEPS}: loss {loss.item():.3f}", flush=True)


def main(folder):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    generator = np.random.default_rng(0)
    network = ShapeFinder()
    train(network, generator)
    network.eval()
    with torch.no_grad():
        x, labels = batch(np.random.default_rng(1), 32)
        found = network(x).argmax(1)
        for kind, name in enumerate(CLASSES):
            both, either = ((found == kind) & (labels == kind)).sum(), ((found == kind) | (labels == kind)).sum()
            print(f"{name}: intersection over union {both / either:.3f}")
    torch.jit.save(torch.jit.script(network), str(folder / "shapes.pt"))
    Model("shapes", network, []).rewrite(folder / "shapes.pt", "scripted")
    Image.fromarray((arranged(np.random.default_rng(5)) * 255).astype(np.uint8)).save(folder / "shapes.jpg", quality=92)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

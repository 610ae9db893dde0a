# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the sample data from a trained network and two photographs.

usage: make_samples.py FOLDER        (needs torch, safetensors, scikit-image, pillow and facenet-pytorch)
"""

import pathlib
import shutil
import sys

import facenet_pytorch
import numpy as np
import skimage.data
import torch
from PIL import Image
from safetensors.torch import save_file

SIDE = 256


def photo(name):
    picture = Image.fromarray(getattr(skimage.data, name)()).convert("RGB")
    side = min(picture.size)
    left, top = (picture.width - side) // 2, 0
    return picture.crop((left, top, left + side, top + side)).resize((SIDE, SIDE), Image.LANCZOS)


def convolutional_part(network):
    """The layers of O-Net that keep rows and columns, in order, with the names of their modules."""
    names = ["conv1", "prelu1", "pool1", "conv2", "prelu2", "pool2", "conv3", "prelu3", "pool3", "conv4", "prelu4"]
    return [(name, getattr(network, name)) for name in names]


def main(folder):
    photos = [photo("astronaut"), photo("chelsea")]
    photos[0].save(folder / "astronaut.png")
    photos[1].save(folder / "cat.jpg", quality=88)
    x = torch.stack([torch.from_numpy(np.asarray(p).copy()).permute(2, 0, 1) for p in photos])
    x = (x.float() - 127.5) / 128
    kept = {}
    network = facenet_pytorch.models.mtcnn.ONet().eval()
    with torch.no_grad():
        for name, layer in convolutional_part(network):
            x = layer(x)
            if name in ("pool2", "conv3", "prelu4"):
                kept[name] = x.to({"pool2": torch.float16, "conv3": torch.bfloat16}.get(name, torch.float32))
    tensors = {name: value.contiguous() for name, value in kept.items()}
    save_file(tensors, folder / "activations.safetensors", metadata={"network": "O-Net of MTCNN", "photos": "astronaut, cat"})
    shutil.copy(pathlib.Path(facenet_pytorch.__file__).parent / "data" / "pnet.pt", folder / "checkpoint.pt")
    for name in ("activations.safetensors", "checkpoint.pt"):
        (folder / name).chmod(0o644)
    for name, value in tensors.items():
        print(name, tuple(value.shape), value.dtype)


main(pathlib.Path(sys.argv[1]))

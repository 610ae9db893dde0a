# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes small TorchScript models and, beside each, what eager PyTorch's forward hooks saw of it.

    python tests/models/make_models.py OUTDIR [NAME]...      (all models, or those named)

writes what is committed in tests/data/models. Needs torch 2.11 and torchvision 0.26; the program and its tests need neither.
Every module models_*.py beside this one has a function models() that gives Model objects (hooks.py).

For each model NAME there are
  NAME.pt, NAME_traced.pt, NAME_frozen.pt   the model: scripted, traced, scripted and frozen (those that the model has)
  NAME.safetensors                          every tensor that NAME.json refers to, by its key
  NAME.json                                 the index:
    "arguments": [{"name": "x", "value": VALUE}, ...]  as in the runner's protocol, but {"tensor": KEY} names a tensor of the values
    "seed": 0                               torch.manual_seed of it came right before the forward
    "tolerance": 1e-5                       largest difference from the values, as a part of the capture's largest magnitude; more for
                                            16-bit and quantized models (other processors round otherwise); 0: exact
    "captures": [CAPTURE, ...]              what an eager forward hook saw of each layer, in order of the calls; the model's own output
                                            last, with "layer": null
    "failure": {"layer": "a.b", "message": "part of the message"}   instead of an output: the forward ends so in that layer
    "files": [FILE, ...]

CAPTURE: {"name", "layer", "call", "member"} and one of
    {"tensor": KEY}                         a dense tensor; bool, integers, floats of the type that the layer gave
    {"tensor": KEY, "quantized": {"dtype": "quint8", "scale": 0.1, "zeroPoint": 3}}     KEY: the dequantized values, float32
                                            (per channel: "scales", "zeroPoints", "axis")
    {"tensor": KEY, "padded": true}         a nested tensor, padded with zeros
    {"sparse": {"kind": "coo", "shape": [..], "coalesced": true, "indices": KEY, "values": KEY}}    csr: "plain" for col_indices
    {"none": true}                          the layer gave None there
  "name" is layer, "#call" if the layer ran more than once under that name, then the member: "[i]" of tuples (named ones too)
  and lists, ".key" of dicts. Numbers and strings among a layer's outputs are not listed.

FILE: {"file": "NAME.pt", "made": "scripted" | "traced" | "frozen",
       "lost": [names of captures that this file cannot give, because it does not call the layer or does not return the member],
       "renamed": {name of a capture: its name in this file},
       "notExecuted": [layers that have a forward method in this file and did not run] (not given where the forward fails),
       "operators": ["torchvision::nms", ...]}  custom operators that the code names
A frozen file has no layers: "lost" is not given, only the output counts.
"""
import importlib
import pathlib
import sys

import torch


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    torch.set_num_threads(1)
    folder, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(here.glob("models_*.py")):
        for model in importlib.import_module(source.stem).models():
            if not wanted or model.name in wanted:
                model.save(folder)
                print(model.name, sum(f.stat().st_size for f in folder.glob(f"{model.name}[._]*")), flush=True)


if __name__ == "__main__":
    main()

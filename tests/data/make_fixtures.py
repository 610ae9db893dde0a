# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the files that the tests of the readers open, with the real libraries, and the expected values beside them.

    python tests/data/make_fixtures.py OUTDIR

writes OUTDIR/torch and so on, as committed under tests/data. Needs torch 2.11, torchvision, numpy, scipy, safetensors and pillow; the
program and its tests need none of them. Every module fixtures_*.py beside this one has a function make(folder).
"""
import importlib
import pathlib
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    for module in sorted(here.glob("fixtures_*.py")):
        name = module.stem.removeprefix("fixtures_")
        folder = pathlib.Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        importlib.import_module(module.stem).make(folder)
        print(f"{folder}: {len(list(folder.iterdir()))} files")


if __name__ == "__main__":
    main()

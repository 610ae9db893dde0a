# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches one wheel from the Python package index that pip is set up for, and unpacks part of it.

usage: fetch_wheel.py NAME VERSION TAG FOLDER [PREFIX...]

The wheel is the one whose file name contains TAG. Its download resumes where an earlier one stopped, its checksum is
compared with the index's, and members that begin with a PREFIX (all, if none is given) are unpacked into FOLDER.
"""

import hashlib
import json
import os
import pathlib
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile


def pip_setting(name):
    """A value of pip's configuration, from the environment or its files, or None."""
    value = os.environ.get("PIP_" + name.replace("-", "_").upper())
    if value:
        return value
    for section in ("global", "install", "download"):
        found = subprocess.run([sys.executable, "-m", "pip", "config", "get", f"{section}.{name}"], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.strip()
    return None


def index_address():
    address = pip_setting("index-url")
    if not address:
        from pip._internal.models.index import PyPI

        address = PyPI.simple_url
    return address.rstrip("/")


def opener():
    context = ssl.create_default_context(cafile=pip_setting("cert"))
    return urllib.request.build_opener(urllib.request.HTTPSHandler(context=context))


def find_wheel(web, name, version, tag):
    request = urllib.request.Request(f"{index_address()}/{name}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    start = f"{name.replace('-', '_')}-{version}-"
    for file in json.load(web.open(request, timeout=60))["files"]:
        if file["filename"].startswith(start) and tag in file["filename"] and file["filename"].endswith(".whl"):
            return urllib.request.urljoin(request.full_url, file["url"]), file
    sys.exit(f"error: the package index has no {start}*{tag}*.whl")


def show(name, done, total, last=[0.0]):
    now = time.monotonic()
    if done < total and now - last[0] < (0.2 if sys.stderr.isatty() else 10):
        return
    last[0] = now
    end = "\r" if sys.stderr.isatty() and done < total else "\n"
    print(f"  {name}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB", end=end, file=sys.stderr, flush=True)


def download(web, address, file, target):
    """Appends to target until it is whole; several tries."""
    for attempt in range(5):
        have = target.stat().st_size if target.exists() else 0
        total = file.get("size") or 0
        if total and have >= total:
            return
        request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})
        try:
            with web.open(request, timeout=60) as reply, open(target, "ab" if reply.status == 206 else "wb") as out:
                have = have if reply.status == 206 else 0
                total = total or have + int(reply.headers.get("Content-Length", 0))
                while block := reply.read(1 << 20):
                    out.write(block)
                    have += len(block)
                    show(file["filename"].split("-")[0], have, max(total, have))
            if have >= total:
                return
        except (urllib.error.URLError, OSError) as problem:
            print(f"  interrupted ({problem}); trying again", file=sys.stderr)
            time.sleep(2 * attempt)
    sys.exit(f"error: {file['filename']} could not be fetched: run ./dev setup again when the network is back; it goes on from here")


def checksum(path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def unpack(wheel, folder, prefixes):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if not prefixes or member.filename.startswith(tuple(prefixes)):
                archive.extract(member, folder)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    name, version, tag, folder = sys.argv[1:5]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    web = opener()
    try:
        address, file = find_wheel(web, name, version, tag)
    except (urllib.error.URLError, OSError) as problem:
        sys.exit(f"error: the Python package index cannot be reached ({problem}): connect to the network and run ./dev setup again")
    partial = folder / (file["filename"] + ".part")
    download(web, address, file, partial)
    expected = file["hashes"].get("sha256")
    if expected and checksum(partial) != expected:
        partial.unlink()
        sys.exit(f"error: {file['filename']} arrived damaged (checksum differs): run ./dev setup again")
    unpack(partial, folder, sys.argv[5:])
    partial.unlink()


main()

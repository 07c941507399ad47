# SPDX-License-Identifier: MIT
"""Makes inputs for the fuzz targets out of stores: seeds.py OUT STORES...

OUT/array gets a metadata document, a NUL byte and a chunk for each array, OUT/json the documents, OUT/zip the archives and
small archives of the arrays.
"""

import hashlib
import sys
import zipfile
from pathlib import Path

DOCUMENTS = ("zarr.json", ".zarray")
LARGEST = 64 * 1024


def keep(folder, data):
    folder.mkdir(parents=True, exist_ok=True)
    if len(data) <= LARGEST:
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def chunks_of(array):
    """Files below an array that are no documents of nodes; the smallest ones first."""
    files = [path for path in array.rglob("*") if path.is_file() and path.name != "zarr.json" and path.name[0] != "."]
    return sorted(files, key=lambda path: (path.stat().st_size, path))


def add_array(out, document):
    text = document.read_bytes()
    keep(out / "json", text)
    chunks = chunks_of(document.parent)[:2]
    for chunk in chunks or [None]:
        keep(out / "array", text + b"\0" + (chunk.read_bytes() if chunk else b""))
    archive = out / "archive.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED if len(text) % 2 else zipfile.ZIP_STORED) as packed:
        for path in (document, *chunks):
            packed.write(path, path.relative_to(document.parent))
    keep(out / "zip", archive.read_bytes())
    archive.unlink()


def main(out, *stores):
    for store in map(Path, stores):
        for path in sorted(store.rglob("*")):
            if path.is_file() and path.name in DOCUMENTS:
                add_array(out, path)
            elif path.is_file() and path.suffix == ".zip":
                keep(out / "zip", path.read_bytes())


main(Path(sys.argv[1]), *sys.argv[2:])

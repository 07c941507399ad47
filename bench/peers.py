# SPDX-License-Identifier: MIT
"""The libraries that zarrlite is compared with, behind one small interface.

All of them run with their defaults, with these exceptions: zarrs must not fall back to the codecs of zarr-python, and
TensorStore does not wait for the disk (fsync) after each file, as none of the others does.
"""

import shutil
from pathlib import Path

NAMES = ["zarr", "zarrs", "tensorstore"]


class ZarrPython:
    def __init__(self, zarrs):
        import zarr
        if zarrs:
            import zarrs  # noqa: F401
            zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
        self.zarr = zarr

    def open(self, path, node="", mode="r"):
        return self.zarr.open_array(path, path=node, mode=mode)

    def open_in_group(self, path, node):
        return self.zarr.open_group(path, mode="r")[node]

    def count_nodes(self, path):
        return len(self.zarr.open_group(path, mode="r").members(max_depth=None))

    @staticmethod
    def chunk_shapes(array):
        return array.shards or array.chunks, array.chunks

    @staticmethod
    def read(array, selection=...):
        return array[selection]

    @staticmethod
    def write(array, values, selection=...):
        array[selection] = values


class TensorStore:
    def __init__(self):
        import tensorstore
        self.tensorstore = tensorstore

    def open(self, path, node="", mode="r"):
        driver = "zarr" if Path(path, node, ".zarray").exists() else "zarr3"
        spec = {"driver": driver, "kvstore": {"driver": "file", "path": str(Path(path, node))},
                "context": {"file_io_sync": False}}
        return self.tensorstore.open(spec, read=True, write=mode != "r", open=True).result()

    @staticmethod
    def chunk_shapes(array):
        return array.chunk_layout.write_chunk.shape, array.chunk_layout.read_chunk.shape

    @staticmethod
    def read(array, selection=...):
        return array[selection].read().result()

    @staticmethod
    def write(array, values, selection=...):
        array[selection].write(values).result()


def load(name):
    return TensorStore() if name == "tensorstore" else ZarrPython(zarrs=name == "zarrs")


def create_like(peer, path, out):
    """An empty array at `out` with the metadata of the one at `path`."""
    shutil.rmtree(out, ignore_errors=True)
    Path(out).mkdir(parents=True)
    shutil.copy(Path(path, "zarr.json"), Path(out, "zarr.json"))
    return peer.open(out, mode="r+")

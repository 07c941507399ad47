# SPDX-License-Identifier: MIT
"""Peak memory of reads against the bound that docs/threads-and-memory.md gives, and of `zarrlite copy` against --memory."""

import json
import math
import struct

from measure import Failed, remove, run
from report import Report, number

FIXED = 64  # MiB for everything else: the program, its libraries, tables of codecs
READ_TITLE = f"""Peak memory of reads in MiB. Bound: result + threads x (stored + 2 decoded inner chunks) + {FIXED} MiB."""
COPY_TITLE = """Peak memory of zarrlite copy in MiB, against its option --memory (limit); the program itself comes on top.
One chunk, or inner chunk, is the least that is decoded at a time."""
STORES = ["raw", "zstd", "shard", "blosc"]
JOBS = {"raw": ["all", "chunks", "random"], "zstd": ["all", "chunks"], "shard": ["all", "chunks", "subchunks", "random"],
        "blosc": ["all", "chunks"]}


class Layout:
    """Shapes and sizes of an array of uint16 that is 3-dimensional."""

    def __init__(self, path):
        metadata = json.loads((path / "zarr.json").read_text())
        self.path, self.shape = path, metadata["shape"]
        self.chunk = self.inner = metadata["chunk_grid"]["configuration"]["chunk_shape"]
        first = metadata["codecs"][0]
        if first["name"] == "sharding_indexed":
            self.inner = first["configuration"]["chunk_shape"]

    def stored_inner(self):
        """Bytes of the largest stored inner chunk: a file, or the longest entry of an index at a shard's end."""
        files = [file for file in (self.path / "c").rglob("*") if file.is_file()]
        if self.inner == self.chunk:
            return max(file.stat().st_size for file in files)
        count = math.prod(self.chunk) // math.prod(self.inner)
        longest = 0
        for file in files:
            with file.open("rb") as stream:
                stream.seek(-16 * count - 4, 2)  # a crc32c follows the index
                lengths = struct.unpack(f"<{2 * count}Q", stream.read(16 * count))[1::2]
            longest = max(longest, *(length for length in lengths if length != 2**64 - 1))
        return longest

    def result(self, job):
        """Bytes that a job of job.c has memory for."""
        return 2 * math.prod({"all": self.shape, "chunks": self.chunk, "subchunks": self.inner, "random": (32, 32, 32)}[job])


def reads(settings):
    report = Report("memory-read", READ_TITLE, ["store", "job", "threads", "result", "peak", "bound", "of bound"],
                    lambda row: [row["store"], row["job"], row["threads"], number(row["result"], 1), number(row["peak"], 0),
                                 number(row["bound"], 1), number(row["peak"] / row["bound"], 2)])
    for store in settings.stores or STORES:
        layout = Layout(settings.data / f"{store}.zarr")
        working = (layout.stored_inner() + 2 * 2 * math.prod(layout.inner)) / 2**20
        for job in JOBS[store]:
            for threads in (1, 2):
                peak = run([settings.programs / "job", job, layout.path], threads)[-1]
                result = layout.result(job) / 2**20
                report.add({"store": store, "job": job, "threads": threads, "result": result, "peak": peak,
                            "bound": result + threads * working + FIXED})
    return report


def targets(shape):
    """Name and options of copies with other chunks."""
    def text(extents):
        return ",".join(str(max(1, extent)) for extent in extents)

    z, y, x = shape
    small = text((z // 8, y // 16, x // 16))
    return [("blocks", ["--no-shards", "--chunks", small]),
            ("planes", ["--no-shards", "--chunks", text((1, y, x))]),
            ("columns", ["--no-shards", "--chunks", text((z, y // 32, x // 32))]),
            ("shards", ["--chunks", text((z // 16, y // 32, x // 32)), "--shards", text((z // 2, y // 4, x // 4))]),
            ("one shard", ["--chunks", small, "--shards", text(shape)])]


def copies(settings):
    report = Report("memory-copy", COPY_TITLE, ["from", "to", "limit", "peak", "excess", "seconds", ""],
                    lambda row: [row["from"], row["to"], row["limit"], number(row["peak"], 0), number(row["excess"], 0),
                                 number(row["seconds"], 2), row["problem"]])
    shape = Layout(settings.data / "raw.zarr").shape
    folder = settings.scratch.memory(6 * math.prod(shape))
    out, one_shard = folder / "copy.zarr", folder / "one-shard.zarr"
    limits = {"full": (64, 256, 1024), "small": (8, 64), "smoke": (1, 16)}[settings.size]

    command = [settings.programs / "spawn", 1, settings.tool, "copy", "-q"]

    def copy(source, name, options, limit):
        row = {"from": source.stem, "to": name, "limit": limit, "peak": None, "excess": None, "seconds": None, "problem": ""}
        try:
            seconds, _, peak = run([*command, "--memory", f"{limit}M", *options, source, out])
            row.update(seconds=seconds, peak=peak, excess=max(0.0, peak - limit))
        except Failed as error:
            row["problem"] = str(error).rsplit(": ", 1)[-1]
        report.add(row)
        remove(out)

    for store in settings.stores or STORES:
        for name, options in targets(shape):
            for limit in limits:
                copy(settings.data / f"{store}.zarr", name, options, limit)
    remove(one_shard)
    run([*command, *targets(shape)[-1][1], settings.data / "zstd.zarr", one_shard])
    for name, options in targets(shape)[:3]:
        for limit in limits:
            copy(one_shard, name, options, limit)
    remove(one_shard)
    return report


def measure(settings):
    return [reads(settings), copies(settings)]

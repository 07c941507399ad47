# SPDX-License-Identifier: MIT
"""What a second thread gives, where decoding and encoding take most of the time."""

import os
import subprocess

from chains import BLOSC_ZSTD, GZIP, ZSTD
from measure import Failed, remove, run, summary
from report import Report, number

SHAPES = {"full": ("256,512,512", "32,128,256", "128,256,256", "32,64,64"),
          "small": ("64,256,256", "16,64,128", "32,128,128", "16,32,32"),
          "smoke": ("16,32,32", "8,16,16", "16,16,32", "8,8,8")}
TITLE = """Seconds of one and two threads, in memory files (tmpfs) where there are any. The last column is what two processes of
one thread each gain when they run at the same time: no more is to be had from the machine. Goal: a gain of 1.8."""


def cases(size):
    """Name, and chunks, shards and codecs of grow.c. Large chunks by themselves, small ones in shards."""
    shape, chunk, shard, inner = SHAPES[size]
    return [("zstd", chunk, "-", ZSTD), ("gzip", chunk, "-", GZIP), ("blosc", chunk, "-", BLOSC_ZSTD),
            ("zstd in shards", inner, shard, ZSTD), ("gzip in shards", inner, shard, GZIP),
            ("zstd in one shard", inner, shape, ZSTD)]


def at_once(commands):
    """Two programs of one thread each at the same time: the mean of their numbers."""
    environment = dict(os.environ, ZL_BENCH_THREADS="1")
    running = [subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True, env=environment)
               for command in commands]
    outputs = [process.communicate()[0] for process in running]
    if any(process.returncode != 0 for process in running):
        raise Failed(f"{commands[0]}: failed")
    columns = zip(*[map(float, output.split()) for output in outputs])
    return [sum(column) / len(running) for column in columns]


def measure(settings):
    report = Report("threads", TITLE, ["codecs", "job", "MiB", "1 thread", "2 threads", "gain", "2 processes"],
                    lambda row: [row["case"], row["job"], row["mib"], number(row["one"], 3), number(row["two"], 3),
                                 number(row["gain"], 2), number(row["machine_gain"], 2)])
    shape = SHAPES[settings.size][0]
    extents = [int(extent) for extent in shape.split(",")]
    bytes_all = 2 * extents[0] * extents[1] * extents[2]
    folder = settings.scratch.memory(4 * bytes_all)
    stores = [folder / "threads-1.zarr", folder / "threads-2.zarr"]
    for case, chunk, shard, codecs in cases(settings.size):
        commands = [[settings.programs / "grow", store, shape, chunk, shard, codecs, settings.seconds] for store in stores]
        runs = {"one": [], "two": [], "both": []}
        for _ in range(settings.rounds):
            runs["one"].append(run(commands[0], threads=1))
            runs["two"].append(run(commands[0], threads=2))
            runs["both"].append(at_once(commands))
        one, two, both = (summary(runs[name])["medians"] for name in ("one", "two", "both"))
        for i, job in enumerate(("write", "read")):
            report.add({"case": case, "job": job, "mib": bytes_all >> 20, "one": one[i], "two": two[i], "gain": one[i] / two[i],
                        "machine_gain": 2 * one[i] / both[i]})
    for store in stores:
        remove(store)
    return [report]

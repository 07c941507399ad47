# SPDX-License-Identifier: MIT
"""Large arrays: read and written in several ways, against the peers and against what disk cache and decoder alone take."""

import re
import shutil
import subprocess
import sys

from measure import best_peer, interleaved, run, with_peers
from peers import NAMES
from report import Report, draw_ratios, number

TITLE = """Seconds. limit: what two threads take to read and decode the files, or to encode the chunks, and for nothing else.
MiB: peak of zarrlite."""
JOBS = {"raw": ["all", "chunks", "planes", "random", "roundtrip", "write"],
        "zstd": ["all", "chunks", "roundtrip", "write"],
        "shard": ["all", "chunks", "subchunks", "planes", "random", "roundtrip", "write"],
        "blosc": ["all", "chunks"]}
# Programs of the Rust crate zarrs_tools, where they are installed: measured from their start to their end.
TOOLS = {"all": ["zarrs_benchmark_read_sync", "--read-all"], "chunks": ["zarrs_benchmark_read_sync"],
         "subchunks": ["zarrs_benchmark_read_sync", "--inner-chunks"], "roundtrip": ["zarrs_reencode"]}
LIBRARIES = ["zarrlite", *NAMES, "zarrs_tools"]


def wanted(settings):
    return [(store, job) for store in settings.stores or JOBS for job in JOBS[store]
            if not settings.jobs or job in settings.jobs]


def limits(settings, rows):
    """Seconds by store and job, of two threads: reading into fresh memory, and encoding alone."""
    found = {}
    if settings.limits and any(job == "all" for _, job in rows):
        command = [sys.executable, settings.limits, settings.data]
        text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        for name, seconds in re.findall(r"limit (\w+) fresh +threads=2 ([\d.]+)s", text):
            found[name, "all"] = float(seconds)
    for name in ("zstd", "shard"):
        if (name, "write") in rows:
            found[name, "write"] = run([settings.programs / "encode", settings.data / f"{name}.zarr", 0, 2])[0]
    return found


def one(settings, store, job):
    path, scratch = settings.data / f"{store}.zarr", settings.scratch.disk / "stores.zarr"
    writes = job in ("roundtrip", "write")
    commands = with_peers(settings, "job", "peer_job.py", [job, path, scratch])
    if settings.peers and job in TOOLS and shutil.which(TOOLS[job][0]):
        commands["zarrs_tools"] = [settings.programs / "spawn", 1, *TOOLS[job], path, *([scratch] if writes else [])]
    return interleaved(settings, commands, scratch if writes else None)


def measure(settings):
    rows = wanted(settings)
    bounds = limits(settings, rows)

    def cells(row):
        times = [number(row[name]["median"], 3) if name in row else "-" for name in LIBRARIES]
        return [row["store"], row["job"], *times, number(row["ratio_to_best_peer"], 2), number(row["ratio_to_limit"], 2),
                f"{row['zarrlite']['memory']:.0f}"]

    report = Report("stores", TITLE, ["store", "job", *LIBRARIES, "x best peer", "x limit", "MiB"], cells,
                    draw=draw_ratios(lambda row: f"{row['store']} {row['job']}"),
                    extra={"limits": {" ".join(key): seconds for key, seconds in bounds.items()}})
    for store, job in rows:
        result = one(settings, store, job)
        ours, best = result["zarrlite"]["median"], best_peer(result)
        bound = bounds.get((store, job))
        report.add({"store": store, "job": job, **result, "ratio_to_best_peer": best and best / ours,
                    "ratio_to_limit": bound and ours / bound})
    return [report]

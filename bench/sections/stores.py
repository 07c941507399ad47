# SPDX-License-Identifier: MIT
"""Large arrays: read and written in several ways, against the peers and against what disk cache and decoder alone take."""

import re
import shutil
import subprocess
import sys

from measure import best_peer, interleaved, with_peers
from peers import NAMES
from report import Report, draw_ratios, number

JOBS = {"raw": ["all", "chunks", "planes", "random", "roundtrip", "write"],
        "zstd": ["all", "chunks", "roundtrip", "write"],
        "shard": ["all", "chunks", "subchunks", "planes", "random", "roundtrip", "write"],
        "blosc": ["all", "chunks"]}
# Programs of the Rust crate zarrs_tools, where they are installed: measured from their start to their end.
TOOLS = {"all": ["zarrs_benchmark_read_sync", "--read-all"], "chunks": ["zarrs_benchmark_read_sync"],
         "subchunks": ["zarrs_benchmark_read_sync", "--inner-chunks"], "roundtrip": ["zarrs_reencode"]}
LIBRARIES = ["zarrlite", *NAMES, "zarrs_tools"]


def limits(settings):
    """Seconds by store, of two threads into fresh memory."""
    if not settings.limits:
        return {}
    text = subprocess.run([sys.executable, settings.limits, settings.data], capture_output=True, text=True, check=False).stdout
    return {name: float(seconds) for name, seconds in re.findall(r"limit (\w+) fresh +threads=2 ([\d.]+)s", text)}


def one(settings, store, job):
    path, scratch = settings.data / f"{store}.zarr", settings.scratch.disk / "stores.zarr"
    writes = job in ("roundtrip", "write")
    commands = with_peers(settings, "job", "peer_job.py", [job, path, scratch])
    if settings.peers and job in TOOLS and shutil.which(TOOLS[job][0]):
        commands["zarrs_tools"] = [settings.programs / "spawn", 1, *TOOLS[job], path, *([scratch] if writes else [])]
    return interleaved(settings, commands, scratch if writes else None)


def measure(settings):
    bounds = limits(settings)

    def cells(row):
        times = [number(row[name]["median"], 3) if name in row else "-" for name in LIBRARIES]
        return [row["store"], row["job"], *times, number(row["ratio_to_best_peer"], 2), number(row["ratio_to_limit"], 2),
                f"{row['zarrlite']['memory']:.0f}"]

    report = Report("stores", "Seconds. limit: what files and decoder alone take with two threads. MiB: peak of zarrlite.",
                    ["store", "job", *LIBRARIES, "x best peer", "x limit", "MiB"], cells,
                    draw=draw_ratios(lambda row: f"{row['store']} {row['job']}"), extra={"limits": bounds})
    for store in settings.stores or JOBS:
        for job in JOBS[store]:
            if settings.jobs and job not in settings.jobs:
                continue
            result = one(settings, store, job)
            ours, best = result["zarrlite"]["median"], best_peer(result)
            report.add({"store": store, "job": job, **result, "ratio_to_best_peer": best and best / ours,
                        "ratio_to_limit": ours / bounds[store] if job == "all" and store in bounds else None})
    return [report]

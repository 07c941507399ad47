#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times zarrlite and the installed peers on the same stores, one after the other in each round, and writes a table.

usage: bench/run.py --job-program FILE --data FOLDER --peers FOLDER --out FOLDER [--rounds N] [--stores a,b] [--jobs a,b]

Ratios of medians of interleaved rounds: "best peer" is its median divided by ours (above 1: we are faster), "limit" ours
divided by the bound that bench limits.py measures (reading the files and the codec's own decoding, in fresh memory).
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

STORES = ["raw", "zstd", "shard", "blosc"]
JOBS = {"raw": ["all", "chunks", "planes", "random", "roundtrip", "write"],
        "zstd": ["all", "chunks", "roundtrip"],
        "shard": ["all", "chunks", "subchunks", "planes", "random", "roundtrip", "write"],
        "blosc": ["all", "chunks"]}
PEERS = ["zarr", "zarrs", "tensorstore"]


def one(command):
    """seconds, checksum, MiB; None when the command cannot do it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"  {' '.join(map(str, command[-4:]))}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    seconds, checksum, memory = done.stdout.split()
    return float(seconds), float(checksum), int(memory)


def limits(script, data):
    """Seconds by store, of two threads into fresh memory."""
    text = subprocess.run([sys.executable, script, data], capture_output=True, text=True, check=False).stdout
    return {name: float(seconds) for name, seconds in re.findall(r"limit (\w+) fresh +threads=2 ([\d.]+)s", text)}


def measure(arguments, store, job):
    path, scratch = arguments.data / f"{store}.zarr", arguments.data / "scratch.zarr"
    commands = {"zarrlite": [arguments.job_program, job, path, scratch]}
    for peer in PEERS:
        commands[peer] = [sys.executable, arguments.peers / "peer.py", peer, job, path, scratch]
    results = {name: [] for name in commands}
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            result = one(command) if results[name] is not None else None
            if result is None:
                results[name] = None
            else:
                results[name].append(result)
    row = {"store": store, "job": job}
    for name, runs in results.items():
        if runs:
            row[name] = {"median": statistics.median(r[0] for r in runs), "best": min(r[0] for r in runs),
                         "memory": max(r[2] for r in runs)}
    return row


def finish(row, bounds):
    peers = [row[name]["median"] for name in PEERS if name in row]
    ours = row["zarrlite"]["median"]
    row["ratio_to_best_peer"] = min(peers) / ours if peers else None
    row["ratio_to_limit"] = ours / bounds[row["store"]] if row["job"] == "all" and row["store"] in bounds else None
    return row


def text_table(rows):
    head = ["store", "job", "zarrlite", *PEERS, "x best peer", "x limit", "MiB"]
    lines = [head]
    for row in rows:
        cells = [row["store"], row["job"]]
        cells += [f"{row[name]['median']:.3f}" if name in row else "-" for name in ["zarrlite", *PEERS]]
        cells += [f"{row[key]:.2f}" if row[key] else "-" for key in ("ratio_to_best_peer", "ratio_to_limit")]
        lines.append([*cells, str(row["zarrlite"]["memory"])])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines) + "\n"


def plot(rows, path):
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no plot", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    names = [f"{row['store']} {row['job']}" for row in rows]
    figure, axes = pyplot.subplots(figsize=(8, 0.35 * len(rows) + 1.5))
    axes.barh(names, [row["ratio_to_best_peer"] or 0 for row in rows], color="#4477aa")
    axes.axvline(1, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel("times faster than the best peer (median of interleaved runs)")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser()
    for name in ("job-program", "data", "peers", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stores", default=",".join(STORES))
    parser.add_argument("--jobs", default="")
    arguments = parser.parse_args()
    bounds = limits(arguments.peers / "limits.py", arguments.data)
    rows = []
    for store in arguments.stores.split(","):
        for job in JOBS[store]:
            if arguments.jobs and job not in arguments.jobs.split(","):
                continue
            row = finish(measure(arguments, store, job), bounds)
            rows.append(row)
            print(text_table([row]).splitlines()[1], flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "bench.txt").write_text(text_table(rows))
    (arguments.out / "bench.json").write_text(json.dumps({"limits": bounds, "rows": rows}, indent=1))
    plot(rows, arguments.out / "bench.png")
    print(text_table(rows))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures zarrlite, and its peers where they are installed, and writes a table of each section as text, JSON and PNG.

usage: bench/run.py --programs FOLDER --tool FILE --out FOLDER [--data FOLDER] [OPTIONS]    (--help lists them)

docs/internals/performance.md, "How it is measured", tells what the sections are and how long they take.
"""

import argparse
import sys
from pathlib import Path

import peers
from chains import BLOSC_LZ4, BYTES, ZSTD
from measure import Failed, run
from scratch import Scratch
from sections import flat, memory, opening, small_chunks, stores, threads

SECTIONS = {"stores": stores, "chunks": small_chunks, "open": opening, "threads": threads, "flat": flat, "memory": memory}


def make_smoke_data(settings):
    """Tiny arrays of the same names and layouts as those of the full benchmark, by zarrlite itself."""
    for name, chunks, shards, codecs in (("raw", "32,32,32", "-", BYTES), ("zstd", "32,32,32", "-", ZSTD),
                                         ("shard", "8,8,8", "32,32,32", ZSTD), ("blosc", "32,32,32", "-", BLOSC_LZ4)):
        run([settings.programs / "grow", settings.data / f"{name}.zarr", "64,64,64", chunks, shards, codecs, 0])


def names(text):
    return [name for name in text.split(",") if name]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, help="folder of job, turns, grow and spawn")
    parser.add_argument("--tool", type=Path, required=True, help="the program zarrlite")
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--data", type=Path, help="folder of raw, zstd, shard and blosc.zarr, for stores and memory")
    parser.add_argument("--limits", type=Path, help="a script that measures the limits of reading")
    parser.add_argument("--scratch", type=Path, help="folder to write to [OUT]; memory files (tmpfs) are not used then")
    parser.add_argument("--size", choices=["full", "small", "smoke"], default="full")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="for the turns of a short job")
    parser.add_argument("--sections", type=names, default=list(SECTIONS))
    parser.add_argument("--peers", type=names, default=peers.NAMES)
    parser.add_argument("--stores", type=names, help="of the sections stores and memory")
    parser.add_argument("--jobs", type=names, help="of the section stores")
    settings = parser.parse_args()
    for name in settings.sections:
        if name not in SECTIONS:
            parser.error(f"no section '{name}'; there are {', '.join(SECTIONS)}")
    if settings.size == "smoke":
        settings.rounds, settings.seconds = 1, 0
    elif not settings.data and {"stores", "memory"} & set(settings.sections):
        parser.error("the sections stores and memory need --data")
    return settings


def measure(settings):
    for name in settings.sections:
        print(f"\n{name}", flush=True)
        for report in SECTIONS[name].measure(settings):
            report.write(settings.out)
            print(f"\n{report.text()}", flush=True)


def main():
    settings = parse()
    try:
        with Scratch(settings.scratch or settings.out, use_memory=not settings.scratch) as settings.scratch:
            if settings.size == "smoke":
                settings.data = settings.scratch.memory(0)
                make_smoke_data(settings)
            measure(settings)
    except Failed as error:
        sys.exit(f"bench: {error}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Runs the programs that measure, in turns, and keeps the medians.

Every program prints numbers on one line: seconds (one or two), a checksum, and its peak memory in MiB.
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import peers

HERE = Path(__file__).parent


class Failed(Exception):
    pass


def run(command, threads=None):
    """The numbers that a program printed."""
    environment = dict(os.environ, ZL_BENCH_THREADS=str(threads)) if threads else None
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        message = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise Failed(f"{' '.join(str(part) for part in command)}: {message}")
    return [float(number) for number in done.stdout.split()]


def remove(path):
    if path.exists():
        shutil.rmtree(path)


def settle(settings):
    if settings.size != "smoke":
        os.sync()


def interleaved(settings, commands, scratch=None):
    """Runs each of {name: command} once in each round. Returns {name: medians of the numbers}, with the highest memory; a
    peer that fails is left out, and zarrlite may not fail. Checksums must agree. What is written to `scratch` is removed
    before each run, and the disk has then written everything that went before."""
    runs = {name: [] for name in commands}
    failed = set()
    for _ in range(settings.rounds):
        for name in [name for name in commands if name not in failed]:
            if scratch:
                remove(scratch)
                settle(settings)
            try:
                runs[name].append(run(commands[name]))
            except Failed as error:
                if name == "zarrlite":
                    raise
                failed.add(name)
                print(f"  left out: {error}", file=sys.stderr)
    if scratch:
        remove(scratch)
    result = {name: summary(lines) for name, lines in runs.items() if name not in failed}
    for name, numbers in result.items():
        if "zarrlite" in result and numbers["checksum"] not in (0, result["zarrlite"]["checksum"]):
            raise Failed(f"{name} has other elements than zarrlite: {' '.join(str(part) for part in commands[name])}")
    return result


def summary(lines):
    *seconds, checksums, memory = zip(*lines)
    return {"median": statistics.median(seconds[0]), "best": min(seconds[0]),
            "medians": [statistics.median(column) for column in seconds], "checksum": checksums[0], "memory": max(memory)}


def with_peers(settings, program, peer_script, arguments):
    """{name: command} of one job for zarrlite and each peer."""
    commands = {"zarrlite": [settings.programs / program, *arguments]}
    for name in settings.peers:
        commands[name] = [sys.executable, HERE / peer_script, name, *arguments]
    return commands


def best_peer(result):
    """Median of the fastest peer, or None."""
    return min((result[name]["median"] for name in [*peers.NAMES, "zarrs_tools"] if name in result), default=None)

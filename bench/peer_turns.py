#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A short job again and again with another library: prints "seconds checksum peak_MiB" as bench/turns.c does.

usage: bench/peer_turns.py PEER JOB SECONDS STORE [OUT | NODE]   JOB: read, write, open, group, list
"""

import math
import resource
import statistics
import sys
import time

import numpy as np

import peers


def turns(limit, job, prepare=lambda: ()):
    """Median seconds, and what the last turn gave. The rule of bench.h: at most 64 turns and `limit` seconds together; a
    first turn below half a second only warms up. `prepare` is not measured."""
    times, warm = [], False
    while not times or (sum(times) < limit and len(times) < 64):
        prepared = prepare()
        start = time.perf_counter()
        result = job(*prepared)
        seconds = time.perf_counter() - start
        if warm or seconds >= 0.5:
            times.append(seconds)
        warm = True
    return statistics.median(times), result


def checksum(values):
    return values.reshape(-1)[::997].astype(np.float64).sum()


def main():
    name, job, limit, path = sys.argv[1:5]
    last = sys.argv[5] if len(sys.argv) > 5 else ""
    peer, limit = peers.load(name), float(limit)
    if job == "read":
        array = peer.open(path)
        seconds, values = turns(limit, lambda: peer.read(array))
        total = checksum(values)
    elif job == "write":
        values = np.ascontiguousarray(peer.read(peer.open(path)))
        seconds, _ = turns(limit, lambda out: peer.write(out, values), lambda: (peers.create_like(peer, path, last),))
        total = checksum(values)
    elif job == "list":
        seconds, total = turns(limit, lambda: peer.count_nodes(path))
    else:
        seconds, array = turns(limit, lambda: (peer.open if job == "open" else peer.open_in_group)(path, last))
        total = math.prod(array.shape)
    print(f"{seconds:.7f} {total:.0f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}")


if __name__ == "__main__":
    main()

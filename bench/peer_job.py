#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One large job with another library, done twice in this process: prints "seconds checksum peak_MiB" of the second time, as
bench/job.c does.

usage: bench/peer_job.py PEER JOB STORE [OUT]   PEER: zarr, zarrs, tensorstore
                                                JOB: all, chunks, subchunks, random, planes, roundtrip, write
"""

import itertools
import resource
import sys
import time

import numpy as np

import peers


def cells(shape, cell):
    return itertools.product(*[[slice(i, min(i + step, extent)) for i in range(0, extent, step)]
                               for extent, step in zip(shape, cell)])


def random_boxes(shape):
    """The places of job.c."""
    state = 3
    for _ in range(400):
        box = []
        for extent in shape:
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            start = (state >> 33) % (extent - 32)
            box.append(slice(start, start + 32))
        yield tuple(box)


def run(peer, job, array, destination, values):
    """The checksum."""
    chunk, inner = peer.chunk_shapes(array)
    shape = array.shape
    if job == "write":
        peer.write(destination, values)
        return 0
    if job == "all":
        return peer.read(array)[::37, ::41, ::43].astype(np.float64).sum()
    boxes = {"chunks": lambda: cells(shape, chunk), "subchunks": lambda: cells(shape, inner),
             "random": lambda: random_boxes(shape), "roundtrip": lambda: cells(shape, chunk),
             "planes": lambda: [(slice(None), slice(None), slice(x, x + 1)) for x in range(0, shape[2], 128)]}[job]()
    checksum = 0
    for box in boxes:
        values = peer.read(array, box)
        checksum += float(values.flat[0])
        if destination is not None:
            peer.write(destination, values, box)
    return checksum


def main():
    name, job, path = sys.argv[1:4]
    out = sys.argv[4] if len(sys.argv) > 4 else None
    peer = peers.load(name)
    array = peer.open(path)
    values = np.ascontiguousarray(peer.read(array)) if job == "write" else None
    for _ in range(2):
        destination = peers.create_like(peer, path, out) if job in ("write", "roundtrip") else None
        start = time.perf_counter()
        checksum = run(peer, job, array, destination, values)
        seconds = time.perf_counter() - start
    print(f"{seconds:.4f} {checksum:.0f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}")


if __name__ == "__main__":
    main()

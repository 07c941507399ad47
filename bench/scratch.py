# SPDX-License-Identifier: MIT
"""Folders for what the benchmark writes: on a disk, and in memory."""

import shutil
import tempfile
from pathlib import Path

TMPFS = Path("/dev/shm")


def available_memory():
    """Bytes that programs may still take; 0 where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), 0)


class Scratch:
    """`disk` is a folder below `parent`. Both folders are removed at the end."""

    def __init__(self, parent, use_memory):
        parent.mkdir(parents=True, exist_ok=True)
        self.disk = Path(tempfile.mkdtemp(prefix="scratch-", dir=parent))
        self.tmpfs = Path(tempfile.mkdtemp(prefix="zarrlite-bench-", dir=TMPFS)) if use_memory and TMPFS.is_dir() else None

    def memory(self, size):
        """A folder in memory, if there are `size` bytes for it and 1 GiB more, and otherwise the one on disk."""
        fits = self.tmpfs and shutil.disk_usage(self.tmpfs).free > size and available_memory() > size + 2**30
        return self.tmpfs if fits else self.disk

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.disk, ignore_errors=True)
        if self.tmpfs:
            shutil.rmtree(self.tmpfs, ignore_errors=True)

# SPDX-License-Identifier: MIT
"""Does the cost of an element stay the same from small to large arrays, and that of a chunk from few to many chunks?"""

from chains import BYTES, ZSTD
from measure import remove, run, summary
from report import Report, number

CHUNK = (64, 64, 128)  # 1 MiB
# Chunks along each axis of the arrays.
GRIDS = {"full": [(1, 1, 1), (2, 2, 2), (4, 4, 4), (8, 8, 8), (16, 16, 16), (32, 16, 16)],
         "small": [(1, 1, 1), (2, 2, 2), (4, 4, 4)], "smoke": [(1, 1, 1), (2, 1, 1)]}
SIZE_TITLE = """Nanoseconds for an element (uint16) of arrays of several sizes, in chunks of 1 MiB, with one thread, in memory
files (tmpfs) where they fit."""
COUNT_TITLE = """Microseconds for a chunk of 1 KiB, uncompressed, of arrays of several numbers of chunks, with one thread. memory:
in the store in memory; shard: inner chunks of one shard in it; files: in a folder, of tmpfs where they fit."""
COUNTS = {"full": 6, "small": 4, "smoke": 2}  # powers of ten


def draw_lines(x, unit, what):
    """Lines of the costs, one for each kind of store and job."""
    def draw(axes, rows):
        for kind in dict.fromkeys(row["kind"] for row in rows):
            of_kind = [row for row in rows if row["kind"] == kind]
            for job, style in (("read", "-"), ("write", "--")):
                axes.plot([row[x] for row in of_kind], [row[job] for row in of_kind], style, marker="o", label=f"{kind}, {job}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(what)
        axes.set_ylabel(unit)
        axes.legend(fontsize="small")
    return draw


def medians(settings, command, store):
    """Seconds of writing and of reading."""
    runs = []
    for _ in range(settings.rounds):
        runs.append(run([settings.programs / "grow", store, *command, settings.seconds], threads=1))
        if store != "-":
            remove(store)
    return summary(runs)["medians"]


def by_size(settings):
    report = Report("flat-size", SIZE_TITLE, ["codecs", "MiB", "write", "read"],
                    lambda row: [row["kind"], row["mib"], number(row["write"], 3), number(row["read"], 3)],
                    draw=draw_lines("mib", "ns for an element", "MiB of the array"))
    for kind, codecs in (("raw", BYTES), ("zstd", ZSTD)):
        for grid in GRIDS[settings.size]:
            mib = grid[0] * grid[1] * grid[2]
            store = settings.scratch.memory(2 * mib << 20) / "flat.zarr"
            shape = ",".join(str(cells * extent) for cells, extent in zip(grid, CHUNK))
            write, read = medians(settings, (shape, ",".join(map(str, CHUNK)), "-", codecs), store)
            report.add({"kind": kind, "mib": mib, "write": write * 1e9 / (mib << 19), "read": read * 1e9 / (mib << 19),
                        "folder": store.parent})
    return report


def by_count(settings):
    report = Report("flat-count", COUNT_TITLE, ["store", "chunks", "write", "read"],
                    lambda row: [row["kind"], row["chunks"], number(row["write"], 3), number(row["read"], 3)],
                    draw=draw_lines("chunks", "µs for a chunk", "chunks"))
    for kind in ("memory", "shard", "files"):
        for power in range(1, COUNTS[settings.size] + 1):
            count = 10**power
            store = settings.scratch.memory(6000 * count) / "flat.zarr" if kind == "files" else "-"
            shape = str(512 * count)
            write, read = medians(settings, (shape, "512", shape if kind == "shard" else "-", BYTES), store)
            report.add({"kind": kind, "chunks": count, "write": write * 1e6 / count, "read": read * 1e6 / count})
    return report


def measure(settings):
    return [by_size(settings), by_count(settings)]

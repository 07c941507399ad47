# SPDX-License-Identifier: MIT
"""Many small chunks: what a library does for each chunk, when there is little to do for its elements."""

from chains import BYTES, ZSTD
from measure import best_peer, interleaved, remove, run, with_peers
from peers import NAMES
from report import Report, draw_ratios, number

TITLE = """Microseconds for each chunk, of arrays that are open already, in memory files (tmpfs) where there are any. Goal: 5
times the best peer."""


def cases(size):
    """Name, chunks, and shape, chunks, shards and codecs of grow.c."""
    kilobytes = {"full": 100_000, "small": 10_000, "smoke": 20}[size]
    edge = {"full": 100, "small": 100, "smoke": 20}[size]
    cube, row, count = ",".join([str(edge)] * 3), str(512 * kilobytes), (edge // 10) ** 3
    return [("10x10x10 raw", count, (cube, "10,10,10", "-", BYTES)),
            ("10x10x10 zstd", count, (cube, "10,10,10", "-", ZSTD)),
            ("10x10x10 zstd in one shard", count, (cube, "10,10,10", cube, ZSTD)),
            ("1 KiB raw", kilobytes, (row, "512", "-", BYTES)),
            ("1 KiB zstd", kilobytes, (row, "512", "-", ZSTD)),
            ("1 KiB zstd in shards of 1000", kilobytes, (row, "512", str(512 * min(1000, kilobytes)), ZSTD))]


def measure(settings):
    libraries = ["zarrlite", *NAMES]

    def cells(row):
        times = [number(row[name]["median"] / row["chunks"] * 1e6, 2) if name in row else "-" for name in libraries]
        return [row["case"], row["job"], row["chunks"], *times, number(row["ratio_to_best_peer"], 2)]

    report = Report("chunks", TITLE, ["chunks of", "job", "chunks", *libraries, "x best peer"], cells,
                    draw=draw_ratios(lambda row: f"{row['case']}, {row['job']}"))
    folder = settings.scratch.memory(2**31)  # what a disk takes for each file is the same for all
    store, scratch = folder / "chunks.zarr", folder / "chunks-out.zarr"
    for name, count, array in cases(settings.size):
        remove(store)
        run([settings.programs / "grow", store, *array, 0])
        for job in ("read", "write"):
            commands = with_peers(settings, "turns", "peer_turns.py", [job, settings.seconds, store, scratch])
            result = interleaved(settings, commands, scratch if job == "write" else None)
            best = best_peer(result)
            report.add({"case": name, "job": job, "chunks": count, **result,
                        "ratio_to_best_peer": best and best / result["zarrlite"]["median"]})
    remove(store)
    return [report]

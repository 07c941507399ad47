# SPDX-License-Identifier: MIT
"""Opening one array of a large hierarchy with consolidated metadata, and the whole command `zarrlite info`."""

import json

from chains import BYTES
from measure import best_peer, interleaved, remove, run, with_peers
from peers import NAMES
from report import Report, number

ATTRIBUTES = {"units": "K", "long_name": "air temperature", "valid_range": [150.0, 350.0]}
GOALS = {"library": 20, "command": 10}  # milliseconds
TITLE = """Milliseconds. The hierarchies have {} groups of {} arrays, and consolidated metadata. open: the array by its path;
group: the root group, then the array; list: all nodes; info: the command, from its start to its end."""


def array_v3(attributes):
    return {"zarr_format": 3, "node_type": "array", "shape": [100, 180, 360], "data_type": "float32", "fill_value": "NaN",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 180, 360]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                       {"name": "zstd", "configuration": {"level": 3, "checksum": False}}],
            "dimension_names": ["time", "lat", "lon"], "attributes": attributes}


def array_v2():
    return {"zarr_format": 2, "shape": [100, 180, 360], "chunks": [10, 180, 360], "dtype": "<f4", "fill_value": "NaN",
            "order": "C", "filters": None, "compressor": {"id": "zstd", "level": 3}, "dimension_separator": "."}


def put(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2))


def make_v3(root, groups, arrays):
    nodes = {}
    for g in range(groups):
        nodes[f"g{g}"] = {"zarr_format": 3, "node_type": "group", "attributes": {}}
        for a in range(arrays):
            nodes[f"g{g}/a{a}"] = array_v3(ATTRIBUTES)
    for path, document in nodes.items():
        put(root / path / "zarr.json", document)
    put(root / "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": {}, "consolidated_metadata": {
        "kind": "inline", "must_understand": False, "metadata": nodes}})


def make_v2(root, groups, arrays):
    documents = {".zgroup": {"zarr_format": 2}}
    for g in range(groups):
        documents[f"g{g}/.zgroup"] = {"zarr_format": 2}
        for a in range(arrays):
            documents[f"g{g}/a{a}/.zarray"] = array_v2()
            documents[f"g{g}/a{a}/.zattrs"] = ATTRIBUTES
    for key, document in documents.items():
        put(root / key, document)
    put(root / ".zmetadata", {"zarr_consolidated_format": 1, "metadata": documents})


def measure(settings):
    libraries = ["zarrlite", *NAMES]
    folder = settings.scratch.memory(2**28)
    groups = {"full": 100, "small": 100, "smoke": 3}[settings.size]

    def cells(row):
        times = [number(row[name]["median"] * 1000, 3) if name in row else "-" for name in libraries]
        return [row["store"], row["job"], *times, number(row["ratio_to_best_peer"], 1), row["goal"] or "-"]

    report = Report("open", TITLE.format(groups, groups - 1), ["store", "job", *libraries, "x best peer", "goal"], cells)

    def add(store, job, result, goal):
        best = best_peer(result)
        report.add({"store": store, "job": job, **result, "goal": goal,
                    "ratio_to_best_peer": best and best / result["zarrlite"]["median"]})

    def info(path):
        command = [settings.programs / "spawn", 1 if settings.size == "smoke" else 50, settings.tool, "info", path]
        return interleaved(settings, {"zarrlite": command})

    node = f"g{groups // 2}/a{groups // 2}"
    for version, make in (("v2", make_v2), ("v3", make_v3)):
        store = folder / f"hierarchy-{version}.zarr"
        remove(store)
        make(store, groups, groups - 1)
        for job in ("open", "group", "list"):
            commands = with_peers(settings, "turns", "peer_turns.py", [job, settings.seconds, store, node])
            if job != "open":
                commands.pop("tensorstore", None)  # it knows no groups
            commands.pop("zarrs", None)  # opens with zarr-python
            add(version, job, interleaved(settings, commands), GOALS["library"] if job == "open" else None)
        add(version, "info", info(store / node), GOALS["command"])
        remove(store)
    for chunks in (1, 1000):
        store = folder / "plain.zarr"
        remove(store)
        run([settings.programs / "grow", store, 8 * chunks, 8, "-", BYTES, 0])
        add(f"array of {chunks} chunks", "info", info(store), GOALS["command"])
    remove(store)
    return [report]

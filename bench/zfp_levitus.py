#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/zfp.md: sizes and errors of an ocean climatology with zfp, zstd and cast_value.

usage: bench/zfp_levitus.py TOOL levitus_climatology.cdf

TOOL is the program zarrlite. The file is part of Debian's package ferret-datasets; numpy and netCDF4 read it. The array is
TEMP, sea temperature in float32, 20 x 180 x 360, as one chunk. Where the map has land or sea floor
the file has -1e10; errors are those of the sea.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import netCDF4
import numpy as np

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 9, "checksum": False}}


def zfp(mode, **parameters):
    return [{"name": "zfp", "configuration": {"mode": mode, **parameters}}]


def shuffled(typesize):
    configuration = {"cname": "zstd", "clevel": 9, "shuffle": "shuffle", "typesize": typesize, "blocksize": 0}
    return [BYTES, {"name": "blosc", "configuration": configuration}]


def cast(dtype, **parameters):
    return {"name": "cast_value", "configuration": {"data_type": dtype, **parameters}}


def scaled(scale):
    return {"name": "scale_offset", "configuration": {"scale": scale}}


CHAINS = {
    "zstd": [BYTES, ZSTD],
    "blosc: zstd, shuffled": shuffled(4),
    "zfp:reversible": zfp("reversible"),
    "zfp:accuracy=0.1": zfp("fixed_accuracy", tolerance=0.1),
    "zfp:accuracy=0.01": zfp("fixed_accuracy", tolerance=0.01),
    "zfp:accuracy=0.001": zfp("fixed_accuracy", tolerance=0.001),
    "zfp:precision=12": zfp("fixed_precision", precision=12),
    "zfp:precision=16": zfp("fixed_precision", precision=16),
    "zfp:rate=4": zfp("fixed_rate", rate=4),
    "zfp:rate=8": zfp("fixed_rate", rate=8),
    "zfp expert: maxbits=512, minexp=-7": zfp("expert", minbits=1, maxbits=512, maxprec=64, minexp=-7),
    "`scale_offset` 100, `cast_value` int16, blosc": [scaled(100), cast("int16"), *shuffled(2)],
    "`scale_offset` 500, `cast_value` int16, blosc": [scaled(500), cast("int16"), *shuffled(2)],
    "`cast_value` float16, blosc": [cast("float16"), *shuffled(2)],
}


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def measure(tool, folder, values, codecs, counts):
    """Bytes stored, and the largest and the root mean square error where `counts` is true."""
    store, source, back = folder / "a.zarr", folder / "in.npy", folder / "out.npy"
    np.save(source, values)
    shape = ",".join(map(str, values.shape))
    run(tool, "create", store, "--shape", shape, "--chunks", shape, "--dtype", "float32", "--codec", json.dumps(codecs))
    run(tool, "put", store, source)
    run(tool, "get", store, "--format", "npy", "-o", back)
    stored = json.loads(run(tool, "info", "--json", store))["stored_size"]
    shutil.rmtree(store)
    error = (np.load(back).astype(np.float64) - values)[counts]
    return stored, np.abs(error).max(), np.sqrt((error**2).mean())


def fill_land(values, sea):
    """Land gets the mean of the sea in its row of the map, or in its level where a row has no sea."""
    filled = values.copy()
    for level, level_sea in zip(filled, sea):
        for row, row_sea in zip(level, level_sea):
            row[~row_sea] = row[row_sea].mean() if row_sea.any() else level[level_sea].mean()
    return filled


def print_table(tool, title, values, counts, chains):
    print(f"{title}\n\n| codecs | ratio | bits an element | largest error | rms error |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, codecs in chains.items():
            stored, largest, rms = measure(tool, Path(folder), values, codecs, counts)
            bits = 8 * stored / values.size
            print(f"| {name} | {values.nbytes / stored:.2f} | {bits:.2f} | {largest:.2g} | {rms:.2g} |", flush=True)
    print()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool = sys.argv[1]
    variable = netCDF4.Dataset(sys.argv[2])["TEMP"]
    variable.set_auto_mask(False)
    values = variable[...]
    sea = values > -1e9
    print(f"{100 * (1 - sea.mean()):.0f} % of {values.size} elements are land\n")
    print_table(tool, "Land filled with the mean of its row:", fill_land(values, sea), sea, CHAINS)
    with_land = {name: codecs for name, codecs in CHAINS.items() if codecs[0]["name"] != "scale_offset" and "float16" not in name}
    print_table(tool, "Land as it is, -1e10:", values, sea, with_land)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Zarr v2, consolidated metadata, migration and ZIP archives, with zarr-python, TensorStore and ncdump."""

import json
import shutil
import subprocess

import cases
import numpy as np
import pytest
import zarr

DTYPES = ["|b1", "|i1", "<u2", ">u2", "<i4", ">i8", "<f2", "<f4", ">f8", "<c8", "<M8[us]", "<m8[10s]"]
COMPRESSORS = {
    "none": [],
    "zstd": [{"name": "zstd", "configuration": {"level": 3, "checksum": False}}],
    "gzip": [{"name": "gzip", "configuration": {"level": 5}}],
    "zlib": [cases.numcodecs("zlib", level=1)],
    "blosc": [cases.numcodecs("blosc", cname="lz4", clevel=5, shuffle=-1, blocksize=0)],
    "bz2": [cases.numcodecs("bz2", level=1)],
    "lz4": [cases.numcodecs("lz4", acceleration=1)],
    "shuffle_zlib": [cases.numcodecs("shuffle", elementsize=4), cases.numcodecs("zlib", level=1)],
    "crc32": [cases.numcodecs("crc32")],
}
SHAPE, CHUNKS = (7, 10), (3, 4)


def values(dtype):
    numbers = np.random.default_rng(1).integers(0, 100, SHAPE)
    return numbers.astype(dtype)


def name_v3(dtype):
    """The data type as the tool's option."""
    dtype = np.dtype(dtype)
    if dtype.kind in "mM":
        unit, scale = np.datetime_data(dtype)
        name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
        return json.dumps({"name": name, "configuration": {"unit": unit, "scale_factor": scale}})
    return dtype.name


def little(dtype):
    return np.dtype(dtype).newbyteorder("<")


def put(tool, store, elements):
    file = tool.folder / "put.raw"
    file.write_bytes(elements.astype(little(elements.dtype)).tobytes())
    tool.run("put", store, file)


def get(tool, store, dtype):
    """Without .npy, which the tool has for plain numbers alone."""
    file = tool.folder / "get.raw"
    tool.run("get", store, "--format", "raw", "-o", file)
    return np.frombuffer(file.read_bytes(), little(dtype)).reshape(SHAPE)


def create(tool, store, dtype, codecs, transpose=False):
    chain = [{"name": "transpose", "configuration": {"order": [1, 0]}}] if transpose else []
    chain += [cases.bytes_codec("big" if dtype[0] == ">" else "little"), *codecs]
    arguments = [word for codec in chain for word in ("--codec", json.dumps(codec))]
    tool.run("create", "--format", 2, "--shape", "7,10", "--chunks", "3,4", "--dtype", name_v3(dtype), *arguments, store)


@pytest.mark.parametrize("transpose", [False, True], ids=["C", "F"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_zarr_python_reads_our_types(tool, tmp_path, dtype, transpose):
    store, expected = tmp_path / "a.zarr", values(dtype)
    create(tool, store, dtype, [], transpose)
    put(tool, store, expected)
    read = zarr.open_array(store, mode="r", zarr_format=2)[...]
    cases.assert_same(read.astype(little(dtype)), expected.astype(little(dtype)))


@pytest.mark.parametrize("codecs", [pytest.param(codecs, id=name) for name, codecs in COMPRESSORS.items()])
def test_zarr_python_reads_our_codecs(tool, tmp_path, codecs):
    store, expected = tmp_path / "a.zarr", values("<i4")
    create(tool, store, "<i4", codecs)
    tool.put(store, expected)
    cases.assert_same(zarr.open_array(store, mode="r", zarr_format=2)[...], expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [*DTYPES, "<U5", ">U3", "|S4"])
def test_we_read_zarr_python(tool, tmp_path, dtype, order):
    store, expected = tmp_path / "a.zarr", values(dtype)
    zarr.create_array(store, shape=SHAPE, chunks=CHUNKS, dtype=dtype, order=order, zarr_format=2)[...] = expected
    cases.assert_same(get(tool, store, dtype), expected.astype(little(dtype)))


@pytest.mark.parametrize("codecs", ["none", "zlib", "blosc", "bz2", "zstd"])
@pytest.mark.parametrize("dtype", ["<i4", ">u2", "<f8"])
def test_tensorstore_both_ways(tool, tmp_path, dtype, codecs):
    tensorstore = pytest.importorskip("tensorstore")
    ours, theirs, expected = tmp_path / "ours.zarr", tmp_path / "theirs.zarr", values(dtype)
    create(tool, ours, dtype, COMPRESSORS[codecs], transpose=True)
    shutil.copytree(ours, theirs)
    native = expected.astype(little(dtype))
    tool.put(ours, native)

    def opened(store):
        spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": f"{store}/"}}
        return tensorstore.open(spec, open=True).result()

    cases.assert_same(opened(ours).read().result(), native)
    opened(theirs).write(native).result()
    cases.assert_same(tool.get(theirs), native)


def make_hierarchy(tool, store):
    tool.run("create", "--format", 2, "--group", "--attrs", '{"title": "größe"}', store)
    tool.run("create", "--format", 2, "--shape", "7,10", "--chunks", "3,4", "--dtype", "int32", "--dims", "y,x", f"{store}/g/a")
    tool.put(f"{store}/g/a", values("<i4"))


def check_hierarchy(group):
    assert group.attrs["title"] == "größe"
    assert sorted(group) == ["g"]
    cases.assert_same(group["g/a"][...], values("<i4"))


def test_consolidated_metadata(tool, tmp_path):
    store = tmp_path / "a.zarr"
    make_hierarchy(tool, store)
    tool.run("consolidate", store)
    check_hierarchy(zarr.open_consolidated(store, mode="r", zarr_format=2))
    zarr.consolidate_metadata(store, zarr_format=2)
    tool.run("consolidate", "--check", store)
    tool.run("attrs", f"{store}/g/a", "set", "units", '"m"')
    group = zarr.open_consolidated(store, mode="r", zarr_format=2)
    assert group["g/a"].attrs["units"] == "m"


@pytest.mark.parametrize("codecs", [pytest.param(codecs, id=name) for name, codecs in COMPRESSORS.items()])
def test_migrated_arrays(tool, tmp_path, codecs):
    store, expected = tmp_path / "a.zarr", values("<i4")
    create(tool, store, "<i4", codecs, transpose=True)
    tool.put(store, expected)
    tool.run("migrate", "--remove-v2", store)
    array = zarr.open_array(store, mode="r")
    assert array.metadata.zarr_format == 3
    cases.assert_same(array[...], expected)


def test_migrated_hierarchy(tool, tmp_path):
    store = tmp_path / "a.zarr"
    make_hierarchy(tool, store)
    tool.run("consolidate", store)
    tool.run("migrate", "--remove-v2", store)
    group = zarr.open_consolidated(store, mode="r")
    check_hierarchy(group)
    assert group["g/a"].metadata.dimension_names == ("y", "x")


def test_zip_archives(tool, tmp_path):
    store, archive = tmp_path / "a.zarr", tmp_path / "a.zarr.zip"
    make_hierarchy(tool, store)
    tool.run("copy", "--quiet", "--format", 2, store, archive)
    with zarr.storage.ZipStore(archive, mode="r") as opened:
        check_hierarchy(zarr.open_group(opened, mode="r", zarr_format=2))
    theirs = tmp_path / "theirs.zip"
    with zarr.storage.ZipStore(theirs, mode="w") as opened:
        group = zarr.create_group(opened)
        group.create_array("a", shape=SHAPE, chunks=CHUNKS, dtype="<i4")[...] = values("<i4")
    cases.assert_same(tool.get(f"{theirs}/a"), values("<i4"))


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="no ncdump")
def test_ncdump_reads_ours(tool, tmp_path):
    """NetCDF-C reads what it knows of v2: numbers without filters; other builds of it cannot read Zarr at all."""
    store = tmp_path / "a.zarr"
    tool.run("create", "--format", 2, "--group", store)
    tool.run("create", "--format", 2, "--shape", "2,3", "--chunks", "2,3", "--dtype", "int32", "--codec", '[{"name":"bytes","configuration":{"endian":"little"}}]',
             "--dims", "y,x", "--fill", "-1", f"{store}/v")  # fmt: skip
    tool.put(f"{store}/v", np.arange(6, dtype="<i4").reshape(2, 3))
    result = subprocess.run(["ncdump", f"file://{store}#mode=zarr,file"], capture_output=True, text=True, timeout=60)
    if result.returncode != 0 and "not supported" in result.stderr.lower() + result.stdout.lower():
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr
    assert "int v(" in result.stdout
    assert "0, 1, 2," in result.stdout and "3, 4, 5" in result.stdout

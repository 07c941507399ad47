# SPDX-License-Identifier: MIT
"""Arrays written by the tool are read by zarr-python, and the other way round."""

import json

import cases
import pytest
import zarr

CASES = [pytest.param(dtype, [cases.bytes_codec("big"), cases.ZSTD], id=f"dtype-{dtype}") for dtype in cases.DTYPES]
CASES += [pytest.param("int32", codecs, id=f"chain-{name}") for name, codecs in cases.CHAINS.items()]
CASES += [pytest.param("int32", codecs, id=f"numcodecs-{name}") for name, codecs in cases.NUMCODECS_CHAINS.items()]
CASES += [pytest.param("bool", [cases.numcodecs("packbits"), cases.bytes_codec()], id="numcodecs-packbits")]
CASES += [
    pytest.param("float64", [cases.numcodecs("bitround", keepbits=52), cases.bytes_codec()], id="numcodecs-bitround")
]


@pytest.mark.parametrize(("dtype", "codecs"), CASES)
def test_zarr_python_reads_ours(tool, tmp_path, dtype, codecs):
    store, values = tmp_path / "a.zarr", cases.values(dtype)
    tool.create(store, cases.metadata(dtype, codecs, cases.fill_value(dtype)))
    tool.put(store, values)
    cases.assert_same(zarr.open_array(store, mode="r")[...], values)


@pytest.mark.parametrize(("dtype", "codecs"), CASES)
def test_we_read_zarr_python(tool, tmp_path, dtype, codecs):
    store, values = tmp_path / "a.zarr", cases.values(dtype)
    cases.write_metadata(store, cases.metadata(dtype, codecs, cases.fill_value(dtype)))
    zarr.open_array(store, mode="r+")[...] = values
    cases.assert_same(tool.get(store), values)


@pytest.mark.parametrize("dtype", cases.DTYPES)
def test_fill_value_of_missing_chunks(tool, tmp_path, dtype):
    """Both see the fill value where nothing was written, and what was written elsewhere."""
    store = tmp_path / "a.zarr"
    tool.create(store, cases.metadata(dtype, [cases.bytes_codec()], cases.fill_value(dtype)))
    array = zarr.open_array(store, mode="r+")
    array[5:, 7:] = cases.values(dtype)[5:, 7:]
    cases.assert_same(tool.get(store), array[...])


@pytest.mark.parametrize("name", ["gzip", "transpose", "sharding_end", "sharding_start"])
def test_partial_write_of_theirs(tool, tmp_path, name):
    """zarr-python changes a part of an array that we wrote, and leaves the rest as it was."""
    store, values = tmp_path / "a.zarr", cases.values("int32")
    tool.create(store, cases.metadata("int32", cases.CHAINS[name]))
    tool.put(store, values)
    zarr.open_array(store, mode="r+")[2:6, 1:8] = -5
    values[2:6, 1:8] = -5
    cases.assert_same(tool.get(store), values)


def test_region(tool, tmp_path):
    store, values = tmp_path / "a.zarr", cases.values("int32")
    cases.write_metadata(store, cases.metadata("int32", cases.CHAINS["sharding_end"]))
    zarr.open_array(store, mode="r+")[...] = values
    cases.assert_same(tool.get(store, "--region", "2:7,1:9"), values[2:7, 1:9])
    cases.assert_same(tool.get(store, "--region", "1:7:2,..."), values[1:7:2])


def test_dimension_names_and_attributes(tool, tmp_path):
    store = tmp_path / "a.zarr"
    tool.create(store, cases.metadata("uint8", [cases.bytes_codec()], dimension_names=["y", "x"]))
    tool.run("attrs", store, "set", "units", '"K"')
    tool.run("attrs", store, "set", "range", "[0,1.5]")
    array = zarr.open_array(store, mode="r+")
    assert array.metadata.dimension_names == ("y", "x")
    assert array.attrs.asdict() == {"units": "K", "range": [0, 1.5]}
    array.attrs["title"] = "größe"
    assert json.loads(tool.run("attrs", store, "get", "title")) == "größe"

# SPDX-License-Identifier: MIT
"""Data types beyond plain numbers: times, text, bytes and structures with zarr-python, small floats and integers with
TensorStore, and times with xarray. Elements travel as the tool's raw format, so nothing is lost on the way."""

import json
import struct

import cases
import numpy as np
import pytest
import zarr

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as"]
COUNT = 6


def raw_bytes(values):
    """Elements as `get --format raw` gives them."""
    if values.dtype == object or values.dtype.kind == "T":
        texts = [text.encode() if isinstance(text, str) else bytes(text) for text in values.ravel()]
        return b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()


def document(data_type, fill_value, codecs):
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [COUNT],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_value,
        "codecs": codecs,
        "attributes": {},
    }


def time_case(kind, unit, scale):
    name = {"m": "numpy.timedelta64", "M": "numpy.datetime64"}[kind]
    numpy_unit = "us" if unit == "μs" else unit
    values = np.array([0, 1, -5, 2**62, -(2**63), 77], dtype="<i8").view(f"<{kind}8[{scale}{numpy_unit}]")
    data_type = {"name": name, "configuration": {"unit": unit, "scale_factor": scale}}
    return pytest.param(data_type, "NaT", [cases.bytes_codec("big"), cases.ZSTD], values, id=f"{name}-{scale}{unit}")


def named(name, **configuration):
    return {"name": name, "configuration": configuration}


RECORDS = np.array([(i, i / 2, i * 1000) for i in range(COUNT)], dtype=[("a", "<i2"), ("b", "<f4"), ("c", "<u8")])
TEXTS = np.array(["", "a", "größe", "日本", "x" * 300, "0"], dtype=object)
BLOBS = np.array([b"", b"a", b"\0\1", b"xyz" * 50, b"\xff", b"0"], dtype=object)

CASES = [time_case("m", unit, 1) for unit in UNITS] + [time_case("M", unit, 1) for unit in UNITS]
CASES += [time_case("m", "us", 10), time_case("M", "ms", 25), time_case("m", "s", 2147483647)]
CASES += [
    pytest.param("string", "", [{"name": "vlen-utf8"}, cases.ZSTD], TEXTS, id="string"),
    pytest.param("variable_length_bytes", "", [{"name": "vlen-bytes"}, cases.GZIP], BLOBS, id="bytes"),
    pytest.param(named("fixed_length_utf32", length_bytes=12), "", [cases.bytes_codec("big")],
                 np.array(["", "a", "ab", "äöü", "日本語", "xyz"], dtype="<U3"), id="fixed_length_utf32"),
    pytest.param(named("null_terminated_bytes", length_bytes=4), "", [{"name": "bytes"}],
                 np.array([b"", b"a", b"ab", b"abc", b"abcd", b"x"], dtype="S4"), id="null_terminated_bytes"),
    pytest.param(named("raw_bytes", length_bytes=3), "AAAA", [{"name": "bytes"}],
                 np.array([b"\0\0\0", b"abc", b"\1\2\3", b"\xff\0\xff", b"zzz", b"123"], dtype="V3"), id="raw_bytes"),
    pytest.param({"name": "struct", "configuration": {"fields": [
        {"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float32"}, {"name": "c", "data_type": "uint64"}]}},
        {"a": 1, "b": 0.5, "c": 7}, [cases.bytes_codec(), cases.ZSTD], RECORDS, id="struct"),
]  # fmt: skip


def open_theirs(store):
    try:
        return zarr.open_array(store, mode="r+")
    except (ValueError, TypeError, KeyError) as error:
        pytest.skip(f"this zarr-python does not know the type: {error}")


@pytest.mark.parametrize(("data_type", "fill", "codecs", "values"), CASES)
def test_zarr_python_reads_ours(tool, tmp_path, data_type, fill, codecs, values):
    store, source = tmp_path / "a.zarr", tmp_path / "metadata.json"
    source.write_text(json.dumps(document(data_type, fill, codecs)))
    tool.run("create", "--metadata", source, store)
    elements = tmp_path / "elements.raw"
    elements.write_bytes(raw_bytes(values))
    tool.run("put", store, elements, "--format", "raw")
    assert raw_bytes(np.asarray(open_theirs(store)[...])) == raw_bytes(values)


@pytest.mark.parametrize(("data_type", "fill", "codecs", "values"), CASES)
def test_we_read_zarr_python(tool, tmp_path, data_type, fill, codecs, values):
    store, elements = tmp_path / "a.zarr", tmp_path / "elements.raw"
    cases.write_metadata(store, document(data_type, fill, codecs))
    open_theirs(store)[...] = values
    tool.run("get", store, "--format", "raw", "-o", elements)
    assert elements.read_bytes() == raw_bytes(values)


SMALL = ["int4", "uint4", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz",
         "float8_e5m2fnuz", "int2"]  # fmt: skip


def small_case(tmp_path, name):
    tensorstore = pytest.importorskip("tensorstore")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    store = tmp_path / "a.zarr"
    codecs = [cases.bytes_codec()] if name == "bfloat16" else [{"name": "bytes"}]
    cases.write_metadata(store, document(name, 0, codecs))
    try:
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{store}/"}}
        array = tensorstore.open(spec, open=True).result()
    except ValueError as error:
        pytest.skip(f"this TensorStore does not know the type: {error}")
    values = np.array([0, 1, -1, 1, 0, 1], dtype=np.float32)
    if name.startswith("u"):
        values = np.abs(values)
    return store, array, values.astype(getattr(ml_dtypes, name))


def small_raw(values):
    """One byte for each element; signed integers fill it, in our raw format."""
    return (values.astype(np.int8) if values.dtype.name in ("int2", "int4") else values).tobytes()


@pytest.mark.parametrize("name", SMALL)
def test_small_types_with_tensorstore(tool, tmp_path, name):
    store, array, values = small_case(tmp_path, name)
    elements = tmp_path / "elements.raw"
    array.write(values).result()
    tool.run("get", store, "--format", "raw", "-o", elements)
    assert elements.read_bytes() == small_raw(values)
    elements.write_bytes(small_raw(values[::-1]))
    tool.run("put", store, elements, "--format", "raw")
    assert np.array_equal(array.read().result().astype("f4"), values[::-1].astype("f4"))


def test_times_with_xarray(tool, tmp_path):
    """A dataset of ours with times of both kinds is opened by xarray, and one of xarray's by us."""
    xarray = pytest.importorskip("xarray")
    ours, theirs = tmp_path / "ours.zarr", tmp_path / "theirs.zarr"
    times = np.array(["2024-03-01T12:00:00", "1969-12-31T23:59:59.5"], dtype="datetime64[ns]")
    waits = np.array([1500, -3], dtype="timedelta64[ns]")
    tool.run("create", "--group", ours)
    for name, values, kind in (("when", times, "datetime64"), ("wait", waits, "timedelta64")):
        data_type = named(f"numpy.{kind}", unit="ns", scale_factor=1)
        tool.run("create", "--shape", "2", "--dtype", json.dumps(data_type), "--fill", '"NaT"', "--dims", "time", f"{ours}/{name}")
        elements = tmp_path / "elements.raw"
        elements.write_bytes(raw_bytes(values))
        tool.run("put", f"{ours}/{name}", elements, "--format", "raw")
    opened = xarray.open_zarr(ours, consolidated=False)
    assert np.array_equal(opened["when"].values.astype("datetime64[ns]"), times)
    assert np.array_equal(opened["wait"].values.astype("timedelta64[ns]"), waits)
    dataset = xarray.Dataset({"t2m": (("time", "x"), np.arange(6, dtype="f4").reshape(2, 3))}, attrs={"title": "größe"})
    dataset.to_zarr(theirs, zarr_format=3, consolidated=False)
    assert np.array_equal(tool.get(f"{theirs}/t2m"), dataset["t2m"].values)
    assert "x" in tool.run("info", f"{theirs}/t2m")

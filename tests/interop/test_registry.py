# SPDX-License-Identifier: MIT
"""What of the registry's younger entries zarr-python knows too: the rectilinear grid, cast_value and scale_offset. Random
shapes and values, both ways."""

import json

import cases
import numpy as np
import pytest
import zarr

RANDOM = np.random.default_rng(2026)


def edges_of(extent):
    """A random division of an axis: a bare integer, or a list that may hold runs and reach beyond the end."""
    if RANDOM.integers(3) == 0:
        return int(RANDOM.integers(1, extent + 1))
    edges, covered = [], 0
    while covered < extent:
        length, count = int(RANDOM.integers(1, 5)), int(RANDOM.integers(1, 4))
        edges.append(length if count == 1 else [length, count])
        covered += length * count
    return edges


def rectilinear_document():
    document = cases.metadata("int32", [cases.bytes_codec("big"), cases.ZSTD], -1)
    shape = [int(n) for n in RANDOM.integers(1, 20, 2)]
    document["shape"] = shape
    configuration = {"kind": "inline", "chunk_shapes": [edges_of(extent) for extent in shape]}
    document["chunk_grid"] = {"name": "rectilinear", "configuration": configuration}
    return document, RANDOM.integers(-99, 99, shape).astype("int32")


@pytest.mark.parametrize("number", range(12))
def test_rectilinear(tool, tmp_path, number):
    document, values = rectilinear_document()
    store, source = tmp_path / "a.zarr", tmp_path / "metadata.json"
    source.write_text(json.dumps(document))
    tool.run("create", "--metadata", source, store)
    tool.put(store, values)
    with zarr.config.set({"array.rectilinear_chunks": True}):
        try:
            array = zarr.open_array(store, mode="r+")
        except ValueError as error:
            pytest.skip(f"this zarr-python has no rectilinear grid: {error}")
        cases.assert_same(array[...], values)
        array[...] = values[::-1]
    cases.assert_same(tool.get(store), values[::-1])


def cast(data_type, **configuration):
    return {"name": "cast_value", "configuration": {"data_type": data_type, **configuration}}


def scale(offset, factor):
    return {"name": "scale_offset", "configuration": {"offset": offset, "scale": factor}}


ARITHMETIC = [
    pytest.param("float64", [cast("int16", rounding="nearest-even", out_of_range="clamp")], id="cast-clamp"),
    pytest.param("int32", [cast("uint8", out_of_range="wrap")], id="cast-wrap"),
    pytest.param("float64", [cast("float32")], id="cast-float32"),
    pytest.param("float64", [scale(10.0, 4.0)], id="scale_offset"),
    pytest.param("float64", [scale(10.0, 4.0), cast("int32", rounding="towards-zero")], id="scale-cast"),
]


@pytest.mark.parametrize(("dtype", "codecs"), ARITHMETIC)
def test_arithmetic(tool, tmp_path, dtype, codecs):
    if codecs[-1]["name"] == "cast_value":
        pytest.importorskip("cast_value_rs")
    values = RANDOM.integers(0, 30000, cases.SHAPE).astype(dtype) / (4 if dtype == "float64" else 1)
    ours, theirs = tmp_path / "ours.zarr", tmp_path / "theirs.zarr"
    document = cases.metadata(dtype, [*codecs, cases.bytes_codec()])
    tool.create(ours, document)
    tool.put(ours, values.astype(dtype))
    cases.write_metadata(theirs, document)
    try:
        array = zarr.open_array(theirs, mode="r+")
    except (ValueError, TypeError, KeyError, ImportError, zarr.errors.UnknownCodecError) as error:
        pytest.skip(f"this zarr-python does not know the codec: {error}")
    array[...] = values.astype(dtype)
    cases.assert_same(zarr.open_array(ours, mode="r")[...], array[...])
    cases.assert_same(tool.get(theirs), array[...])

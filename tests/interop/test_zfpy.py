# SPDX-License-Identifier: MIT
"""zfp streams written by the tool are decoded by zfpy, and the other way round: every mode, type and rank."""

import cases
import numpy as np
import pytest

zfpy = pytest.importorskip("zfpy")

SHAPES = [(23,), (9, 6), (5, 6, 7), (3, 5, 2, 6)]
TYPES = {"int32": zfpy.type_int32, "int64": zfpy.type_int64, "float32": zfpy.type_float, "float64": zfpy.type_double}
# Configuration, the same for zfpy's calls, and the mode's number in numcodecs.zfpy; None: they do not have it.
MODES = {
    "reversible": ({}, {}, None),
    "fixed_rate": ({"rate": 12.5}, {"rate": 12.5}, 2),
    "fixed_precision": ({"precision": 18}, {"precision": 18}, 3),
    "fixed_accuracy": ({"tolerance": 0.05}, {"tolerance": 0.05}, 4),
    "expert": ({"minbits": 100, "maxbits": 500, "maxprec": 22, "minexp": -12}, None, None),
}


def cases_of(modes):
    return [
        pytest.param(mode, dtype, shape, id=f"{mode}-{dtype}-{len(shape)}d")
        for mode in modes
        for dtype in TYPES
        for shape in SHAPES
        if mode != "fixed_accuracy" or dtype.startswith("float")  # nothing for integers: libzfp ignores the tolerance
    ]


KNOWN = [mode for mode in MODES if MODES[mode][1] is not None]
WITH_HEADER = [mode for mode in MODES if MODES[mode][2] is not None]


def make_values(dtype, shape):
    numbers = np.sin(np.arange(np.prod(shape)) * 0.07).reshape(shape) * 1e6
    return numbers.astype(dtype)


def create(tool, store, name, configuration, dtype, shape):
    document = cases.metadata(dtype, [{"name": name, "configuration": configuration}])
    document["shape"] = document["chunk_grid"]["configuration"]["chunk_shape"] = list(shape)
    tool.create(store, document)


def chunk_file(store, shape):
    return store / "c" / "/".join("0" * len(shape))


def expert_header(dtype, shape, configuration):
    """The header of libzfp for settings that zfpy cannot be told: a number and its bits."""
    meta, at = TYPES[dtype] - 1, 2
    meta |= (len(shape) - 1) << at
    at += 2
    width = 48 // len(shape)
    for extent in reversed(shape):
        meta |= (extent - 1) << at
        at += width
    mode = 0xFFF
    fields = (("minbits", 15, -1), ("maxbits", 15, -1), ("maxprec", 7, -1), ("minexp", 15, 16495))
    at = 12
    for key, bits, offset in fields:
        mode |= (configuration[key] + offset) << at
        at += bits
    magic = int.from_bytes(b"zfp", "little") | 5 << 24
    return magic | meta << 32 | mode << (32 + 52), 32 + 52 + 64


def decompress(stream, mode, dtype, shape):
    """By zfpy, from a stream without a header."""
    configuration, arguments, _ = MODES[mode]
    if arguments is not None:
        return zfpy._decompress(stream, TYPES[dtype], shape, **arguments)
    header, bits = expert_header(dtype, shape, configuration)
    number = header | int.from_bytes(stream, "little") << bits
    return zfpy.decompress_numpy(number.to_bytes(len(stream) + 32, "little"))


@pytest.mark.parametrize(("mode", "dtype", "shape"), cases_of(MODES))
def test_zfpy_reads_ours(tool, tmp_path, mode, dtype, shape):
    store, values = tmp_path / "a.zarr", make_values(dtype, shape)
    create(tool, store, "zfp", {"mode": mode, **MODES[mode][0]}, dtype, shape)
    tool.put(store, values)
    theirs = decompress(chunk_file(store, shape).read_bytes(), mode, dtype, shape)
    cases.assert_same(tool.get(store), theirs)
    if mode == "reversible":
        cases.assert_same(theirs, values)
    if mode == "fixed_accuracy":
        assert np.abs(theirs - values).max() <= 0.05


@pytest.mark.parametrize(("mode", "dtype", "shape"), cases_of(KNOWN))
def test_we_read_zfpy(tool, tmp_path, mode, dtype, shape):
    configuration, arguments, _ = MODES[mode]
    store, values = tmp_path / "a.zarr", make_values(dtype, shape)
    create(tool, store, "zfp", {"mode": mode, **configuration}, dtype, shape)
    stream = zfpy.compress_numpy(values, write_header=False, **arguments)
    chunk_file(store, shape).parent.mkdir(parents=True, exist_ok=True)
    chunk_file(store, shape).write_bytes(stream)
    cases.assert_same(tool.get(store), decompress(stream, mode, dtype, shape))


@pytest.mark.parametrize(("mode", "dtype", "shape"), cases_of(WITH_HEADER))
def test_header(tool, tmp_path, mode, dtype, shape):
    """numcodecs.zfpy: both directions."""
    configuration, arguments, number = MODES[mode]
    store, values = tmp_path / "a.zarr", make_values(dtype, shape)
    create(tool, store, "numcodecs.zfpy", {"mode": number, **configuration}, dtype, shape)
    tool.put(store, values)
    expected = zfpy.decompress_numpy(chunk_file(store, shape).read_bytes())
    cases.assert_same(tool.get(store), expected)
    chunk_file(store, shape).write_bytes(zfpy.compress_numpy(values, **arguments))
    cases.assert_same(tool.get(store), expected)

# SPDX-License-Identifier: MIT
"""Arrays that every implementation has to agree on: data types with their awkward values, and chains of codecs."""

import json

import numpy as np

SHAPE, CHUNK = (7, 10), (4, 6)


def _values(dtype):
    """Elements that are easily damaged: extremes, signed zeros, infinities, NaN, and ordinary numbers between them."""
    kind = np.dtype(dtype).kind
    size = SHAPE[0] * SHAPE[1]
    if kind == "b":
        return np.resize([True, False, False], size).astype(dtype)
    if kind in "iu":
        info = np.iinfo(dtype)
        special = np.array([info.min, info.max, 0, 1, info.max // 3], dtype=dtype)
    else:
        info = np.finfo(dtype)
        special = np.array([info.min, info.max, 0.0, -0.0, np.inf, -np.inf, np.nan, info.tiny, 1.5], dtype=dtype)
    values = np.arange(size).astype(dtype)
    values[: special.size] = special
    if kind == "c":
        values.imag = values.real[::-1]
    return values


def values(dtype):
    return _values(dtype).reshape(SHAPE)


DTYPES = ["bool"] + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]

# A fill value of each data type, as it stands in metadata, that is not zero.
FILL_VALUES = {"bool": True, "complex64": [1.5, "NaN"], "complex128": ["Infinity", -2.0]}
FILL_VALUES |= {name: "-Infinity" for name in ("float16", "float32")} | {"float64": "NaN"}


def fill_value(dtype):
    return FILL_VALUES.get(dtype, 7)


def bytes_codec(endian="little"):
    return {"name": "bytes", "configuration": {"endian": endian}}


GZIP = {"name": "gzip", "configuration": {"level": 5}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": True}}
CRC32C = {"name": "crc32c"}
TRANSPOSE = {"name": "transpose", "configuration": {"order": [1, 0]}}


def blosc(cname, shuffle, typesize):
    configuration = {"cname": cname, "clevel": 5, "shuffle": shuffle, "typesize": typesize, "blocksize": 0}
    return {"name": "blosc", "configuration": configuration}


def sharding(where, inner):
    configuration = {
        "chunk_shape": [2, 3],
        "codecs": inner,
        "index_codecs": [bytes_codec(), CRC32C],
        "index_location": where,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


def numcodecs(name, **configuration):
    return {"name": f"numcodecs.{name}", "configuration": configuration}


# Name -> codecs of an int32 array.
CHAINS = {
    "bytes": [bytes_codec()],
    "bytes_big": [bytes_codec("big")],
    "gzip": [bytes_codec(), GZIP],
    "zstd": [bytes_codec(), ZSTD],
    "blosc_lz4": [bytes_codec(), blosc("lz4", "shuffle", 4)],
    "blosc_zstd_bit": [bytes_codec(), blosc("zstd", "bitshuffle", 4)],
    "crc32c": [bytes_codec(), CRC32C],
    "zstd_crc32c": [bytes_codec("big"), ZSTD, CRC32C],
    "transpose": [TRANSPOSE, bytes_codec()],
    "transpose_gzip": [TRANSPOSE, bytes_codec(), GZIP],
    "sharding_end": [sharding("end", [bytes_codec()])],
    "sharding_start": [sharding("start", [bytes_codec(), ZSTD])],
    "sharding_transposed": [sharding("end", [TRANSPOSE, bytes_codec(), GZIP, CRC32C])],
}

# The same, of codecs that only zarr-python has.
NUMCODECS_CHAINS = {
    "zlib": [bytes_codec(), numcodecs("zlib", level=1)],
    "gzip": [bytes_codec(), numcodecs("gzip", level=9)],
    "zstd": [bytes_codec(), numcodecs("zstd", level=1)],
    "blosc": [bytes_codec(), numcodecs("blosc", cname="lz4", clevel=5, shuffle=1, blocksize=0)],
    "lz4": [bytes_codec(), numcodecs("lz4", acceleration=1)],
    "bz2": [bytes_codec(), numcodecs("bz2", level=1)],
    "lzma": [bytes_codec(), numcodecs("lzma", preset=1)],
    "shuffle": [bytes_codec(), numcodecs("shuffle", elementsize=4), numcodecs("zlib", level=1)],
    "adler32": [bytes_codec(), numcodecs("adler32")],
    "crc32": [bytes_codec(), numcodecs("crc32", location="end")],
    "crc32c": [bytes_codec(), numcodecs("crc32c")],
    "fletcher32": [bytes_codec(), numcodecs("fletcher32")],
    "jenkins_lookup3": [bytes_codec(), numcodecs("jenkins_lookup3", initval=5)],
    "delta": [numcodecs("delta", dtype="<i4"), bytes_codec()],
    "delta_wider": [numcodecs("delta", dtype="<i4", astype="<i8"), bytes_codec()],
    "astype": [numcodecs("astype", encode_dtype="<f8", decode_dtype="<i4"), bytes_codec()],
    "fixedscaleoffset": [
        numcodecs("fixedscaleoffset", offset=0, scale=2.0, dtype="<i4", astype="<i8"),
        bytes_codec(),
    ],
}


def metadata(dtype, codecs, fill=0, dimension_names=None, attributes=None):
    """A complete zarr.json."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(SHAPE),
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(CHUNK)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": codecs,
        "attributes": attributes or {},
    }
    if dimension_names is not None:
        document["dimension_names"] = dimension_names
    return document


def write_metadata(store, document):
    store.mkdir(parents=True)
    (store / "zarr.json").write_text(json.dumps(document))


def assert_same(got, expected):
    """Equal shapes, types and bits; NaNs too."""
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_array_equal(
        np.ascontiguousarray(got).view(np.uint8), np.ascontiguousarray(expected).view(np.uint8)
    )

# SPDX-License-Identifier: MIT
"""Chains of codecs as JSON, for grow.c."""

import json

_LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def _chain(name, **configuration):
    return json.dumps([_LITTLE, {"name": name, "configuration": configuration}])


BYTES = json.dumps([_LITTLE])
ZSTD = _chain("zstd", level=0, checksum=False)  # what zarr-python takes by default
GZIP = _chain("gzip", level=5)
BLOSC_LZ4 = _chain("blosc", cname="lz4", clevel=5, shuffle="shuffle", typesize=2, blocksize=0)
BLOSC_ZSTD = _chain("blosc", cname="zstd", clevel=5, shuffle="shuffle", typesize=2, blocksize=0)

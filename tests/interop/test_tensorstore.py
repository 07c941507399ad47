# SPDX-License-Identifier: MIT
"""Arrays written by the tool are read by TensorStore, and the other way round."""

import cases
import pytest

tensorstore = pytest.importorskip("tensorstore")


def open_array(store):
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{store}/"}}
    return tensorstore.open(spec, open=True).result()


CHAINS = [pytest.param(codecs, id=name) for name, codecs in cases.CHAINS.items()]


@pytest.mark.parametrize("codecs", CHAINS)
def test_tensorstore_reads_ours(tool, tmp_path, codecs):
    store, values = tmp_path / "a.zarr", cases.values("int32")
    tool.create(store, cases.metadata("int32", codecs))
    tool.put(store, values)
    cases.assert_same(open_array(store).read().result(), values)


@pytest.mark.parametrize("codecs", CHAINS)
def test_we_read_tensorstore(tool, tmp_path, codecs):
    store, values = tmp_path / "a.zarr", cases.values("int32")
    cases.write_metadata(store, cases.metadata("int32", codecs))
    open_array(store).write(values).result()
    cases.assert_same(tool.get(store), values)

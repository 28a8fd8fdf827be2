# SPDX-License-Identifier: Apache-2.0
"""``mxnova inspect`` of files in stores."""

from __future__ import annotations

from pathlib import Path

import pytest

import mxnova as mx
from mxnova.cli.inspect import describe, files_of
from mxnova.core.base.errors import FileError
from mxnova.recordio import MXIndexedRecordIO


def described(url):
    """As the command line has it: pathlib takes one slash."""
    found = files_of(Path(url), None)
    return [describe(path, stats=True, nodes=False) for path in found]


@pytest.fixture
def store(memory):
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((1, 3)))
    net.export(f"{memory}/net")
    mx.checkpoint.save(f"{memory}/run", 4, net, random=False, wait=True)
    with MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "w") as file:
        file.write_idx(0, b"record")
    return memory


def test_files_prefixes_and_folders(store):
    (arrays,) = described(f"{store}/net-0000.params")
    assert (arrays.file, arrays.headline) == (f"{store}/net-0000.params", "2 arrays")
    assert len(described(f"{store}/net")) == 2
    (records,) = described(f"{store}/a.rec")
    assert records.headline == "1 records"
    (checkpoint,) = described(f"{store}/run")
    assert checkpoint.facts["step"] == 4


def test_a_server(store, serve, tmp_path):
    mx.nd.save(str(tmp_path / "a.params"), [mx.nd.ones((2,))])
    (arrays,) = described(f"{serve().url}/a.params?key=secret")
    assert len(arrays.facts["arrays"]) == 1


def test_nothing_there(store):
    with pytest.raises(FileError, match=f"{store}/none.params: there is no such file"):
        described(f"{store}/none.params")

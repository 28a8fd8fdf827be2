# SPDX-License-Identifier: Apache-2.0
"""Model artefacts in stores."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

import mxnova as mx
from mxnova.formats.atomic import replacing
from mxnova.formats.source import read_file


@pytest.fixture
def model(memory):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(3, in_units=4))
    net.initialize(mx.init.One())
    net.hybridize()
    net(mx.nd.ones((1, 4)))
    for epoch in (0, 7):
        net.export(f"{memory}/net", epoch)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("net-symbol.json", "net-0007.params"):
            archive.writestr(name, read_file(f"{memory}/{name}"))
    with replacing(f"{memory}/packed/net.zip") as file:
        file.write(packed.getvalue())
    return memory


@pytest.mark.parametrize("path", ["net", "", "packed/net.zip"])
def test_opened_models(model, path):
    predictor = mx.open_model(f"{model}/{path}".rstrip("/")).predictor({"data": (1, 4)})
    predictor.forward(data=np.ones((1, 4), np.float32))
    np.testing.assert_array_equal(predictor.get_output(0), [[4, 4, 4]])


def test_an_archive_of_a_server(model, serve, tmp_path):
    (tmp_path / "net.zip").write_bytes(read_file(f"{model}/packed/net.zip"))
    opened = mx.open_model(f"{serve().url}/net.zip")
    assert opened.predictor({"data": (1, 4)}) is not None


def test_nothing_there(model, serve):
    with pytest.raises(mx.MXNetError, match="there is no such file, and none that begins so"):
        mx.open_model(f"{model}/other")
    with pytest.raises(mx.MXNetError, match="HTTP has no folders"):
        mx.open_model(f"{serve().url}/net")

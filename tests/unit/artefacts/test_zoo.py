# SPDX-License-Identifier: Apache-2.0
"""Parameters alone are those of the network of Gluon's zoo that their file is named after."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx

from . import made

NAME = "squeezenet1.1"


@pytest.fixture(scope="module")
def net():
    network = mx.gluon.model_zoo.vision.get_model(NAME, classes=4)
    network.initialize(mx.init.Xavier())
    network(mx.nd.zeros((1, 3, 224, 224)))
    return network


@pytest.mark.parametrize("are_old", [False, True])
def test_a_zip_of_the_zoo(net, tmp_path, are_old):
    path = tmp_path / f"{NAME}-33ba0f93.params"
    if are_old:
        net.collect_params().save(str(path), strip_prefix=net.prefix)
    else:
        net.save_parameters(str(path))
    archive = tmp_path / f"{NAME}-33ba0f93.zip"
    archive.write_bytes(made.zipped({path.name: path.read_bytes()}))
    values = np.random.default_rng(0).random((2, 3, 224, 224), np.float32)
    wanted = net(mx.nd.array(values)).asnumpy()
    for source in (archive, path):
        opened = mx.open_model(source)
        (found,) = opened.predictor({"data": values.shape}).predict(data=values)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
        assert opened.layout == f"parameters of {NAME} of Gluon's zoo"
        assert opened.input_shapes == {"data": ("N", 3, 224, 224)}
        assert opened.preprocessing.size == (224, 224)
    paths = opened.save(tmp_path / "out", "net")
    assert len(paths) == 4
    assert mx.open_model(tmp_path / "out").symbol.list_outputs() == opened.symbol.list_outputs()


def test_other_parameters_under_its_name(tmp_path):
    path = tmp_path / f"{NAME}-33ba0f93.params"
    path.write_bytes(made.arrays(**{"features.0.weight": np.ones((64, 3, 3, 3)), "x": np.ones(4)}))
    with pytest.raises(mx.MXNetError, match=f"no parameters of Gluon's {NAME}: .* has no match"):
        mx.open_model(path).predictor()


def test_a_shape_that_is_not_its(net, tmp_path):
    path = tmp_path / f"{NAME}.params"
    arrays = {name: p.data().asnumpy() for name, p in net._collect_params_with_prefix().items()}
    arrays["features.0.weight"] = np.ones((64, 3, 5, 5))
    path.write_bytes(made.arrays(**arrays))
    with pytest.raises(mx.MXNetError, match="has shape .64, 3, 5, 5., expected .64, 3, 3, 3."):
        mx.open_model(path).predictor()


def test_a_name_that_the_zoo_does_not_know(tmp_path):
    path = tmp_path / "ssd_512_resnet50_v1_voc-9c8b225a.params"
    path.write_bytes(made.arrays(**{"a.weight": np.ones(2)}))
    opened = mx.open_model(path)
    assert opened.symbol is None
    assert "no network 'ssd_512_resnet50_v1_voc'" in opened.notes[-1]

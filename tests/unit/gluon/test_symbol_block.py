# SPDX-License-Identifier: Apache-2.0
"""SymbolBlock beyond what programs recorded with MXNet show (tests/conformance)."""

import copy
import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.gluon import nn


def dense_block():
    x = mx.sym.var("data")
    block = gluon.SymbolBlock(mx.sym.FullyConnected(x, num_hidden=2, name="fc"), x)
    block.initialize("ones")
    return block


def test_it_learns_and_follows_changes():
    block = dense_block()
    x = nd.ones((1, 3))
    with autograd.record():
        y = block(x).sum()
    y.backward()
    assert block.params["fc_weight"].grad().asnumpy().tolist() == [[1] * 3] * 2
    block.params["fc_bias"].set_data(nd.ones((2,)))
    assert block(x).asnumpy().tolist() == [[4, 4]]
    block.reset_ctx(mx.cpu(1))
    assert block(x.as_in_context(mx.cpu(1))).context == mx.cpu(1)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_keep_the_graph(copied):
    block = dense_block()
    x = nd.ones((1, 3))
    wanted = block(x).asnumpy()
    other = copied(block)
    block.params["fc_weight"].set_data(nd.zeros((2, 3)))
    assert (other(x).asnumpy() == wanted).all()


def test_nested_inputs():
    a, b = mx.sym.var("a"), mx.sym.var("b")
    block = gluon.SymbolBlock([a + b, [a * b]], [a, [b]])
    x = nd.array([3])
    total, (product,) = block(x, [x * 2])
    assert (total.asscalar(), product.asscalar()) == (9, 18)
    with pytest.raises(ValueError, match="structure"):
        block(x, x)


def test_composed_with_symbols():
    block = dense_block()
    out = block(mx.sym.var("other") * 2)
    assert out.list_arguments() == ["other", "fc_weight", "fc_bias"]
    with pytest.raises(AssertionError, match="structure"):
        block(mx.sym.var("x"), mx.sym.var("y"))


def test_unused_inputs():
    x, y = mx.sym.var("x"), mx.sym.var("y")
    block = gluon.SymbolBlock(x * 2, [x, y])
    with pytest.warns(UserWarning, match="input 1"):
        assert block(nd.ones((1,)), nd.ones((2,))).asscalar() == 2
    assert block(mx.sym.var("a"), mx.sym.var("b")).list_arguments() == ["a"]


def test_a_checkpoint_of_another_front_end(tmp_path):
    prefix = str(tmp_path / "x")
    symbol = mx.sym.BatchNorm(mx.sym.var("data"), name="bn", fix_gamma=False)
    arrays = {n: nd.ones((2,)) for n in ("bn_gamma", "bn_beta")}
    states = {"bn_moving_mean": nd.zeros((2,)), "bn_moving_var": nd.ones((2,))}
    mx.model.save_checkpoint(prefix, 3, symbol, arrays, states)
    block = gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0003.params")
    assert block(nd.zeros((1, 2))).asnumpy().tolist() == [[1, 1]]
    assert [p.grad_req for p in block.params.values()] == ["write", "write", "null", "null"]


def test_exported_again(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(2), nn.BatchNorm())
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 3))
    wanted = net(x).asnumpy()
    path = str(tmp_path / "x")
    net.export(path)
    first = gluon.SymbolBlock.imports(f"{path}-symbol.json", "data", f"{path}-0000.params")
    first.export(f"{path}y", epoch=2)
    again = gluon.SymbolBlock.imports(f"{path}y-symbol.json", "data", f"{path}y-0002.params")
    assert (again(x).asnumpy() == wanted).all()
    assert (tmp_path / "xy-0002.params").read_bytes() == (tmp_path / "x-0000.params").read_bytes()


def test_missing_parameters_of_an_exported_graph_are_named(tmp_path):
    path = str(tmp_path / "x")
    net = nn.Dense(2, in_units=1, prefix="d_")
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 1)))
    net.export(path)
    nd.save(f"{path}-0000.params", {"arg:d_weight": nd.ones((2, 1))})
    with pytest.raises(AssertionError, match="d_bias"):
        gluon.SymbolBlock.imports(f"{path}-symbol.json", "data", f"{path}-0000.params")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_statistics_stay_float32_beside_short_floats(dtype):
    x = mx.sym.var("x")
    y = mx.sym.Convolution(x, num_filter=2, kernel=(1, 1), name="conv")
    block = gluon.SymbolBlock(mx.sym.BatchNorm(y, gamma=mx.sym.var("scale"), name="norm"), x)
    block.initialize()
    block.cast(dtype)
    low = {n for n, p in block.collect_params().items() if p.dtype == dtype}
    assert low == {"conv_weight", "conv_bias"}
    images = mx.nd.ones((1, 3, 2, 2), dtype=dtype)
    assert block(images).dtype == images.dtype


def test_a_cast_to_no_type_changes_nothing():
    block = gluon.SymbolBlock(mx.sym.var("x") * mx.sym.var("scale"), mx.sym.var("x"))
    with pytest.raises(TypeError, match="float15"):
        block.cast("float15")
    assert np.dtype(block.collect_params()["scale"].dtype) == np.float32

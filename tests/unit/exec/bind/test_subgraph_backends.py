# SPDX-License-Identifier: Apache-2.0
"""Backends that take nodes into subgraphs: by name, by options, when bound; what they refuse."""

from __future__ import annotations

import ctypes
import json
import logging

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import _LIB, MXNetError, SymbolHandle, c_str, c_str_array, check_call
from mxnova.core.exec.bind import subgraph_backends

X, Y = mx.sym.var("x"), mx.sym.var("y")


def network():
    grown = mx.sym.exp(X, name="e")
    both = mx.sym.cos(grown, name="c") + mx.sym.sin(grown, name="s")
    return mx.sym.Dropout(mx.sym.BatchNorm(both, name="n", fix_gamma=False), name="d")


OPERATORS = ["exp", "sin", "elemwise_add", "BatchNorm", "Dropout"]


@pytest.fixture
def by_names():
    names = c_str_array(OPERATORS)
    check_call(_LIB.MXSetSubgraphPropertyOpNamesV2(c_str("default"), len(OPERATORS), names))
    yield
    check_call(_LIB.MXRemoveSubgraphPropertyOpNamesV2(c_str("default")))


def parts(symbol):
    return [n.name for n in symbol.nodes if n.subgraphs]


def trained(symbol):
    """Outputs, gradients and states after two steps, then outputs outside training."""
    mx.random.seed(3)
    executor = symbol.simple_bind(mx.cpu(), x=(4, 5))
    executor.arg_dict["x"][:] = mx.nd.arange(20).reshape((4, 5)) / 20
    executor.arg_dict["n_gamma"][:] = 1.5
    executor.aux_dict["n_moving_var"][:] = 1
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones((4, 5)))
    found = [executor.outputs[0].asnumpy()]
    found += [a.asnumpy() for a in (*executor.grad_arrays, *executor.aux_arrays)]
    return [*found, executor.forward()[0].asnumpy()]


def same(some, others):
    for one, other in zip(some, others, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("backend", ["default", "default_v2"])
def test_a_partitioned_symbol_trains_like_the_whole(backend):
    subgraph_backends.set_operators(backend, OPERATORS)
    whole = network()
    found = whole.optimize_for(backend)
    assert parts(found) == ["_CachedOp0", "_CachedOp1"]
    assert found.list_outputs() == ["_CachedOp1_d_output"]
    assert found.list_auxiliary_states() == ["n_moving_mean", "n_moving_var"]
    assert found.tojson() == whole.get_backend_symbol(backend).tojson()
    expected = trained(whole)
    same(trained(found), expected)
    same(trained(mx.sym.load_json(found.tojson())), expected)
    subgraph_backends.remove_operators(backend)
    with pytest.raises(MXNetError, match="none were named"):
        network().optimize_for(backend)


@pytest.mark.parametrize("args", [{}, {"w": mx.nd.ones((7, 3))}], ids=["none", "weights"])
def test_types_that_nothing_decides_are_no_error(args):
    rows = mx.sym.Embedding(mx.sym.var("x"), mx.sym.var("w"), input_dim=7, output_dim=3)
    found = rows.optimize_for("aten", args)
    assert found.list_arguments() == ["x", "w"]
    with pytest.raises(MXNetError, match="Embedding: data: its type must be given"):
        rows.infer_type()


def test_what_is_bound_is_partitioned_where_the_environment_says_so(by_names, monkeypatch):
    expected = trained(network())
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "default")
    same(trained(network()), expected)
    executor = network().simple_bind(mx.cpu(), x=(4, 5))
    assert parts(executor.get_optimized_symbol()) == ["_CachedOp0", "_CachedOp1"]
    assert list(executor.output_dict) == ["d_output"]
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "NONE")
    assert not parts(network().simple_bind(mx.cpu(), x=(4, 5)).get_optimized_symbol())
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "nothing")
    with pytest.raises(MXNetError, match="'nothing' is not registered"):
        network().simple_bind(mx.cpu(), x=(4, 5))


def test_inputs_keep_their_order_when_a_subgraph_reads_them_in_another(monkeypatch):
    """Inside, a is read before c, which the graph reads before b."""
    a, b, c, d = (mx.sym.var(n) for n in "abcd")
    first = mx.sym.exp(a)
    whole = (mx.sym.cos(d) * first) - (mx.sym.sin(c) * (first + b))
    given = {n: mx.nd.array([i + 0.5]) for i, n in enumerate("abcd")}
    expected = whole.bind(mx.cpu(), given).forward()[0].asscalar()
    subgraph_backends.register("exps", lambda s, o: lambda n: n.op.name in ("exp", "elemwise_add"))
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "exps")
    executor = whole.bind(mx.cpu(), given)
    assert parts(executor.get_optimized_symbol()) == ["_CachedOp0"]
    assert executor.forward()[0].asscalar() == pytest.approx(expected)


def test_sparse_nodes_stay_whole_when_bound(monkeypatch):
    product = mx.sym.dot(mx.sym.var("s", stype="csr"), X)
    subgraph_backends.register("dots", lambda s, o: lambda n: True)
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "dots")
    executor = mx.sym.exp(product).simple_bind(mx.cpu(), s=(2, 3), x=(3, 2), grad_req="null")
    (part,) = [n for n in executor.get_optimized_symbol().nodes if n.subgraphs]
    assert [n.op.name for n in part.subgraphs[0].nodes if n.op] == ["exp"]
    assert executor.forward()[0].asnumpy().tolist() == [[1, 1], [1, 1]]


def test_options_reach_the_backend():
    seen = {}

    def choose(symbol, options):
        seen.update(options)
        return lambda node: node.op.name == options["operator"]

    subgraph_backends.register("named", choose)
    found = (X + X).optimize_for("named", operator="elemwise_add", dedup_subgraph=True)
    assert seen == {"operator": "elemwise_add"}
    assert len(found.entries[0].node.inputs) == 1
    assert found.eval(x=mx.nd.ones((1,)))[0].asscalar() == 2


def test_shapes_flow_both_ways_through_a_subgraph():
    weight = mx.sym.var("w", shape=(1, 0, 2, 2))
    subgraph_backends.register("sines", lambda s, o: lambda n: n.op.name == "sin")
    network = mx.sym.Convolution(X, mx.sym.sin(weight), kernel=(2, 2), num_filter=1, no_bias=True)
    found = network.optimize_for("sines")
    assert found.infer_shape(x=(3, 3, 10, 10))[0] == [(3, 3, 10, 10), (1, 3, 2, 2)]


def test_unknown_backends(caplog):
    whole = X + 1
    with caplog.at_level(logging.ERROR, logger="mxnova"):
        assert whole.optimize_for("defalt").tojson() == whole.tojson()
    assert "no subgraph backend 'defalt'" in caplog.text
    assert whole.optimize_for("MKLDNN").tojson() == whole.tojson()
    with pytest.raises(MXNetError, match="'defalt' is not registered"):
        X.get_backend_symbol("defalt")


def test_what_does_not_fit_is_refused():
    total = X + Y
    with pytest.raises(MXNetError, match=r"rhs 'y' has shape"):
        total.optimize_for("MKLDNN", {"x": mx.nd.ones((2,)), "y": mx.nd.ones((3,))})
    total.optimize_for("MKLDNN", {"x": mx.nd.ones((2,)), "y": mx.nd.ones((3,))}, skip_infer=True)
    with pytest.raises(MXNetError, match="shape_dict has 'z', which is no input"):
        total.optimize_for("MKLDNN", shape_dict={"z": (2,)})
    with pytest.raises(MXNetError, match="ctx='cpu' is no Context"):
        total.optimize_for("MKLDNN", ctx="cpu")


def test_functions_of_the_library(by_names):
    out = SymbolHandle()
    names = c_str_array(["exp"])
    whole = network()
    code = _LIB.MXBuildSubgraphByOpNames(
        whole.handle, c_str("default"), ctypes.c_uint(1), names, ctypes.byref(out)
    )
    check_call(code)
    found = mx.sym.Symbol(out)
    assert [n["name"] for n in json.loads(found.tojson())["nodes"] if "subgraphs" in n] == [
        "_CachedOp0"
    ]
    for call in (
        lambda: _LIB.MXSetSubgraphPropertyOpNamesV2(c_str("none"), 1, names),
        lambda: _LIB.MXRemoveSubgraphPropertyOpNamesV2(c_str("none")),
        lambda: _LIB.MXBuildSubgraphByOpNames(
            whole.handle, c_str("none"), 1, names, ctypes.byref(out)
        ),
    ):
        with pytest.raises(MXNetError, match="'none' is not registered"):
            check_call(call())
    check_call(_LIB.MXSetSubgraphPropertyOpNames(c_str("none"), 1, names))
    check_call(_LIB.MXRemoveSubgraphPropertyOpNames(c_str("none")))

# SPDX-License-Identifier: Apache-2.0
"""HybridBlock beyond what programs recorded with MXNet show (tests/conformance)."""

import threading

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.c_library import LIBRARY
from mxnova.gluon import nn


def block_of(run, **params):
    class Made(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="made_")
            for name, kwargs in params.items():
                setattr(self, name, self.params.get(name, **kwargs))

        def hybrid_forward(self, F, x, *args, **kwargs):
            return run(F, x, *args, **kwargs)

    made = Made()
    made.initialize("ones")
    return made


def both(block, *inputs):
    eager = block(*inputs)
    block.hybridize()
    return eager, block(*inputs), block(*inputs)


def test_inference_that_fails_names_block_and_reason():
    block = block_of(lambda F, x, w: F.dot(x, F.reshape(w, (-1,))), w={
        "shape": (0, 0), "allow_deferred_init": True})  # fmt: skip
    with pytest.raises(ValueError, match="Made 'made'.*made_w"):
        block(nd.ones((1, 3)))


def test_none_among_outputs():
    for out in both(block_of(lambda F, x: (x, None, [x * 2, None])), nd.ones((1,))):
        assert [out[0].asscalar(), out[1], out[2][0].asscalar(), out[2][1]] == [1, None, 2, None]


def test_outputs_of_equal_symbols_are_arrays_of_their_own():
    block = block_of(lambda F, x: (x, x))
    block.hybridize()
    x = nd.ones((2,))
    a, b = block(x)
    a[:] = 5
    assert (b.asnumpy().tolist(), x.asnumpy().tolist()) == ([1, 1], [1, 1])


def test_graph_without_inputs():
    block = block_of(lambda F, x: F.ones((2,)))
    block.hybridize()
    with pytest.warns(UserWarning, match="input 0"):
        assert block(nd.zeros((3,))).asnumpy().tolist() == [1, 1]


def test_bound_parameters_follow_every_change():
    net = nn.Dense(1, in_units=1, use_bias=False)
    net.initialize("ones")
    net.hybridize()
    x = nd.ones((1, 1))
    changes = [
        (lambda: net.weight.set_data(nd.ones((1, 1)) * 2), 2),
        (lambda: net.weight._data.__setitem__(0, net.weight.data()), 2),
        (lambda: net.weight.data().__setitem__(slice(None), 3), 3),
        (lambda: net.weight.initialize(mx.init.Constant(4), force_reinit=True), 4),
        (lambda: net.weight._load_init(nd.ones((1, 1)) * 5, None), 5),
        (lambda: setattr(net.weight, "grad_req", "null"), 5),
        (lambda: setattr(net.weight, "_data", [nd.ones((1, 1)) * 6]), 6),
        (lambda: net.weight.reset_ctx([mx.cpu(1), mx.cpu(0)]), 6),
    ]
    assert net(x).asscalar() == 1
    for change, wanted in changes:
        change()
        assert [net(x).asscalar() for _ in range(2)] == [wanted] * 2


@pytest.mark.parametrize(
    "before, method, arguments",  # `before` is uncounted, and leaves these of old and new array
    [
        ("old new", "__delitem__", lambda old, new: (0,)),
        ("old new", "pop", lambda old, new: (0,)),
        ("old new", "remove", lambda old, new: (old,)),
        ("old new", "reverse", lambda old, new: ()),
        ("new new", "__imul__", lambda old, new: (1,)),
        ("old", "__setitem__", lambda old, new: (slice(None), [new])),
        ("old", "insert", lambda old, new: (0, new)),
        ("", "append", lambda old, new: (new,)),
        ("", "extend", lambda old, new: ([new],)),
        ("", "__iadd__", lambda old, new: ([new],)),
    ],
)
def test_arrays_put_into_a_parameters_list_are_seen(before, method, arguments):
    net = nn.Dense(1, in_units=1, use_bias=False)
    net.initialize("ones")
    net.hybridize()
    x = nd.ones((1, 1))
    assert net(x).asscalar() == 1
    arrays = net.weight._data
    named = {"old": arrays[0], "new": nd.ones((1, 1)) * 7}
    list.__setitem__(arrays, slice(None), [named[word] for word in before.split()])
    getattr(arrays, method)(*arguments(*named.values()))
    assert net(x).asscalar() == 7


def test_computed_parameters_are_asked_every_time():
    class Halved(gluon.Parameter):
        calls = 0

        def data(self, ctx=None):
            Halved.calls += 1
            return super().data(ctx) / 2

    net = nn.Dense(1, in_units=1, use_bias=False)
    net._reg_params["weight"] = net.params._params[net.weight.name] = Halved(
        net.weight.name, shape=(1, 1), init="ones"
    )
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 1))
    assert [net(x).asscalar() for _ in range(3)] == [0.5] * 3
    assert Halved.calls >= 3


def test_one_graph_for_every_context_and_shape():
    net = nn.Dense(1, in_units=2)
    net.initialize("ones", ctx=[mx.cpu(0), mx.cpu(1)])
    net.hybridize()
    graph = None
    for context in (mx.cpu(1), mx.cpu(0), mx.Context("cpu", 1)):
        for n in (1, 3):
            y = net(nd.ones((n, 2), ctx=context))
            assert (y.shape, y.context) == ((n, 1), context)
            graph = graph or net._cached_op
            assert net._cached_op is graph


def test_subclasses_of_arrays_and_views():
    net = nn.Dense(1, in_units=2)
    net.initialize("ones")
    net.hybridize()
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    assert net(x[1:]).asnumpy().tolist() == [[7], [11]]
    assert net(x[1:]).asnumpy().tolist() == [[7], [11]]


def test_sparse_inputs():
    block = block_of(lambda F, x, w: F.dot(x, w), w={"shape": (3, 1)})
    x = nd.array([[1, 0, 2], [0, 0, 3]])
    for out in both(block, x.tostype("csr")):
        assert out.asnumpy().tolist() == [[3], [3]]


def test_modes_of_training():
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5), nn.BatchNorm())
    net.initialize()
    net.hybridize()
    x = nd.ones((50, 4))
    assert (net(x).asnumpy() == net(x).asnumpy()).all()
    with autograd.train_mode():
        assert len(np.unique(net(x).asnumpy())) > 1
    with autograd.record(train_mode=False):
        y = net(x)
    assert len(np.unique(y.asnumpy())) == 1


def test_statistics_are_updated_in_training_only():
    net = nn.BatchNorm(momentum=0)
    net.initialize()
    net.hybridize()
    x = nd.array([[1.0], [3.0]])
    net(x)
    assert net.running_mean.data().asscalar() == 0
    with autograd.record():
        y = net(x)
    y.backward()
    assert net.running_mean.data().asscalar() == 2
    assert net(x).asnumpy().ravel().tolist() == pytest.approx([-1, 1], abs=1e-4)


def test_many_threads_draw_one_graph():
    net = nn.HybridSequential()
    net.add(nn.Dense(8), nn.BatchNorm(), nn.Dense(1))
    net.initialize("ones")
    net.hybridize()
    x = nd.ones((2, 4))
    start, found = threading.Barrier(8), []

    def run():
        start.wait()
        found.extend(net(x).asnumpy().tolist() for _ in range(20))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160
    assert all(f == found[0] for f in found)


def test_threads_initialize_once():
    for _ in range(10):
        net = nn.Dense(1)
        net.initialize(mx.init.Uniform(1))
        x = nd.ones((1, 4))
        start, found = threading.Barrier(4), []

        def run(net=net, x=x, start=start, found=found):
            start.wait()
            net(x)
            found.append(net.weight.data())

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(f is found[0] for f in found)


@pytest.mark.parametrize("way", ["hybridize", "optimize_for"])
def test_backends_partition_the_graph(way):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    net.initialize()
    x = nd.ones((1, 4))
    wanted = net(x).asnumpy()
    LIBRARY.MXSetSubgraphPropertyOpNamesV2(*_names("default_v2", ["FullyConnected"]))
    try:
        if way == "hybridize":
            net.hybridize(backend="default_v2")
        else:
            net.optimize_for(x, backend="default_v2", static_alloc=True)
            assert net._cached_op is not None
        assert (net(x).asnumpy() == wanted).all()
    finally:
        LIBRARY.MXRemoveSubgraphPropertyOpNamesV2(_names("default_v2", [])[0])
    names = [n.op.name for n in net._cached_graph[1].nodes if n.op is not None]
    assert names == ["_CachedOp", "Activation", "_CachedOp"]


def _names(backend, ops):
    from mxnova.base import c_str, c_str_array, mx_uint

    return c_str(backend), mx_uint(len(ops)), c_str_array(ops)


def test_partitioned_graphs_wait_for_shapes():
    net = nn.HybridSequential()
    net.add(nn.Dense(3))
    net.initialize("ones")
    LIBRARY.MXSetSubgraphPropertyOpNamesV2(*_names("default", ["FullyConnected"]))
    try:
        net.optimize_for(nd.ones((1, 4)), backend="default")
    finally:
        LIBRARY.MXRemoveSubgraphPropertyOpNamesV2(_names("default", [])[0])
    assert net(nd.ones((1, 4))).asnumpy().tolist() == [[4, 4, 4]]


def test_hybridize_takes_back():
    net = nn.Dense(1)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2)))
    net.hybridize(False)
    assert net._cached_op is None
    seen = []
    net.hybrid_forward = lambda F, x, **kwargs: seen.append(F) or x
    net(nd.ones((1, 2)))
    assert seen == [mx.nd]


def test_operator_hooks_set_after_the_first_call():
    net = nn.Dense(1)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2)))
    seen = []
    net.register_op_hook(lambda name, op, array: seen.append((op, array.shape)))
    net(nd.ones((3, 2)))
    assert seen == [("FullyConnected", (3, 1))]


def test_cast_after_a_graph_was_drawn(tmp_path):
    net = nn.Dense(1, in_units=2)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2)))
    net.cast("float16")
    assert net(nd.ones((1, 2), dtype="float16")).dtype == np.float16
    net.export(str(tmp_path / "x"))
    other = gluon.SymbolBlock.imports(
        str(tmp_path / "x-symbol.json"), "data", str(tmp_path / "x-0000.params")
    )
    assert other(nd.ones((1, 2), dtype="float16")).dtype == np.float16


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"static_aloc": True}, "'static_alloc' or 'static_shape'"),
        ({"activ": False}, "'active'"),
        ({"backnd": "MKLDNN"}, "'backend'"),
        ({"inline_limits": 3, "backend": "MKLDNN"}, "'inline_limit'"),
    ],
)
@pytest.mark.parametrize("kind", [gluon.nn.Dense, gluon.nn.HybridSequential, gluon.nn.Sequential])
def test_hybridize_refuses_misspelt_arguments(options, hint, kind):
    block = kind(2) if kind is gluon.nn.Dense else kind()
    if kind is gluon.nn.Sequential:
        block.add(gluon.nn.Dense(2), gluon.nn.Sequential())
    with pytest.raises(TypeError, match=f"is not an argument; did you mean {hint}"):
        block.hybridize(**options)


def test_optimize_for_refuses_misspelt_arguments():
    with pytest.raises(TypeError, match="did you mean 'static_alloc'"):
        gluon.nn.Dense(2).optimize_for(mx.nd.ones((1, 2)), backend="MKLDNN", static_aloc=True)


def test_hybridize_warns_of_options_without_effect():
    with pytest.warns(UserWarning, match="'foo' has no effect without a backend"):
        gluon.nn.Dense(2).hybridize(foo=1)

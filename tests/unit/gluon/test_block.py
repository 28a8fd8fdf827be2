# SPDX-License-Identifier: Apache-2.0
"""Blocks beyond what programs recorded with MXNet show (tests/conformance)."""

import copy
import gc
import json
import os
import pickle
import re
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.gluon import nn
from mxnova.gluon.block import HookHandle, _flatten, _regroup

STRUCTURES = [
    ("x", 0),
    (["x"], [0]),
    (["x", None, ["x", ["x", None]]], [0, -1, [0, [0, -1]]]),
    ([], []),
    ([[], None], [[], -1]),
]


@pytest.mark.parametrize(("nested", "form"), STRUCTURES)
def test_structures_of_arrays(nested, form):
    def filled(value):
        return nd.ones((1,)) if value == "x" else value and [filled(v) for v in value]

    given = filled(nested)
    flat, found = _flatten(given, "input")
    assert found == form
    regrouped, rest = _regroup(flat, found)
    assert list(rest) == []
    assert str(regrouped) == str(given)


def test_structures_of_symbols():
    two = mx.sym.split(mx.sym.var("x"), num_outputs=2)
    flat, form = _flatten([two, mx.sym.var("y")], "output")
    assert (len(flat), form) == (2, [2, 0])
    assert _regroup("abc", form)[0] == ["ab", "c"]


def test_what_cannot_be_traced_is_named():
    with pytest.raises(ValueError, match="input=3: int"):
        _flatten([3], "input")


def test_scopes_are_left_after_errors():
    block = gluon.Block(prefix="b_")
    with pytest.raises(KeyError), block.name_scope():
        raise KeyError
    assert nn.Dense(1, prefix="d_").prefix == "d_"
    with block.name_scope(), block.name_scope():
        assert nn.Dense(1).prefix == "b_dense0_"


def test_threads_have_scopes_of_their_own():
    found = []
    with gluon.Block(prefix="b_").name_scope():
        thread = threading.Thread(target=lambda: found.append(nn.Dense(1, prefix="d_").prefix))
        thread.start()
        thread.join()
    assert found == ["d_"]


def test_attribute_that_was_none_becomes_a_child():
    block = gluon.Block()
    block.child = None
    block.child = nn.Dense(1)
    assert list(block._children) == ["child"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
@pytest.mark.parametrize("hybridized", [False, True])
def test_copies_learn_on_their_own(copied, hybridized):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    x = nd.ones((2, 3))
    if hybridized:
        net.hybridize()
    wanted = net(x)
    other = copied(net)
    assert (other(x) == wanted).asnumpy().all()
    with autograd.record():
        y = other(x).sum()
    y.backward()
    assert other[2].bias.grad().asnumpy().tolist() == [2, 2]
    assert net[2].bias.grad().asnumpy().tolist() == [0, 0]
    other[2].bias.set_data(nd.ones((2,)))
    assert (net(x) == wanted).asnumpy().all()
    assert other[2].bias is other.collect_params()[other[2].bias.name]


class UnderMXNetsName(pickle.Unpickler):
    """Finds MXNet's classes here, as `import mxnet` does where mxnova stands for it."""

    def find_class(self, module, name):
        return super().find_class(re.sub("^mxnet", "mxnova", module), name)


def test_networks_that_mxnet_has_pickled_go_on_learning():
    with open(Path(__file__).parents[2] / "data" / "gluon" / "network.pickle", "rb") as file:
        net, inputs, outputs = UnderMXNetsName(file).load()
    np.testing.assert_allclose(net(inputs).asnumpy(), outputs.asnumpy(), rtol=1e-5)
    net.hybridize()
    np.testing.assert_allclose(net(inputs).asnumpy(), outputs.asnumpy(), rtol=1e-5)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    before = net(inputs).sum().asscalar()
    with autograd.record():
        y = net(inputs).sum()
    y.backward()
    trainer.step(1)
    assert net(inputs).sum().asscalar() < before
    with net.name_scope():
        assert nn.Dense(1).prefix == "net_dense1_"


@pytest.mark.parametrize("hybridized", [False, True])
def test_dropped_networks_free_their_memory_at_once(hybridized):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(2, 1), nn.BatchNorm())
    net.initialize()
    x = nd.ones((1, 2, 3, 3))
    net(x)
    if hybridized:
        net.hybridize()
    with autograd.record():
        y = net(x)
    y.backward()
    for _ in range(3):
        net(x)  # the graph is rewritten around its parameters
    gone = [weakref.ref(p.data()) for p in net.collect_params().values()]
    gc.disable()
    try:
        del net, y
        assert [r() for r in gone] == [None] * len(gone)
    finally:
        gc.enable()


def test_handles_of_hooks():
    handle = HookHandle()
    block = nn.Dense(1)
    handle.attach(block._forward_hooks, print)
    with pytest.raises(AssertionError, match="already"):
        handle.attach(block._forward_hooks, print)
    handle.detach()
    assert not block._forward_hooks
    HookHandle().detach()


def test_hooks_may_go_while_they_run():
    block = nn.Dense(1, in_units=1)
    block.initialize()
    seen = []
    handle = block.register_forward_hook(lambda *_: (seen.append(1), handle.detach()))
    for _ in range(2):
        block(nd.ones((1, 1)))
    assert seen == [1]


def test_loading_says_what_is_close(tmp_path):
    path = str(tmp_path / "x.params")
    nd.save(
        path, {"0.wieght": nd.ones((1, 1)), "0.weight": nd.ones((1, 1)), "0.bias": nd.ones((1,))}
    )
    net = nn.Sequential()
    net.add(nn.Dense(1))
    with pytest.raises(ValueError, match="did you mean '0.weight'"):
        net.load_parameters(path)
    with pytest.raises(mx.MXNetError, match="No such file"):
        net.load_parameters(str(tmp_path / "y.params"))


def test_refused_file_changes_nothing(tmp_path):
    path = str(tmp_path / "x.params")
    net = nn.Dense(2, in_units=2)
    net.initialize("zeros")
    nd.save(path, {"a.weight": nd.ones((2, 2)), "a.bias": nd.ones((3,))})
    holder = gluon.Block()
    holder.a = net
    with pytest.raises(AssertionError, match="bias"):
        holder.load_parameters(path)
    assert net.weight.data().sum().asscalar() == 0


def test_params_of_old_names(tmp_path):
    net = nn.Dense(2, in_units=2)
    net.initialize("ones")
    path = str(tmp_path / "x.params")
    with pytest.warns(UserWarning, match="save_parameters"):
        net.save_params(path)
    other = nn.Dense(2, in_units=2)
    with pytest.warns(UserWarning, match="load_parameters"):
        other.load_params(path)
    assert other.weight.data().sum().asscalar() == 4


BAD_TREES = ["", "[]", "{}", '{"a": 1}', '{"a": {"orig_name": "x"}}', '{"a": 1, "b": 2}',
             '{"a": {"orig_name": "x", "children": {"b": 1}}}']  # fmt: skip


@pytest.mark.parametrize("text", BAD_TREES)
def test_broken_trees_of_blocks(tmp_path, text):
    (tmp_path / "x-model.json").write_text(text)
    with pytest.raises(mx.MXNetError, match="x-model.json"):
        nn.Dense(1).load(str(tmp_path / "x"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_trees_of_blocks_are_read_from_regular_files_only(tmp_path):
    os.mkfifo(tmp_path / "x-model.json")
    with pytest.raises(mx.MXNetError, match="is a pipe"):
        nn.Dense(1).load(str(tmp_path / "x"))


def test_trees_of_other_blocks(tmp_path):
    net = nn.Sequential()
    net.add(nn.Dense(1, in_units=1))
    net.initialize()
    net.save(str(tmp_path / "x"))
    other = nn.Sequential()
    other.add(nn.Dense(1), nn.Dense(1))
    with pytest.raises(KeyError, match="2"):
        other.load(str(tmp_path / "x"))
    tree = json.loads((tmp_path / "x-model.json").read_text())
    assert list(tree) == ["sequential0"]


def test_summary_does_not_show_containers_and_leaves_no_hooks(capsys):
    net = nn.HybridSequential()
    net.add(nn.Dense(2), nn.HybridSequential())
    net[1].add(nn.Dense(1))
    net.initialize()
    net.summary(nd.ones((1, 3)))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[3:6]] == ["Input", "Dense-1", "Dense-2"]
    assert "   Total params: 11" in lines
    assert not any(b._forward_hooks for b in (net, net[0], net[1], net[1][0]))
    with pytest.raises(AssertionError, match="NDArray"):
        net.summary("x")


def test_a_block_scope_takes_whatever_has_a_prefix():
    class Named:
        prefix = "own_"
        _empty_prefix = False

    with mx.gluon.block._BlockScope(Named()):
        assert mx.name.NameManager.current.get(None, "relu") == "own_relu0"
        assert mx.gluon.nn.Dense(1).prefix == "own_dense0_"

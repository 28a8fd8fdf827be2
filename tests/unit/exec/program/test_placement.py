# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.exec.bind.executor import _check_place
from mxnova.core.exec.program.placement import contexts_of, placed

GROUPS = {"a": mx.cpu(1), "b": mx.cpu(2)}


def chain():
    """p and q in group a, r in group b."""
    with mx.AttrScope(ctx_group="a"):
        q = mx.sym.relu(mx.sym.var("p"), name="q")
    with mx.AttrScope(ctx_group="b"):
        return mx.sym.exp(q, name="r")


def bound(context, groups=None):
    one = mx.nd.ones((2,), ctx=context)
    gradient = mx.nd.zeros((2,), ctx=context)
    return chain().bind(mx.cpu(0), {"p": one}, {"p": gradient}, group2ctx=groups or GROUPS)


def places(symbol):
    contexts = contexts_of(symbol.nodes, mx.cpu(0), GROUPS)
    return {n.name: str(contexts[n]) for n in symbol.nodes}


def test_nodes_run_where_their_group_is():
    assert places(chain()) == {"p": "cpu(1)", "q": "cpu(1)", "r": "cpu(2)"}


def test_nodes_without_a_group_follow_their_inputs_then_their_readers():
    late = mx.sym.var("late")
    symbol = mx.sym.tanh(chain(), name="t") + late
    found = places(symbol)
    assert found["t"] == found["late"] == "cpu(2)"
    alone = mx.sym.Group([symbol, mx.sym.exp(mx.sym.var("x"), name="e")])
    assert places(alone)["e"] == places(alone)["x"] == "cpu(0)"


def test_copies_stand_at_borders_once():
    with mx.AttrScope(ctx_group="a"):
        p = mx.sym.var("p")
    with mx.AttrScope(ctx_group="b"):
        symbol = mx.sym.Group([mx.sym.exp(p), mx.sym.tanh(p)])
    made = placed(symbol, contexts_of(symbol.nodes, mx.cpu(0), GROUPS))
    copies = [n for n in made.nodes if n.op is not None and n.op.name == "_CrossDeviceCopy"]
    assert [n.name for n in copies] == ["p_to_cpu2"]
    one_place = {"a": mx.cpu(1), "b": mx.cpu(1)}
    assert placed(symbol, contexts_of(symbol.nodes, mx.cpu(0), one_place)) is symbol


def test_values_and_gradients_cross_borders():
    executor = bound(mx.cpu(1))
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2,)))
    output, gradient = executor.outputs[0], executor.grad_arrays[0]
    assert (output.context, gradient.context) == (mx.cpu(2), mx.cpu(1))
    assert output.asnumpy() == pytest.approx([2.7182817] * 2)
    assert gradient.asnumpy() == pytest.approx([2.7182817] * 2)
    assert "_CrossDeviceCopy" in executor.debug_str()


def test_simple_bind_makes_arrays_where_they_belong():
    with mx.AttrScope(ctx_group="a"):
        x = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="f")
    with mx.AttrScope(ctx_group="b"):
        x = mx.sym.SoftmaxOutput(mx.sym.BatchNorm(x, name="bn"), name="s")
    executor = x.simple_bind(mx.cpu(0), group2ctx=GROUPS, x=(3, 2))
    for table in (executor.arg_dict, executor.grad_dict, executor.aux_dict):
        for name, array in table.items():
            assert array.context == (mx.cpu(1) if name[0] in "xf" else mx.cpu(2)), name
    executor.forward(is_train=True)
    executor.backward()
    smaller = executor.reshape(x=(2, 2), s_label=(2,))
    assert smaller.forward()[0].context == mx.cpu(2)
    with pytest.raises(MXNetError):
        chain().simple_bind(mx.cpu(0), group2ctx={"a": mx.cpu(1)}, p=(2,))


def test_random_operators_draw_from_their_contexts_stream():
    def drawn(place):
        with mx.AttrScope(ctx_group="a"):
            symbol = mx.sym.random.uniform(shape=(4,))
        mx.random.seed(7)
        executor = symbol.bind(mx.cpu(0), {}, group2ctx={"a": place})
        return executor.forward()[0].asnumpy().tolist()

    assert drawn(mx.cpu(1)) == drawn(mx.cpu(1)) != drawn(mx.cpu(2))


@pytest.mark.parametrize(
    ("bind", "text"),
    [
        (lambda: bound(mx.cpu(1), {"a": mx.cpu(1)}), "ctx_group 'b'"),
        (lambda: bound(mx.cpu(1), {"a": mx.cpu(1), "b": mx.gpu(99)}), r"gpu\(99\)"),
        (lambda: bound(mx.cpu(1), ["a"]), "group2ctx is a list"),
        (lambda: (mx.sym.var("x") * 2).simple_bind(mx.gpu(99), x=(2,)), r"gpu\(99\)"),
    ],
)
def test_what_is_not_where_it_belongs_is_named(bind, text):
    with pytest.raises(MXNetError, match=text):
        bind()


def test_cpu_contexts_lend_each_other_arrays():
    x = mx.nd.array([1, 2], ctx=mx.cpu(1))
    gradient = mx.nd.zeros(2, ctx=mx.cpu(3))
    executor = (mx.sym.var("x") * 2).bind(mx.cpu(0), {"x": x}, {"x": gradient})
    (output,) = executor.forward(is_train=True)
    assert (output.context, output.asnumpy().tolist()) == (mx.cpu(0), [2, 4])
    executor.backward()
    assert (gradient.context, gradient.asnumpy().tolist()) == (mx.cpu(3), [2, 2])


def test_arrays_of_other_devices_are_named():
    elsewhere = SimpleNamespace(context=mx.gpu(0))
    with pytest.raises(MXNetError, match=r"array of 'x' is on gpu\(0\), it belongs on cpu\(1\)"):
        _check_place("the array of 'x'", elsewhere, mx.cpu(1))

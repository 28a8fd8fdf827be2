# SPDX-License-Identifier: Apache-2.0
import gc
import linecache
import weakref

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.exec.program import lowering
from mxnova.core.exec.program.lowering import lower


def lowered(symbol, runner=None):
    variables = [n for part in symbol.variables() for n in part]
    contexts = {n: mx.cpu() for n in symbol.nodes}
    return lower(symbol, variables, runner or (lambda node, op, context: op.forward), contexts)


def test_one_line_a_node_and_values_are_freed_after_their_last_reader():
    x = mx.sym.var("x")
    symbol = mx.sym.exp(mx.sym.tanh(x, name="a") + x, name="b")
    made = lowered(symbol)
    assert made.arguments == ("x",)
    assert [s.op.name for s in made.steps] == ["tanh", "elemwise_add", "exp"]
    assert made.steps[0].last == ()
    assert set(made.steps[1].last) == {"a_output", "x"}
    value = torch.tensor([0.5])
    (result,) = made.function(value)
    torch.testing.assert_close(result, (value.tanh() + value).exp())


def test_intermediate_values_are_gone_when_nobody_needs_them():
    alive, seen = [], []

    def runner(node, op, context):
        def run(value):
            gc.collect()
            seen.append(sum(r() is not None for r in alive))
            result = value + 1
            alive.append(weakref.ref(result))
            return result

        return run

    x = mx.sym.var("x")
    for _ in range(6):
        x = mx.sym.relu(x)
    lowered(x, runner).function(torch.zeros(3))
    assert max(seen) <= 1


@pytest.mark.parametrize("name", ["a.b", "1/x", "class", "type", "tuple", "_x", "é", "", "forward"])
def test_any_name_will_do(name):
    x, y = mx.sym.var(name or "_"), mx.sym.var(name + "_1")
    symbol = mx.sym.Group([mx.sym.relu(x, name=name), mx.sym.relu(y, name=name)])
    made = lowered(symbol)
    a, b = made.function(torch.tensor([-1.0, 1.0]), torch.tensor([2.0]))
    assert (a.tolist(), b.tolist()) == ([0, 1], [2])


def test_graphs_of_one_structure_are_compiled_once():
    def layers(name):
        x = mx.sym.var(f"{name}_x")
        x = mx.sym.split(x, num_outputs=2, name=f"{name}_split")
        return lowered(mx.sym.exp(x[0] + x[1], name=f"{name}_exp"))

    lowering._compiled.cache_clear()
    one, other = layers("one"), layers("other")
    assert lowering._compiled.cache_info().misses == 1
    assert ("other_x" in other.source, "one_x" in other.source) == (True, False)
    assert other.function.__code__.co_varnames[:2] == ("other_x", "other_split_output0")
    for made in (one, other):
        assert made.function(torch.ones(1, 2))[0].item() == pytest.approx(np.exp(2), 1e-6)


def test_inputs_may_be_unused_and_repeated_as_outputs():
    x, y = mx.sym.var("x"), mx.sym.var("y")
    symbol = mx.sym.Group([x, x, y * 1])
    made = lowered(symbol)
    one = torch.ones(1)
    found = made.function(one, one)
    assert found[0] is found[1] is one


def test_a_lone_output_in_a_tuple_is_unpacked():
    made = lowered(mx.sym.relu(mx.sym.var("x")), lambda *_: lambda x: (x + 1,))
    assert made.function(torch.ones(1))[0].tolist() == [2]


def test_a_failing_line_tells_its_step_and_inputs():
    symbol = mx.sym.dot(mx.sym.tanh(mx.sym.var("x")), mx.sym.var("w"), name="d")
    made = lowered(symbol)
    with pytest.raises(Exception) as error:
        made.function(torch.ones(2, 3), torch.ones(2, 3))
    step, inputs = made.failed(error.value)
    assert step.node.name == "d"
    assert [tuple(t.shape) for t in inputs] == [(2, 3), (2, 3)]
    assert made.failed(ValueError()) is None


def test_the_code_shows_in_tracebacks_as_long_as_it_is_there():
    made = lowered(mx.sym.relu(mx.sym.var("x"), name="relu"))
    file = made.function.__code__.co_filename
    assert "relu" in "".join(linecache.getlines(file))
    again = lowered(mx.sym.relu(mx.sym.var("x"), name="relu"))
    assert again.function.__code__ is made.function.__code__
    del made, again
    gc.collect()
    assert file not in linecache.cache

# SPDX-License-Identifier: Apache-2.0
import mmap
import sys
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError, OutOfMemoryError


def net():
    return mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3, name="fc")


def normalized():
    return mx.sym.BatchNorm(net(), name="bn")


def shared(one, two):
    """Names of the arrays that two tables have in common memory."""
    found = set()
    for name in one:
        if one[name] is not None and two.get(name) is not None:
            one[name][:] = 0
            two[name][:] = 7
            if (one[name].asnumpy() == 7).any():
                found.add(name)
    return found


NOTHING = (set(), set())
ALL = {"x", "fc_weight", "fc_bias"}


def test_without_a_buffer_only_outputs_share_memory():
    one = net().simple_bind(mx.cpu(), x=(2, 4))
    for options in ({}, {"shared_arg_names": ["fc_weight"]}):
        two = net().simple_bind(mx.cpu(), x=(2, 4), shared_exec=one, **options)
        assert shared(one.arg_dict, two.arg_dict) == set()
        assert shared(one.grad_dict, two.grad_dict) == set()
        assert shared(one.output_dict, two.output_dict) == {"fc_output"}


def test_a_buffer_holds_what_is_not_named():
    buffer = {}
    one = net().simple_bind(
        mx.cpu(), x=(2, 4), shared_arg_names=["fc_weight"], shared_buffer=buffer
    )
    assert {n: a.shape for n, a in buffer.items()} == {
        "x": (2, 4), "grad of x": (2, 4), "fc_bias": (3,), "grad of fc_bias": (3,)
    }  # fmt: skip
    two = net().simple_bind(
        mx.cpu(), x=(1, 4), shared_arg_names=["fc_weight"], shared_buffer=buffer
    )
    assert shared(one.arg_dict, two.arg_dict) == {"x", "fc_bias"}
    assert shared(one.grad_dict, two.grad_dict) == {"x", "fc_bias"}
    three = net().simple_bind(mx.cpu(), x=(4, 4), shared_buffer=buffer)
    assert shared(two.arg_dict, three.arg_dict) == {"fc_bias"}
    assert buffer["x"].shape == (4, 4)


def test_named_arguments_and_states_are_those_of_the_other_executor():
    buffer = {}
    options = {"x": (2, 4), "shared_arg_names": ["fc_weight"], "shared_buffer": buffer}
    one = normalized().simple_bind(mx.cpu(), **options)
    two = normalized().simple_bind(mx.cpu(), shared_exec=one, **options)
    assert shared(one.arg_dict, two.arg_dict) == {*ALL, "bn_gamma", "bn_beta"}
    assert shared(one.aux_dict, two.aux_dict) == {"bn_moving_mean", "bn_moving_var"}


def test_executors_that_share_outputs_compute_their_own():
    one = net().simple_bind(mx.cpu(), x=(2, 4))
    two = net().bind(mx.cpu(), {n: a.copy() for n, a in one.arg_dict.items()}, shared_exec=one)
    one.arg_dict["fc_bias"][:] = 1
    two.arg_dict["fc_bias"][:] = 2
    assert (one.forward()[0].asnumpy() == 1).all()
    assert (two.forward()[0].asnumpy() == 2).all()
    assert (one.outputs[0].asnumpy() == 2).all()


@pytest.mark.parametrize(
    ("shape", "same", "outputs"),
    [((2, 4), ALL, True), ((4, 4), ALL, True), ((6, 4), {"fc_weight", "fc_bias"}, False)],
)
def test_reshaped_executors_share_what_is_enough(shape, same, outputs):
    one = net().simple_bind(mx.cpu(), x=(4, 4))
    two = one.reshape(x=shape, allow_up_sizing=True, unknown=(1,))
    assert shared(one.arg_dict, two.arg_dict) == same
    assert shared(one.grad_dict, two.grad_dict) == same
    assert bool(shared(one.output_dict, two.output_dict)) is outputs


def test_values_survive_reshaping_in_the_order_of_memory():
    one = net().simple_bind(mx.cpu(), x=(4, 4))
    one.arg_dict["x"][:] = np.arange(16).reshape(4, 4)
    assert one.reshape(x=(2, 4)).arg_dict["x"].asnumpy().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize(
    "shape",
    [(np.int64(2), np.int32(3)), [2, 3], np.array([2, 3]), (2, 0), (0, 3)],
    ids=["numpy integers", "list", "array", "open column", "open row"],
)
def test_shapes_of_any_kind(shape):
    symbol = mx.sym.elemwise_add(mx.sym.var("x"), mx.sym.var("y", shape=(2, 3)))
    assert symbol.simple_bind(mx.cpu(), x=shape).forward()[0].shape == (2, 3)


def test_bound_arrays_decide_over_declared_shapes():
    symbol = mx.sym.elemwise_add(mx.sym.var("x"), mx.sym.var("y", shape=(5, 0)))
    two = {"x": mx.nd.ones((2, 3)), "y": mx.nd.ones((2, 3))}
    assert symbol.bind(mx.cpu(), two).forward()[0].shape == (2, 3)


def test_names_that_the_symbol_does_not_have_are_ignored():
    executor = net().simple_bind(
        mx.cpu(), x=(2, 4), other=(1,), grad_req={"x": "write", "other": "write"},
        type_dict={"other": "float64"}, stype_dict={"other": "csr"},
    )  # fmt: skip
    assert list(executor.arg_dict) == ["x", "fc_weight", "fc_bias"]
    assert all(a.dtype is np.float32 for a in executor.arg_arrays)


@pytest.mark.parametrize("shape", [5, "ab", (1.5, "x"), None])
def test_what_is_no_shape_is_named(shape):
    with pytest.raises(MXNetError, match="x"):
        net().simple_bind(mx.cpu(), x=shape)


def test_memory_that_is_not_to_be_had():
    with pytest.raises(OutOfMemoryError, match="shape"):
        (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(1 << 43,))
    with pytest.raises(MemoryError):
        mx.sym.zeros((1 << 43,)).bind(mx.cpu(), {})


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_memory_is_taken_where_it_is_written():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE

    before = resident()
    executor = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=1 << 26, name="fc").simple_bind(
        mx.cpu(), x=(1, 2)
    )
    assert resident() - before < 64 << 20  # of the weight's 512 MB, and as much of its gradient
    assert executor.arg_dict["fc_weight"][-1].asnumpy().tolist() == [0, 0]


def test_variables_that_must_be_integers_are_made_so():
    symbol = mx.sym.softmax(mx.sym.var("x"), mx.sym.var("n"), use_length=True, axis=1)
    executor = symbol.simple_bind(mx.cpu(), x=(2, 3), n=(2,))
    assert [a.dtype for a in executor.arg_arrays] == [np.float32, np.int32]

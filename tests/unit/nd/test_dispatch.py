import operator
import threading

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.nd.array import NDArray
from mxnova.core.nd.calls import dispatch
from mxnova.core.nd.calls.dispatch import invoke
from mxnova.core.nd.calls.fast_calls import binary_call as pairwise
from mxnova.core.nd.calls.fast_calls import call_one as of_one
from mxnova.core.nd.calls.fast_calls import scalar_call as with_number
from mxnova.core.nd.calls.fast_calls import unary_call as alone
from mxnova.core.nd.modes import MODES, Mode
from mxnova.core.op.schema import find
from mxnova.core.runtime.slow_path import SLOW_PATH

PAIRS = [
    "broadcast_add", "broadcast_sub", "broadcast_mul", "broadcast_div", "broadcast_mod",
    "broadcast_power", "broadcast_equal", "broadcast_not_equal", "broadcast_greater",
    "broadcast_greater_equal", "broadcast_lesser", "broadcast_lesser_equal",
]  # fmt: skip
NUMBERS = [
    "_plus_scalar", "_minus_scalar", "_rminus_scalar", "_mul_scalar", "_div_scalar", "_rdiv_scalar",
    "_mod_scalar", "_rmod_scalar", "_power_scalar", "_rpower_scalar", "_equal_scalar",
    "_greater_scalar", "_lesser_equal_scalar",
]  # fmt: skip
DTYPES = ["float32", "float64", "float16", "int32", "uint8", "int64", "bool"]
SHAPES = [((2, 3), (2, 3)), ((2, 1), (1, 3)), ((0, 3), (1, 3)), ((2, 3), (4, 5)), ((), (2,))]


class Marked(NDArray):
    """A class of arrays of a user's."""

    __slots__ = ()


def outcome(function, *arrays, dtype="float32", recording=False):
    """What a call gives and what its gradients are, or the class and text of its error."""
    try:
        if not recording:
            result = function(*arrays)
            return [type(result), result.context, result.dtype, result.asnumpy()]
        for array in arrays:
            array.attach_grad()
        with mx.autograd.record():
            result = function(*arrays)
        result.backward()
        return [type(result), result.asnumpy(), *(a.grad.asnumpy() for a in arrays)]
    except mx.MXNetError as error:
        return [type(error), str(error)]


def arrays_of(dtype, shapes, cls=NDArray):
    made = []
    for i, shape in enumerate(shapes):
        values = np.random.RandomState(i).uniform(0.5, 4, shape)
        array = mx.nd.array(values, dtype=dtype) if shape else mx.nd.array(2.5, dtype=dtype)
        if cls is not NDArray:
            array = cls(array.to_torch())
        made.append(array)
    return made


def refuse(a, b):
    raise TypeError("no array")


def same(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        np.testing.assert_array_equal(x, y) if isinstance(x, np.ndarray) else None
        assert isinstance(x, np.ndarray) or x == y


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("cls", [NDArray, Marked])
@pytest.mark.parametrize("name", PAIRS)
def test_pairwise_is_invoke(name, cls, recording):
    type_ = find(name)
    quick, op = pairwise(type_, refuse), type_.of({})
    for dtype in DTYPES:
        for shapes in SHAPES:
            arrays = arrays_of(dtype, shapes, cls)
            general = outcome(lambda *a: invoke(op, a), *arrays, recording=recording)
            same(outcome(quick, *arrays, recording=recording), general)


ONE_INPUT = [
    ("relu", {}), ("exp", {}), ("_copy", {}), ("BlockGrad", {}), ("transpose", {}), ("sum", {}),
    ("sum", {"axis": 1}), ("mean", {"keepdims": True}), ("max", {}), ("argmax", {"axis": 0}),
    ("Activation", {"act_type": "tanh"}), ("Cast", {"dtype": "int32"}), ("softmax", {}),
    ("reshape", {"shape": (-1,)}), ("flip", {"axis": 7}), ("Dropout", {"p": 0.0}),
    ("expand_dims", {"axis": 0}), ("slice", {"begin": 0, "end": 1}), ("shape_array", {}),
]  # fmt: skip


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("cls", [NDArray, Marked])
@pytest.mark.parametrize("name, attrs", ONE_INPUT)
def test_of_one_is_invoke(name, attrs, cls, recording):
    op = find(name).of(attrs)
    for dtype in DTYPES:
        for shape in ((2, 3), (0, 3), (4,)):
            (x,) = arrays_of(dtype, [shape], cls)
            general = outcome(lambda a: invoke(op, (a,)), x, dtype=dtype, recording=recording)
            for _ in range(2):  # the second time straight away
                same(outcome(lambda a: of_one(op, a), x, recording=recording), general)
    sparse = mx.nd.ones((2, 3)).tostype("csr")
    same(outcome(lambda a: of_one(op, a), sparse), outcome(lambda a: invoke(op, (a,)), sparse))


def test_results_of_one_are_in_no_input_s_memory():
    x = mx.nd.ones((2, 3))
    for name in ("_copy", "BlockGrad", "flatten", "transpose"):
        for _ in range(3):
            of_one(find(name).plain, x)[:] = 5
    assert x.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv"])
def test_in_place_is_as_into_new_memory(name):
    method, binary = getattr(operator, name), getattr(operator, name[1:])
    for dtype in DTYPES[:-1]:
        for shapes in (((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (4, 5))):
            a, b = arrays_of(dtype, shapes)
            wanted = outcome(binary, a, b)
            view = a[:]
            if isinstance(wanted[-1], str):
                with pytest.raises(mx.MXNetError):
                    method(a, b)
            else:
                assert method(a, b) is a
                np.testing.assert_array_equal(view.asnumpy(), wanted[-1])


def test_in_place_reads_overlapping_memory_before_it_writes():
    x = mx.nd.arange(4)
    part = x[0:3]
    part += x[1:4]
    assert x.asnumpy().tolist() == [1, 3, 5, 3]
    before = find("broadcast_add").function
    find("broadcast_add").function = torch.sub
    try:
        part += part
        assert part.asnumpy().tolist() == [0, 0, 0]
    finally:
        find("broadcast_add").function = before
        find("broadcast_add").in_place = torch.Tensor.add_


def test_pairwise_is_invoke_where_types_and_classes_differ():
    quick, op = pairwise(find("broadcast_add"), refuse), find("broadcast_add").of({})
    arrays = [
        mx.nd.ones((2, 3)), mx.nd.ones((2, 3), dtype="float64"), Marked(torch.ones(2, 3)),
        mx.nd.ones((2, 3)).tostype("csr"), mx.nd.ones((2, 3)).tostype("row_sparse"),
    ]  # fmt: skip
    for a in arrays:
        for b in arrays:
            same(outcome(quick, a, b), outcome(lambda *x: invoke(op, x), a, b))


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("name", NUMBERS)
def test_with_number_is_invoke(name, recording):
    type_ = find(name)
    quick = with_number(type_)
    for dtype in DTYPES:
        for number in (2.0, -3.5, 0.0, -0.0, float("inf"), 1e10):
            (x,) = arrays_of(dtype, [(2, 3)])
            op = type_.of({"scalar": number})
            general = outcome(lambda a, op=op: invoke(op, (a,)), x, recording=recording)
            same(outcome(lambda a, n=number: quick(a, n), x, recording=recording), general)


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("name", ["negative", "abs"])
def test_alone_is_invoke(name, recording):
    type_ = find(name)
    for dtype in DTYPES:
        (x,) = arrays_of(dtype, [(2, 3)])
        general = outcome(lambda a: invoke(type_.of({}), (a,)), x, recording=recording)
        same(outcome(alone(type_), x, recording=recording), general)


def test_the_sign_of_zero_is_kept():
    x = mx.nd.ones((2,))
    assert (x / 0.0).asnumpy().tolist() == [np.inf, np.inf]
    assert (x / -0.0).asnumpy().tolist() == [-np.inf, -np.inf]


# The class of arrays ------------------------------------------------------------------------------

CALLS = [
    lambda a, b: a + b, lambda a, b: a * 2, lambda a, b: 2 - a, lambda a, b: -a,
    lambda a, b: mx.nd.relu(a), lambda a, b: mx.nd.dot(a, b), lambda a, b: a.sum(axis=1),
    lambda a, b: a[0], lambda a, b: a[0:1], lambda a, b: a[[0, 1]], lambda a, b: a.reshape((3, 3)),
    lambda a, b: a.T, lambda a, b: a.copy(), lambda a, b: a.astype("float64"),
    lambda a, b: a.copyto(mx.cpu(1)), lambda a, b: a.detach(), lambda a, b: a.split(3)[1],
    lambda a, b: mx.nd.split(a, num_outputs=3)[2],
]  # fmt: skip


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_results_are_of_the_class_of_their_inputs(number, recording):
    a, b = Marked(torch.ones(3, 3)), Marked(torch.ones(3, 3))
    a.attach_grad()
    with mx.autograd.record() if recording else mx.autograd.pause():
        assert type(CALLS[number](a, b)) is Marked
    assert type(a.grad) is Marked


def test_a_subclass_goes_before_its_base():
    a, b = Marked(torch.ones(2)), mx.nd.ones((2,))
    assert type(a + b) is type(b + a) is type(mx.nd.elemwise_add(b, a)) is Marked
    assert type(mx.nd.zeros((2,)) + b) is NDArray


# Modes --------------------------------------------------------------------------------------------


class Casting(Mode):
    """Runs products in half precision."""

    def invoke(self, op, arrays, out, **how):
        if op.name != "dot":
            return invoke(op, arrays, out, **how)
        halves = [a.astype("float16") for a in arrays]
        return invoke(op, halves, out, **how).astype("float32")


class Listing(Mode):
    """Notes what runs."""

    def __init__(self):
        self.names = []

    def invoke(self, op, arrays, out, **how):
        self.names.append(op.name)
        return invoke(op, arrays, out, **how)


def test_a_mode_changes_what_runs_inside_its_block():
    x = mx.nd.array([[1.0, 1e-5]])
    with Casting():
        inside = mx.nd.dot(x, x.T)
    assert inside.dtype == np.float32
    assert inside.asscalar() == 1.0
    assert mx.nd.dot(x, x.T).asscalar() != 1.0 or np.float32(1 + 1e-10) == 1
    assert not MODES.stack


def test_modes_nest_and_the_outer_one_sees_what_the_inner_one_runs():
    outer, inner = Listing(), Listing()
    x = mx.nd.ones((2, 2))
    with outer, Casting(), inner:
        mx.nd.dot(x, x)
        x + 1
        x[0]
        x.reshape((4,))
    assert inner.names == ["dot", "_plus_scalar", "_slice", "Reshape"]
    assert outer.names == ["Cast", "Cast", "dot", "Cast", "_plus_scalar", "_slice", "Reshape"]


def test_what_is_recorded_in_a_mode_has_gradients():
    x = mx.nd.ones((2, 2))
    x.attach_grad()
    with mx.autograd.record(), Casting():
        y = mx.nd.dot(x, x) * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [[12, 12], [12, 12]]


def test_a_mode_is_of_one_thread_and_ends_with_an_error():
    listing, x = Listing(), mx.nd.ones((2,))
    with listing:
        thread = threading.Thread(target=lambda: x + x)
        thread.start()
        thread.join()
    with pytest.raises(mx.MXNetError), listing:
        mx.nd.dot(x, mx.nd.ones((3,)))
    assert listing.names == ["dot"]
    x + x
    assert listing.names == ["dot"]
    assert not MODES.stack


# Attention ----------------------------------------------------------------------------------------


def test_calls_are_attended_to_only_while_there_is_reason():
    mx.nd.waitall()
    x = mx.nd.ones((2,))
    x + x
    assert not SLOW_PATH
    go = threading.Event()
    mx.engine.push(go.wait, write=[x])
    assert SLOW_PATH
    y = mx.nd.ones((2,))
    assert (y + y).asnumpy().tolist() == [2, 2]  # nobody waits for arrays at rest
    assert SLOW_PATH
    threading.Timer(0.05, go.set).start()
    assert (x + y).asnumpy().tolist() == [2, 2]
    y + y
    assert not SLOW_PATH


def test_a_failure_is_met_by_whoever_reads():
    def fail():
        raise ValueError("no")

    x = mx.nd.ones((2,))
    mx.engine.push(fail, write=[x])
    with pytest.raises(mx.MXNetError, match="no"):
        operator.add(x, x)
    mx.nd.waitall()
    x + x
    assert not SLOW_PATH


def test_a_failure_takes_no_more_memory_than_there_is():
    """Its results would not fit: then the call raises, as where nothing is known of them."""
    with pytest.raises(mx.MXNetError, match="alpha"):
        mx.nd.random.generalized_negative_binomial(1, -1, shape=(10**6, 10**6))


@pytest.mark.parametrize("out", [[], (), 3, [3]], ids=str)
@pytest.mark.parametrize(
    "call",
    [
        lambda out: mx.nd.zeros((2,), out=out),
        lambda out: mx.nd.full((2,), 3, out=out),
        lambda out: mx.nd._internal._zeros(shape=(2,), out=out),
        lambda out: mx.nd.random.uniform(shape=(2,), out=out),
        lambda out: mx.nd.relu(mx.nd.ones((2,)), out=out),
    ],
    ids=["zeros", "full", "_zeros", "uniform", "relu"],
)
def test_out_holds_arrays(call, out):
    with pytest.raises(mx.MXNetError, match="out=.*: must be an array"):
        call(out)


def test_out_may_be_a_list_of_one_new_array():
    array = mx.nd.ones((2,))
    mx.nd.zeros((2,), out=[array])
    assert array.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("by_place", "by_name"),
    [
        (lambda x: mx.nd.clip(x, -1, 1), lambda x: mx.nd.clip(x, a_min=-1, a_max=1)),
        (lambda x: mx.nd.sum(x, 1, True), lambda x: mx.nd.sum(x, axis=1, keepdims=True)),
        (lambda x: mx.nd.sum(x, None), lambda x: mx.nd.sum(x)),
        (lambda x: mx.nd.clip(x, -1), lambda x: mx.nd.clip(x, a_min=-1)),
        (lambda x: x.sum(1), lambda x: x.sum(axis=1)),
        (lambda x: x.sum(axis=(0, 1)), lambda x: x.sum()),
    ],
)
def test_parameters_by_place_are_those_by_name(by_place, by_name):
    x = mx.nd.array([[-2, 0.5], [3, -0.25]])
    for _ in range(3):  # the second time straight away
        same(outcome(by_place, x), outcome(by_name, x))


def test_an_array_in_the_place_of_a_parameter_is_refused():
    x = mx.nd.ones((2,))
    with pytest.raises(mx.MXNetError, match=r"clip: a_max=[^:]*: must be a number"):
        mx.nd.clip(x, -1, x)


def test_methods_and_activations_obey_a_function_that_comes_later(monkeypatch):
    x = mx.nd.array([-1.0, 2])
    relu, activation = find("relu"), find("Activation")
    assert x.relu().asnumpy().tolist() == [0, 2]
    assert mx.nd.Activation(x, act_type="relu").asnumpy().tolist() == [0, 2]
    monkeypatch.setattr(relu, "function", lambda data: data * 3)
    monkeypatch.setattr(activation, "function", lambda data, *, act_type: data * 5)
    assert x.relu().asnumpy().tolist() == [-3, 6]
    assert mx.nd.Activation(x, act_type="relu").asnumpy().tolist() == [-5, 10]
    monkeypatch.undo()
    assert x.relu().asnumpy().tolist() == [0, 2]
    assert mx.nd.Activation(x, act_type="relu").asnumpy().tolist() == [0, 2]


@pytest.mark.parametrize(
    "name, attrs, draws",
    [
        ("Dropout", {"p": 0}, False),
        ("Dropout", {"p": 0.5}, True),
        ("LeakyReLU", {"act_type": "elu"}, False),
        ("LeakyReLU", {"act_type": "rrelu"}, True),
    ],
)
def test_a_random_stream_is_for_operators_that_draw(monkeypatch, name, attrs, draws):
    asked = []

    def watched(context):
        asked.append(context)
        return torch.Generator()

    monkeypatch.setattr(dispatch, "random_stream", watched)
    with mx.autograd.train_mode():
        invoke(find(name).of(attrs), [mx.nd.ones((2, 3))])
    assert bool(asked) is draws

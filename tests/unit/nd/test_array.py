# SPDX-License-Identifier: Apache-2.0
import copy
import itertools
import pickle

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError


def test_creation_and_facts():
    x = mx.nd.array([[1, 2], [3, 4]])
    assert (x.shape, x.ndim, x.size, x.stype) == ((2, 2), 2, 4, "default")
    assert x.dtype is np.float32
    assert x.context == mx.cpu(0)
    assert mx.nd.array(np.ones(2, "int64")).dtype is np.float32
    assert mx.nd.array(mx.nd.ones(2, dtype="int32")).dtype is np.int32
    np.testing.assert_array_equal(mx.nd.full((2,), 7, dtype="uint8").asnumpy(), [7, 7])
    np.testing.assert_array_equal(mx.nd.arange(1, 7, 2, repeat=2).asnumpy(), [1, 1, 3, 3, 5, 5])
    np.testing.assert_array_equal(mx.nd.eye(2, 3, 1).asnumpy(), np.eye(2, 3, 1))
    made = mx.nd.zeros((2, 2))
    assert mx.nd.eye(2, out=made) is made
    np.testing.assert_array_equal(made.asnumpy(), np.eye(2))
    np.testing.assert_allclose(mx.nd.linspace(0, 1, 5).asnumpy(), np.linspace(0, 1, 5))
    assert mx.nd.empty((2, 3)).shape == (2, 3)


def test_repr_shows_values_shape_and_context():
    assert repr(mx.nd.ones((2, 2), ctx=mx.cpu(1))) == "\n[[1. 1.]\n [1. 1.]]\n<NDArray 2x2 @cpu(1)>"


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "mod", "pow", "eq", "ne", "gt", "ge", "lt", "le"]
)
def test_arithmetic_with_arrays_and_numbers(name):
    a, b = np.array([[1.5, -2.0], [3.0, 4.0]], "f"), np.array([2.0, 4.0], "f")
    method = f"__{name}__"

    def check(got, want):
        assert got.dtype is np.float32
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)

    def expected(x, y):
        if name == "mod":
            return np.where(y == 0, 0, np.mod(x, y))
        return np.asarray(getattr(np.asarray(x), method)(y), "f")

    x, y = mx.nd.array(a), mx.nd.array(b)
    with np.errstate(all="ignore"):
        check(getattr(x, method)(y), expected(a, b))
        check(getattr(x, method)(2), expected(a, np.float32(2)))
        reflected = getattr(x, f"__r{name}__", None)
        if reflected is not None:
            check(reflected(2), expected(np.full_like(a, 2), a))


def test_numbers_are_cast_to_integer_arrays():
    x = mx.nd.array([1, 2], dtype="int32")
    assert (x + 1.5).dtype is np.int32
    np.testing.assert_array_equal((x + 1.5).asnumpy(), [2, 3])


def test_in_place_operators_write_through_views_and_keep_the_type():
    x = mx.nd.zeros((2, 2), dtype="int32")
    view = x[1]
    view += 3
    x *= 2
    assert x.dtype is np.int32
    np.testing.assert_array_equal(x.asnumpy(), [[0, 0], [6, 6]])


@pytest.mark.parametrize(
    "call, facts",
    [
        (lambda x: x + mx.nd.ones((3, 3)), ["broadcast_add", "[2,2]", "[3,3]"]),
        (lambda x: x + mx.nd.ones((2, 2), dtype="int32"), ["rhs", "int32", "float32"]),
        (lambda x: mx.nd.elemwise_add(x, mx.nd.ones((1, 2))), ["rhs", "[1,2]", "[2,2]"]),
        (
            lambda x: mx.nd.FullyConnected(x, x, num_hidden=3, no_bias=True),
            ["weight", "[2,2]", "[3,2]"],
        ),
        (lambda x: mx.nd.relu(x, out=mx.nd.ones((3,))), ["out", "[3]", "[2,2]"]),
        (lambda x: mx.nd.invoke("relo", [x], {}), ["relo", "relu"]),
        (lambda x: mx.nd.invoke("elemwise_add", [x], {}), ["elemwise_add", "2 arrays", "1"]),
        (lambda x: mx.nd.ones((2,), ctx=mx.gpu(64)), ["gpu(64)"]),
        (lambda x: mx.nd.ones((-1,)), ["-1"]),
    ],
)
def test_errors_name_operator_argument_and_values(call, facts):
    with pytest.raises(MXNetError) as error:
        call(mx.nd.ones((2, 2)))
    assert all(fact in str(error.value) for fact in facts), error.value


def test_wrong_python_types_are_type_errors():
    x = mx.nd.ones((2,))
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(TypeError):
        mx.nd.relu([1, 2])
    with pytest.raises(TypeError):
        mx.nd.zeros((2,), dtype="float128")


def test_out_receives_the_result_and_is_returned():
    x, out = mx.nd.array([-1, 1]), mx.nd.zeros((2,))
    assert mx.nd.relu(x, out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), [0, 1])


def test_invoke_takes_text_attributes_and_returns_lists_for_several_outputs():
    x = mx.nd.array([[1, 2, 3, 4]])
    parts = mx.nd.invoke("SliceChannel", [x], {"num_outputs": "2", "axis": "1"})
    assert [p.shape for p in parts] == [(1, 2), (1, 2)]


def test_scalars_and_truth():
    assert mx.nd.array([3]).asscalar() == 3
    assert float(mx.nd.array([2.5])) == 2.5
    assert int(mx.nd.array([2], dtype="int32")) == 2
    assert not mx.nd.array([0])
    with pytest.raises(ValueError):
        mx.nd.ones((2,)).asscalar()
    with pytest.raises(ValueError):
        bool(mx.nd.ones((2,)))


def test_copies_casts_and_contexts():
    x = mx.nd.array([1.7, 2.2])
    assert x.astype("int32").asnumpy().tolist() == [1, 2]
    assert x.astype("float32", copy=False) is x
    assert x.as_in_context(mx.cpu(0)) is x
    other = x.as_in_context(mx.cpu(1))
    assert other.context == mx.cpu(1)
    for made in (x.copy(), copy.deepcopy(x), x.copyto(mx.cpu(0)), pickle.loads(pickle.dumps(x))):
        made[:] = 0
        assert x.asnumpy().tolist() == [np.float32(1.7), np.float32(2.2)]
    target = mx.nd.zeros((2,), dtype="float64")
    assert x.copyto(target) is target
    assert target.dtype is np.float64
    with pytest.raises(MXNetError, match=r"\[3\]"):
        x.copyto(mx.nd.zeros((3,)))


def test_asnumpy_is_a_copy_and_numpy_reads_arrays():
    x = mx.nd.ones((2,))
    x.asnumpy()[:] = 5
    assert x.asnumpy().tolist() == [1, 1]
    assert np.asarray(x).tolist() == [1, 1]


def test_from_numpy_shares_memory_and_freezes_the_source():
    source = np.zeros(3, "f")
    x = mx.nd.from_numpy(source)
    x[:] = 4
    assert source.tolist() == [4, 4, 4]
    assert not source.flags.writeable
    again = mx.nd.from_numpy(source)
    again[0] = 5
    assert source.tolist() == x.asnumpy().tolist() == [5, 4, 4]
    constant = np.frombuffer(b"\0" * 12, "f")
    copied = mx.nd.from_numpy(constant)
    copied[:] = 1
    assert constant.tolist() == [0, 0, 0]


@pytest.mark.parametrize("make", [mx.nd.zeros, mx.nd.ones, mx.nd.empty, lambda s: mx.nd.full(s, 2)])
def test_shapes_are_numbers_sequences_and_arrays(make):
    for shape in (6, np.int64(6), np.array([6])):
        assert make(shape).shape == (6,)
    for shape in (
        (2, 3),
        [2, 3],
        np.array([2, 3]),
        (np.int32(2), 3),
        mx.nd.array([2, 3], dtype="int32"),
    ):
        assert make(shape).shape == (2, 3)


def test_shapes_of_methods_and_of_random_numbers_may_be_arrays():
    x = mx.nd.ones((1, 3))
    assert x.reshape(np.array([3, 1])).shape == x.reshape(shape=np.array([3, 1])).shape == (3, 1)
    assert x.broadcast_to(np.array([2, 3])).shape == (2, 3)
    assert x.broadcast_like(mx.nd.ones((2, 3))).shape == (2, 3)
    assert x.broadcast_like(mx.nd.ones((5, 2)), lhs_axes=(0,), rhs_axes=(0,)).shape == (5, 3)
    assert mx.nd.random.normal(shape=np.array([2, 3])).shape == (2, 3)
    assert mx.nd.sparse.zeros("csr", np.array([2, 3])).shape == (2, 3)
    with pytest.raises(mx.MXNetError, match="broadcast_to: shape=3: must be a tuple"):
        mx.nd.ones((1, 1)).broadcast_to(3)


SLICES = [slice(None), slice(2), slice(20), slice(1, 4), slice(None, None, 2), slice(0, 1),
          slice(None, None, -1), slice(3, None, -2), slice(2, 2)]  # fmt: skip


@pytest.mark.parametrize("shape", [(3, 1, 4), (6, 7)])
def test_selections_that_lie_together_are_known_beforehand(shape):
    lies_together = mx.nd.NDArray._basic_indexing_slice_is_contiguous
    x = np.zeros(shape)
    for key in itertools.product(SLICES, repeat=len(shape)):
        assert lies_together(key, shape) == x[key].flags.c_contiguous, key


def test_reshape_is_a_view_and_takes_special_codes():
    x = mx.nd.arange(6).reshape((2, 3))
    y = x.reshape(0, -1)
    assert y.shape == (2, 3)
    assert x.reshape((-1,)).shape == (6,)
    x.reshape(shape=(6,))[5] = 9
    assert x[1, 2].asscalar() == 9
    with pytest.raises(MXNetError):
        x.reshape((4,))


@pytest.mark.parametrize(
    "change", ["transpose", "flatten", "expand_dims", "slice_axis", "broadcast_to", "T"]
)
def test_results_of_operators_share_no_memory_with_inputs(change):
    x = mx.nd.array([[1, 2], [3, 4]])
    attrs = {
        "expand_dims": {"axis": 0},
        "slice_axis": {"axis": 0, "begin": 0, "end": 2},
        "broadcast_to": {"shape": (2, 2)},
    }
    result = x.T if change == "T" else getattr(x, change)(**attrs.get(change, {}))
    result[:] = 0
    assert x.asnumpy().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("shape", [(1,), (3,)])
def test_t_of_one_axis_is_the_array_itself(shape):
    x = mx.nd.ones(shape)
    turned = x.T
    turned[:] = 7
    assert turned is x
    assert x.asnumpy().tolist() == [7] * shape[0]


def test_methods_come_from_operators():
    x = mx.nd.array([[1, 4], [9, 16]])
    assert x.sqrt().asnumpy().tolist() == [[1, 2], [3, 4]]
    assert x.sum(axis=1).asnumpy().tolist() == [5, 25]
    assert x.T.asnumpy().tolist() == [[1, 9], [4, 16]]
    assert x.max().shape == (1,)


def test_default_context_is_scoped():
    with mx.cpu(3):
        assert mx.nd.ones((1,)).context == mx.cpu(3)
        assert mx.current_context() == mx.cpu(3)
    assert mx.nd.ones((1,)).context == mx.cpu(0)


def test_functions_have_signatures_and_docs():
    import inspect

    signature = inspect.signature(mx.nd.FullyConnected)
    assert list(signature.parameters)[:6] == [
        "data",
        "weight",
        "bias",
        "num_hidden",
        "no_bias",
        "flatten",
    ]
    assert "num_hidden" in mx.nd.FullyConnected.__doc__


def test_torch_shares_memory():
    tensor = torch.zeros(3)
    x = mx.nd.NDArray(tensor)
    x[:] = 2
    assert tensor.tolist() == [2, 2, 2]
    x.to_torch().fill_(3)
    assert x.asnumpy().tolist() == [3, 3, 3]


def test_in_place_operators_refuse_other_element_types():
    mask = mx.nd.array([1, 0], dtype="bool")
    with pytest.raises(MXNetError, match="int64.*bool"):
        mask += 2
    with pytest.raises(MXNetError):
        mx.nd.array([1, 2], dtype="int32").__iadd__(mx.nd.ones((2,)))


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("__radd__", 7),
        ("__rsub__", -3),
        ("__rmul__", 10),
        ("__rtruediv__", 0.4),
        ("__rdiv__", 0.4),
        ("__rmod__", 2),
        ("__rpow__", 32),
    ],
)
def test_reflected_operators_turn_their_operands(name, wanted):
    five, two = mx.nd.array([5.0]), mx.nd.array([2.0])
    assert getattr(five, name)(two).asscalar() == pytest.approx(wanted)
    assert getattr(five, name)(2).asscalar() == pytest.approx(wanted)


@pytest.mark.parametrize("make", [mx.nd.zeros, mx.nd.ones])
@pytest.mark.parametrize("shape", [(), 0, (0, 3)], ids=str)
def test_unknown_sizes_are_refused(make, shape):
    with pytest.raises(MXNetError, match="must be known"):
        make(shape)
    with mx.np_shape():
        assert make(shape).shape == (shape if isinstance(shape, tuple) else (shape,))


@pytest.mark.parametrize("other", [None, "a", [1, 2], 1j, np.ones(2)], ids=repr)
def test_operators_take_arrays_and_numbers_only(other):
    x = mx.nd.ones((2,))
    for call in (x.__add__, x.__eq__, x.__lt__, x.__rsub__, x.__imul__):
        with pytest.raises(TypeError):
            call(other)


def test_an_array_is_not_copied_to_itself():
    x = mx.nd.ones((2,))
    with pytest.warns(RuntimeWarning):
        assert x.copyto(x) is False
    with pytest.raises(TypeError):
        x.copyto("cpu")
    with pytest.raises(TypeError):
        x.as_in_context(None)


def test_in_place_shapes_share_memory():
    x = mx.nd.zeros((1, 2, 3))
    for view in (
        x.expand_dims(0, inplace=True),
        x.expand_dims(-1, inplace=True),
        x.flatten(inplace=True),
        x.squeeze(inplace=True),
        x.squeeze(axis=0, inplace=True),
    ):
        view[:] = view + 1
    assert x.asnumpy().ravel().tolist() == [5] * 6
    for copy_ in (x.expand_dims(0), x.flatten(), x.squeeze()):
        copy_[:] = 0
    assert x.asnumpy().ravel().tolist() == [5] * 6
    with pytest.raises(MXNetError):
        x.squeeze(axis=1, inplace=True)


def test_gradients_flow_through_in_place_shapes():
    x = mx.nd.ones((1, 2))
    x.attach_grad()
    with mx.autograd.record():
        y = x.squeeze(inplace=True).expand_dims(1, inplace=True).flatten(inplace=True) * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [[3, 3]]


def test_broadcasting_adds_axes_in_front():
    x = mx.nd.array([1, 2, 4])
    assert x.broadcast_to((2, 3)).asnumpy().tolist() == [[1, 2, 4]] * 2
    assert x.broadcast_like(mx.nd.zeros((4, 1, 3))).shape == (4, 1, 3)
    for shape in [(3, 2), (2,), ()]:
        with pytest.raises(ValueError):
            x.broadcast_to(shape)


def test_an_operators_failure_on_integers_names_it():
    x = mx.nd.array([0, 1], dtype="int32")
    with pytest.raises(MXNetError, match="_rdiv_scalar"):
        1 / x


@pytest.mark.parametrize("error", [TypeError, IndexError, MXNetError])
@pytest.mark.parametrize("ask", [len, iter, lambda x: list(reversed(x))])
@pytest.mark.parametrize("convert", ["as_np_ndarray", "as_nd_ndarray"])
def test_arrays_without_axes_have_no_length(convert, ask, error):
    """NumPy's arrays raise TypeError, MXNet's own IndexError."""
    with pytest.raises(error, match=r"shape \(\)|0-d"):
        ask(getattr(mx.np.array(3), convert)())


NAN, REFUSED = float("nan"), TypeError
NO_NUMBERS = [
    # what, its values as float32 and as int32
    (None, NAN, REFUSED),
    ([None, 2], [NAN, 2], REFUSED),
    ([[True], [None]], [[1], [NAN]], REFUSED),
    (np.array([1, None]), [1, NAN], REFUSED),
    (["3"], [3], [3]),
    (b"3", 3, 3),
    (["a"], REFUSED, REFUSED),
    ({}, REFUSED, REFUSED),
    ([Ellipsis], REFUSED, REFUSED),
    ([1j], REFUSED, REFUSED),
    ([np.datetime64(1, "s")], REFUSED, REFUSED),
]


@pytest.mark.parametrize("make", [mx.nd.array, mx.np.array], ids=["nd", "np"])
@pytest.mark.parametrize(
    "values, floats, integers", NO_NUMBERS, ids=[repr(n[0]) for n in NO_NUMBERS]
)
def test_numpy_makes_numbers_of_what_is_none(make, values, floats, integers):
    for dtype, wanted in ("float32", floats), ("int32", integers), ("bfloat16", floats):
        if wanted is REFUSED:
            with pytest.raises(REFUSED, match="^array: "):
                make(values, dtype=dtype)
        else:
            found = make(values, dtype=dtype).astype("float64").asnumpy()
            np.testing.assert_array_equal(found, wanted)

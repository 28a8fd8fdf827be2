# SPDX-License-Identifier: Apache-2.0
"""`mx.np.ndarray`: indexing as NumPy's, operators, protocols, printing, files."""

import copy
import operator
import pickle

import numpy
import pytest

import mxnova as mx
from mxnova import autograd, np, npx


@pytest.fixture(autouse=True)
def numpy_semantics():
    npx.set_np()
    yield
    npx.reset_np()


def same(given, wanted):
    assert type(given) is np.ndarray
    assert given.shape == wanted.shape
    numpy.testing.assert_array_equal(given.asnumpy(), wanted)


# Indexing -----------------------------------------------------------------------------------------

SHAPE = (3, 4, 2)


def random_key(rng):
    """A key for an array of SHAPE: of integers, slices, None, Ellipsis, lists and masks."""
    kind = rng.randint(7)
    if kind == 0:
        return rng.rand(*SHAPE[: rng.randint(1, 4)]) > 0.5
    if kind == 1:
        return rng.rand(3) > 0.3, slice(None), rng.randint(-2, 2)
    if kind == 2:
        return rng.randint(-3, 3, size=(2, 2)), rng.randint(-4, 4, size=2)
    parts = [random_part(rng, size) for size in SHAPE[: rng.randint(1, 4)]]
    if rng.rand() < 0.3:
        parts.insert(rng.randint(len(parts) + 1), None)
    if rng.rand() < 0.3:
        parts.append(Ellipsis)
    return tuple(parts) if len(parts) > 1 or rng.rand() < 0.5 else parts[0]


def random_part(rng, size):
    if rng.rand() < 0.4:
        return int(rng.randint(-size, size))
    ends = [None if rng.rand() < 0.4 else int(rng.randint(-size - 1, size + 2)) for _ in "ab"]
    return slice(*ends, [None, 1, 2, -1, -2][rng.randint(5)])


@pytest.mark.parametrize("seed", range(150))
def test_indexing_is_numpys(seed):
    rng = numpy.random.RandomState(seed)
    key = random_key(rng)
    values = rng.normal(size=SHAPE).astype("float32")
    array, wanted = np.array(values), values[key]
    given = array[key]
    same(given, numpy.asarray(wanted))
    fill = rng.normal(size=wanted.shape).astype("float32")
    array[key] = fill if seed % 2 else np.array(fill)
    values[key] = fill
    same(array, values)
    array[key] = 7
    values[key] = 7
    same(array, values)


@pytest.mark.parametrize("seed", range(0, 150, 5))
def test_gradients_of_indexing(seed):
    rng = numpy.random.RandomState(seed)
    key = random_key(rng)
    array = np.array(rng.normal(size=SHAPE))
    wanted = numpy.zeros(SHAPE)
    numpy.add.at(wanted, key, 2)
    array.attach_grad()
    with autograd.record():
        total = (array[key] * 2).sum()
    total.backward()
    same(array.grad, wanted)


def test_keys_of_arrays_and_scalars():
    x = np.arange(6).reshape(2, 3)
    assert x[1, 2].shape == ()
    assert float(x[1, 2]) == 5
    same(x[np.array([1, 0])], x.asnumpy()[[1, 0]])
    same(x[x > 2], x.asnumpy()[x.asnumpy() > 2])
    same(x[range(2), np.array([2, 0])], x.asnumpy()[[0, 1], [2, 0]])
    scalar = np.array(3.0)
    same(scalar[()], numpy.array(3.0, "float32"))
    same(scalar[...], numpy.array(3.0, "float32"))
    same(scalar[np.array(True, dtype=bool)], numpy.array([3.0], "float32"))
    scalar[np.array(False, dtype=bool)] = 9
    scalar[()] += 1
    assert scalar.item() == 4
    with pytest.raises(IndexError):
        x[2]
    with pytest.raises(IndexError):
        x[0, 0, 0]


def test_slices_share_memory_and_reshape_does_not():
    x = np.arange(6)
    x[2:4][:] = 9
    x.reshape(2, 3)[:] = 0
    assert x.tolist() == [0, 1, 9, 9, 4, 5]
    x.reshape_view(2, 3)[0] = 7
    assert x.tolist() == [7, 7, 7, 9, 4, 5]


# Operators ----------------------------------------------------------------------------------------

OPERATORS = "add sub mul truediv mod pow lt le gt ge eq ne".split()
TYPES = ["float32", "float64", "int32", "int64", "uint8"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", TYPES)
def test_operators_with_numbers(name, dtype):
    function = getattr(operator, name)
    values = numpy.array([1, 2, 5]).astype(dtype)
    x = np.array(values, dtype=dtype)
    for number in (2, 2.5, numpy.float32(2), numpy.int64(3), True):
        for given, wanted in (
            (function(x, number), function(values.astype("float64"), number)),
            (function(number, x), function(number, values.astype("float64"))),
        ):
            assert type(given) is np.ndarray
            if given.dtype.kind == "f" or given.dtype == bool:
                numpy.testing.assert_allclose(given.asnumpy(), wanted, 1e-5)
            is_truth = name in ("lt", "le", "gt", "ge", "eq", "ne")
            fraction = isinstance(number, (float, numpy.floating))
            if is_truth:
                assert given.dtype == bool
            elif dtype.startswith("float"):
                assert given.dtype == dtype
            else:
                floats = "float32" if name == "truediv" else "float64"
                assert given.dtype == (floats if fraction or name == "truediv" else dtype) or (
                    name == "truediv" and given.dtype.kind == "f"
                )


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("int32", "float32", "float32"), ("float32", "float64", "float64"),
        ("int64", "float16", "float16"), ("bool", "float32", "float32"), ("bool", "int8", "int8"),
        ("float32", "float32", "float32"), ("int32", "int64", "int64"),
    ],
)  # fmt: skip
def test_types_of_products(left, right, wanted):
    x, y = np.ones(2, dtype=left), np.ones(2, dtype=right)
    assert (x * y).dtype == (y * x).dtype == wanted


def test_legacy_arrays_and_numpys_arrays_beside():
    x = np.ones((2,))
    for other in (mx.nd.ones((2,)), numpy.ones(2, "float32")):
        for made in (x + other, other + x, np.add(x, other), np.maximum(other, x)):
            assert type(made) is np.ndarray
    assert type(mx.nd.relu(x)) is np.ndarray
    with pytest.raises(TypeError, match="neither a number"):
        x + "a"
    with pytest.raises(TypeError, match="there is no argument"):
        np.add(x, 1, nonsense=1)
    with pytest.raises(NotImplementedError, match="where"):
        np.add(x, 1, where=False)
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


def test_operators_in_place():
    x = np.arange(4, dtype="int32")
    memory = x
    x += 1
    x *= np.array([1, 2, 1, 1], dtype="int32")
    x -= np.array([1, 0, 1, 0], dtype="int32")
    x |= 8
    x &= 15
    x ^= 1
    assert x is memory
    assert x.dtype == "int32"
    assert x.tolist() == [9, 13, 11, 13]
    with pytest.raises(mx.MXNetError, match="do not fit"):
        x += np.ones(4)
    with pytest.raises(mx.MXNetError, match="do not fit"):
        x /= 2
    y = np.ones((2, 2))
    y += np.arange(2, dtype="int32")
    y /= 2
    y @= np.eye(2)
    same(y, numpy.array([[0.5, 1], [0.5, 1]], "float32"))


def test_writing_to_recorded_arrays_is_refused():
    x = np.ones(2)
    x.attach_grad()
    with autograd.record():
        y = x * 2
        with pytest.raises(mx.MXNetError):
            y += 1


# Protocols ----------------------------------------------------------------------------------------


def test_numpys_functions_take_them():
    x = np.arange(6).reshape(2, 3)
    values = x.asnumpy()
    same(numpy.sum(x, axis=1), values.sum(1))
    same(numpy.concatenate([x, x]), numpy.concatenate([values, values]))
    same(numpy.exp(x), np.exp(x).asnumpy())
    same(numpy.add(values, x), values + values)
    same(numpy.cross(x, x), numpy.cross(values, values))
    out = np.zeros((2, 3))
    assert numpy.floor_divide(x, 2, out=out) is out
    same(out, values // 2)
    numpy.testing.assert_array_equal(numpy.array(x), values)
    assert numpy.median(x) == 2.5


def test_gradients_flow_through_numpys_functions_or_are_refused():
    x = np.ones(3)
    x.attach_grad()
    with autograd.record():
        y = numpy.square(x) + numpy.ones(3, "float32") * x
        with pytest.raises(ValueError, match="gradients do not flow"):
            numpy.median(x)
    y.backward()
    same(x.grad, numpy.full(3, 3, "float32"))


def test_copies_and_pickles():
    x = np.array([[1, 2]], dtype="int8")
    for made in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
        same(made, x.asnumpy())
        assert made.dtype == "int8"
        assert made is not x
    legacy = x.as_nd_ndarray()
    assert type(legacy) is mx.nd.NDArray
    assert type(legacy.as_np_ndarray()) is np.ndarray
    legacy[:] = 5
    assert x.tolist() == [[5, 5]]


def test_gradients_have_the_class():
    x = np.array(2.0)
    x.attach_grad()
    assert type(x.grad) is type(x.detach()) is np.ndarray
    with autograd.record():
        y = x * x
    (g,) = autograd.grad([y], [x])
    assert type(g) is np.ndarray
    assert g.shape == ()


PRINTED = {
    "np.array(3.5)": "array(3.5)",
    "np.array([1, 2])": "array([1., 2.])",
    "np.array([1.5], dtype='float64')": "array([1.5], dtype=float64)",
    "np.array([1], dtype='int32')": "array([1], dtype=int32)",
    "np.array([1], dtype='int64')": "array([1], dtype=int64)",
    "np.array([True], dtype=bool)": "array([ True])",
    "np.zeros((0, 3))": "array([], shape=(0, 3))",
}


@pytest.mark.parametrize("text", PRINTED)
def test_printing(text):
    assert repr(eval(text)) == PRINTED[text]


def test_numbers():
    x = np.array(1.5)
    assert f"{x:.2f}" == "1.50"
    assert float(x) == x.item() == 1.5
    assert int(x) == 1
    assert round(np.array(1.26), 1).item() == pytest.approx(1.3)
    assert [1, 2, 3][np.array(1, dtype="int32")] == 2
    assert x.tolist() == 1.5
    assert 2 in np.arange(3)
    with pytest.raises(ValueError, match="is ambiguous"):
        bool(np.ones(2))


def test_float32_is_not_told_where_the_text_is_wrapped_either():
    x = np.array([3.4e38, -3.4e38, 0, -128, 128])
    assert "\n" in repr(x.asnumpy())
    assert repr(x).endswith("1.28e+02])")


def test_a_truth_value_is_a_mask_of_all():
    with mx.util.np_array(True), mx.util.np_shape(True):
        x = np.arange(4).reshape(2, 2)
        for key in (True, numpy.True_, numpy.array(True)):
            assert x[key].shape == (1, 2, 2)
        assert x[False].shape == (0, 2, 2)
        x[False] = 9
        assert x.tolist() == [[0, 1], [2, 3]]
        x[True] = 9
        assert x.tolist() == [[9, 9], [9, 9]]
    with mx.util.np_array(False):
        assert mx.nd.arange(2)[True].asscalar() == 1  # legacy arrays take True for 1


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "float32"])
def test_numpys_truth_values_are_whole_numbers(dtype):
    x = np.ones(2, dtype=dtype)
    for made, wanted in ((x + numpy.bool_(True), x + True), (numpy.bool_(True) * x, True * x)):
        assert made.dtype == wanted.dtype
        assert made.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda half: np.union1d(half, np.array([2, 7], dtype="int32")), "float64"),
        (lambda half: np.intersect1d(half, np.ones(2)), "float32"),
        (lambda half: np.union1d(half, half), "float16"),
        (lambda half: np.nanpercentile(half, [25.0]), "float64"),
    ],
)
def test_types_of_what_numpy_sorts(call, wanted):
    assert call(np.array([3, 1, 2.5], dtype="float16")).dtype == wanted


def test_arrays_without_axes_are_not_iterable_from_the_start():
    with pytest.raises(TypeError, match="0-d"):
        iter(np.array(1.5))
    assert [x.item() for x in np.arange(3)] == [0, 1, 2]

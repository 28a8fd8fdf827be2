# SPDX-License-Identifier: Apache-2.0
"""Symbols with NumPy's semantics."""

import numpy
import pytest

import mxnova as mx

ALL = slice(None)
KEYS = [
    0, -1, ALL, slice(1, None), (0, 1), (ALL, -1), (None, 1), (slice(None, None, 2),), numpy.int64(1),
    ..., (..., 0), (..., -1, ALL), (0, ..., 1), (..., None), (None, ..., 0), (..., None, 1),
    (..., slice(None, None, -2)), (..., slice(1, 100)), (ALL, ..., slice(-2, None)), (0, 1, ...),
]  # fmt: skip


@pytest.fixture(autouse=True)
def numpy_semantics():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_selections(key):
    x = mx.sym.var("x").as_np_ndarray()
    values = numpy.arange(12.0).reshape(3, 4)
    (given,) = x[key].eval(x=mx.np.array(values))
    assert given.shape == values[key].shape
    numpy.testing.assert_array_equal(given.asnumpy(), values[key])


def test_results_follow_inputs():
    x = mx.sym.var("x")
    array = x.as_np_ndarray()
    made = [mx.sym.relu(array), array + 1, array.get_internals(), mx.sym.np.sum(x), x * array]
    assert {type(s) for s in made} == {mx.sym.np._Symbol}
    assert type(mx.sym.Group([array, array + 1])) is mx.sym.np._Symbol
    assert type(mx.sym.Group([array, x])) is mx.sym.Symbol
    assert type(array.as_nd_ndarray()) is type(mx.sym.relu(x)) is mx.sym.Symbol


def test_what_has_no_values_yet():
    x = mx.sym.var("x").as_np_ndarray()
    for key in ([0, 1], numpy.array([0, 1]), mx.np.array([0, 1]), True, 0.5):
        with pytest.raises(TypeError, match="must be integers, slices, Ellipsis, None or symbols"):
            x[key]
    with pytest.raises(IndexError, match="more than one Ellipsis"):
        x[..., 0, ...]
    with pytest.raises(TypeError, match="length is not known"):
        list(x)


# Keys with arrays ---------------------------------------------------------------------------------

INDICES = numpy.array([2, 0, -1])
GRID = numpy.array([[1], [0]])
DATA = numpy.arange(60.0, dtype="float32").reshape(3, 4, 5)
ROWS = numpy.array([True, False, True])
NONE = numpy.zeros(3, bool)
ARRAY_KEYS = {
    "x[i]": (INDICES,),
    "x[0-d]": (numpy.array(1),),
    "x[empty]": (numpy.array([], int),),
    "x[i, i]": (INDICES, INDICES),
    "x[i, j]": (INDICES, GRID),
    "x[:, i]": (ALL, INDICES),
    "x[..., i]": (..., INDICES),
    "x[i, 0]": (INDICES, 0),
    "x[0, :, i]": (0, ALL, INDICES),
    "x[i, :, i]": (INDICES, ALL, INDICES),
    "x[i, None, i]": (INDICES, None, INDICES),
    "x[j, :, ::-1]": (GRID, ALL, slice(None, None, -1)),
    "x[i, ..., 1:3]": (INDICES, ..., slice(1, 3)),
    "x[rows]": (ROWS,),
    "x[no rows]": (NONE,),
    "x[rows, 0]": (ROWS, 0),
    "x[mask of two axes]": (DATA[:, :, 0] > 20,),
    "x[mask]": (DATA > 20,),
    "x[:, columns]": (ALL, numpy.array([True, False, True, False])),
    "x[rows, i]": (ROWS, INDICES[:2]),
    "x[rows, None]": (ROWS, None),
}


class Indexed(mx.gluon.HybridBlock):
    """Selects elements by a key whose arrays are inputs."""

    def __init__(self, key):
        super().__init__()
        self.key = key

    def hybrid_forward(self, F, x, *arrays):
        given = iter(arrays)
        key = tuple(next(given) if isinstance(p, numpy.ndarray) else p for p in self.key)
        return x[key if len(key) > 1 else key[0]] * 2


def _arguments(key):
    arrays = [p for p in key if isinstance(p, numpy.ndarray)]
    x = mx.np.array(DATA)
    x.attach_grad()
    return x, *(mx.np.array(a, dtype="bool" if a.dtype == bool else "int64") for a in arrays)


def _recorded(block, arguments):
    with mx.autograd.record():
        result = block(*arguments)
    result.backward()
    return result.asnumpy(), arguments[0].grad.asnumpy()


@pytest.mark.parametrize("name", ARRAY_KEYS)
def test_array_keys_of_hybridized_blocks_select_and_have_gradients_as_arrays(name, tmp_path):
    key = ARRAY_KEYS[name]
    block = Indexed(key)
    expected, gradient = _recorded(block, _arguments(key))
    numpy.testing.assert_array_equal(expected, DATA[key] * 2)
    block.hybridize()
    for _ in range(2):
        result, hybrid_gradient = _recorded(block, _arguments(key))
        numpy.testing.assert_array_equal(result, expected)
        numpy.testing.assert_array_equal(hybrid_gradient, gradient)
    block.export(str(tmp_path / "net"))
    names = [f"data{i}" for i in range(len(_arguments(key)))]
    again = mx.gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), names)
    numpy.testing.assert_array_equal(again(*_arguments(key)).asnumpy(), expected)


@pytest.mark.parametrize(
    ("key", "shapes", "expected"),
    [
        ("array", [(3, 4, 5), (7, 2)], (7, 2, 4, 5)),
        (":,array,0", [(3, 4, 5), (7,)], (3, 7)),
        ("mask", [(3, 4, 5), (3,)], (-1, 4, 5)),
        ("mask", [(3, 4, 5), (3, 4)], (-1, 5)),
        (":,array", [(-1, 4), (2,)], (-1, 2)),
        ("array,None", [(3, 4), (2,)], (1, 2, 4)),
    ],
)
def test_array_keys_infer_shapes(key, shapes, expected):
    inputs = [mx.sym.var(f"x{i}").as_np_ndarray() for i in range(len(shapes))]
    symbol = mx.sym._internal._npi_advanced_indexing(*inputs, key=key)
    known = {f"x{i}": shape for i, shape in enumerate(shapes)}
    assert symbol.infer_shape_partial(**known)[1] == [expected]


def test_layers_behind_a_mask_know_their_shapes():
    class Net(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.dense = mx.gluon.nn.Dense(2)

        def hybrid_forward(self, F, x):
            return self.dense(x[x[..., 0] > 0])

    net = Net()
    net.initialize()
    net.hybridize()
    for count in (1, 3):
        x = mx.np.concatenate([mx.np.ones((count, 4)), -mx.np.ones((2, 4))])
        assert net(x).shape == (count, 2)


def test_arrays_of_another_kind_than_the_graph_was_made_for_are_refused():
    x, mask, indices = mx.np.array(DATA), mx.np.array(ROWS), mx.np.array(INDICES, dtype="int64")
    for first, second, kind in ((mask, indices, "a mask"), (indices, mask, "an array of integers")):
        block = Indexed((INDICES,))
        block.hybridize()
        block(x, first)
        with pytest.raises(mx.MXNetError, match=f"made for {kind}: call hybridize"):
            block(x, second)
        block.hybridize()
        block(x, second)


def test_indices_out_of_range_are_refused():
    block = Indexed((INDICES,))
    block.hybridize()
    with pytest.raises(IndexError, match="out of bounds"):
        block(mx.np.array(DATA), mx.np.array([0, 3], dtype="int64")).wait_to_read()


@pytest.mark.parametrize(
    "key", ["", "x", "1,,2", "__import__('os')", "array " * 9, "," * 99, "1" * 30]
)
def test_hostile_keys_are_refused(key):
    x = mx.sym.var("x").as_np_ndarray()
    with pytest.raises(mx.MXNetError, match="key="):
        mx.sym._internal._npi_advanced_indexing(x, x, key=key).infer_shape(x=(2,))

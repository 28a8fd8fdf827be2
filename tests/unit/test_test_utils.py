# SPDX-License-Identifier: Apache-2.0
"""mx.test_utils: what tests are written with must itself tell right from wrong."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

import mxnova as mx
from mxnova import test_utils as tu
from mxnova.test_utils import downloads

# Tolerances and comparisons -----------------------------------------------------------------------


def test_tolerances_by_element_type():
    assert tu.default_rtols()[np.dtype("float16")] == 1e-2
    assert tu.default_rtols()[np.dtype("float32")] == 1e-4
    assert tu.default_rtols()[np.dtype("float64")] == 1e-5
    assert tu.default_atols()[np.dtype("float16")] == 1e-1
    assert tu.default_atols()[np.dtype("float32")] == 1e-3
    assert tu.default_atols()[np.dtype("float64")] == 1e-20
    assert tu.default_rtols()[np.dtype("int32")] == tu.default_atols()[np.dtype("int32")] == 0
    steps = [tu.default_numeric_eps()[np.dtype(f"float{n}")] for n in (16, 32, 64)]
    assert steps == [2**-6, 2**-9, 2**-14]


@pytest.mark.parametrize(
    "x, y, rtol, atol, wanted",
    [
        (np.ones(1, "f4"), np.ones(1, "f2"), None, None, (1e-2, 1e-1)),
        (np.ones(1, "f4"), np.ones(1, "f2"), 1, None, (1, 1e-1)),
        (mx.nd.ones(1), np.ones(1), None, 2, (1e-4, 2)),
        (1, np.ones(1, "f4"), None, None, (1e-4, 1e-3)),
        (1.0, 2.0, None, None, (1e-5, 1e-20)),
        ([1.0], np.ones(1, "f4"), None, None, (1e-4, 1e-3)),
        (np.array([True]), np.array([1]), None, None, (0, 0)),
        (np.ones(1, "f4"), np.ones(1, "f4"), {np.dtype("f4"): 3}, {"float16": 7}, (3, 1e-3)),
    ],
)
def test_tolerances_of_two_arrays(x, y, rtol, atol, wanted):
    assert tu.get_tols(x, y, rtol, atol) == wanted


def test_single_tolerances():
    assert tu.get_rtol() == 1e-5
    assert tu.get_rtol(dtype="float16") == 1e-2
    assert tu.get_atol(3) == 3
    assert tu.get_etol() == 0
    assert tu.effective_dtype(mx.nd.ones(1)) == np.float32


A = np.array([[1, 2], [3, 4]], "f4")
NAN = np.full((2, 2), np.nan, "f4")


@pytest.mark.parametrize(
    "a, b, options, equal",
    [
        (A, A + 1e-3, {}, True),
        (A, A + 1e-3, {"rtol": 1e-5, "atol": 1e-20}, False),
        (A.astype("f2"), A + 0.05, {}, True),
        (A, A[:1], {}, False),
        (A, np.ones(2, "f4"), {}, False),
        (A, np.broadcast_to(A[0], (2, 2)), {}, False),
        (A[:1], A[0], {}, True),
        (np.ones((2, 3)), np.ones(4), {}, False),
        (NAN, NAN, {}, False),
        (NAN, NAN, {"equal_nan": True}, True),
        (np.array([np.inf, 1]), np.array([np.inf, 1]), {}, True),
        (np.array([np.inf, 1]), np.array([-np.inf, 1]), {}, False),
        (np.array([np.inf]), np.array([1.0]), {}, False),
        (np.zeros((0, 3)), np.zeros((0, 3)), {}, True),
        (np.array([1, 2]), np.array([1, 3]), {}, False),
        (np.array([True]), np.array([False]), {}, False),
        (1.0, 1.0 + 1e-7, {}, True),
        (1.0, 1.5, {}, False),
        ([1.0, 2.0], (1.0, 2.0), {}, True),
    ],
)
def test_almost_equal(a, b, options, equal):
    if equal:
        tu.assert_almost_equal(a, b, **options)
        assert tu.almost_equal(a, b, **options)
    else:
        with pytest.raises(AssertionError, match="not equal"):
            tu.assert_almost_equal(a, b, **options)


def test_shapes_may_have_to_be_equal():
    tu.assert_almost_equal(A[:1], A[0])
    for check in (tu.assert_almost_equal, tu.almost_equal):
        with pytest.raises(AssertionError, match=r"a.shape = \(1, 2\) and b.shape = \(2,\)"):
            check(A[:1], A[0], use_broadcast=False)


def test_the_error_lists_the_worst_elements_first():
    with pytest.raises(AssertionError) as error:
        tu.assert_almost_equal(
            np.arange(6.0).reshape(2, 3),
            np.array([[0.0, 2, 2], [3, 4, 14]]),
            names=("found", "wanted"),
            mismatches=(1, 1),
        )
    text = str(error.value)
    assert "found and wanted are not equal: 2 of 6 elements (33.3333%)" in text
    assert "at (1, 2): found=5, wanted=14" in text
    assert "at (0, 1)" not in text


def test_a_share_of_elements_may_be_wrong():
    a, b = np.zeros(10), np.array([1.0] * 2 + [0.0] * 8)
    tu.assert_almost_equal_with_err(a, b, etol=0.2)
    with pytest.raises(AssertionError, match="2 of 10"):
        tu.assert_almost_equal_with_err(a, b, etol=0.1)


def test_elements_that_are_nan_can_be_left_out():
    a, b = np.array([np.nan, 1, 2]), np.array([5, 1, np.nan])
    tu.assert_almost_equal_ignore_nan(a, b)
    with pytest.raises(AssertionError):
        tu.assert_almost_equal_ignore_nan(a, b + 1)
    assert np.isnan(a[0])  # what was given is not changed


def test_exact_comparisons():
    assert tu.same(mx.nd.array(A), A)
    assert not tu.same(A, A[0])
    x = mx.nd.array(A)
    assert tu.same_array(x, x[:])
    assert not tu.same_array(x, x.copy())
    assert not tu.same_array(x, x + 1)
    assert tu.same(x, A)
    with pytest.raises(AssertionError):
        tu.assert_allclose(A, A + 1e-5)
    assert "at (0, 1): x=2, y=3" in tu.locationError(A, A + 1, (0, 1), ("x", "y"))


def test_nested_arrays():
    x = mx.nd.ones(2)
    tu.compare_ndarray_tuple((x, (x, None)), (x, (x, None)))
    tu.compare_ndarray_tuple(None, x)
    with pytest.raises(AssertionError):
        tu.compare_ndarray_tuple((x, (x,)), (x, (x + 1,)))


def test_expected_exceptions():
    tu.assert_exception(lambda x: 1 / x, ZeroDivisionError, 0)
    with pytest.raises(AssertionError, match="raised no ZeroDivisionError"):
        tu.assert_exception(lambda x: 1 / x, ZeroDivisionError, 1)
    with pytest.raises(ZeroDivisionError):
        tu.assert_exception(lambda x: 1 / x, ValueError, 0)


# Arrays -------------------------------------------------------------------------------------------


def test_random_shapes_and_arrays():
    shapes = [tu.rand_shape_nd(3, 4) for _ in range(50)]
    assert {len(s) for s in shapes} == {3}
    assert {n for s in shapes for n in s} == {1, 2, 3, 4}
    assert 0 in {n for _ in range(50) for n in tu.rand_shape_2d(2, 2, allow_zero_size=True)}
    assert max(max(tu.rand_shape_3d(1, 2, 3)) for _ in range(50)) == 3
    assert tu.random_arrays((2, 3)).dtype == np.float32
    assert [a.shape for a in tu.random_arrays((2,), ())] == [(2,), ()]
    (uniform,) = tu.random_uniform_arrays((500,), low=3, high=4, dtype="float64")
    assert 3 <= uniform.min() < 3.1 < 3.9 < uniform.max() < 4
    with pytest.raises(TypeError, match="no argument 'scale'"):
        tu.random_uniform_arrays((2,), scale=1)
    assert sorted(tu.random_sample(range(5), 5)) == [0, 1, 2, 3, 4]
    points = [tu.rand_coord_2d(0, 2, 5, 7) for _ in range(50)]
    assert {x for x, _ in points} == {0, 1}
    assert {y for _, y in points} == {5, 6}


def test_regular_arrays():
    assert tu.create_2d_tensor(2, 3).asnumpy().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert tu.create_vector(3).dtype == np.int64
    assert tu.get_identity_mat_batch(2).asnumpy().tolist() == [[[1, 0], [0, 1]]] * 2
    assert tu.assign_each(mx.nd.array([1, 2]), lambda v: 2 * v).tolist() == [2, 4]
    assert tu.assign_each2([1, 2], [3, 4], lambda v, w: v * w).tolist() == [3, 8]


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (-1, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis, keepdims):
    data = np.random.rand(2, 3, 4)
    found = tu.np_reduce(data, axis, keepdims, np.sum)
    np.testing.assert_allclose(found, data.sum(axis, keepdims=keepdims))


def test_sums_over_what_was_broadcast():
    data = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_allclose(tu.collapse_sum_like(data, (3, 1)), data.sum((0, 2)).reshape(3, 1))
    with pytest.raises(ValueError, match="does not broadcast"):
        tu.collapse_sum_like(data, (3, 2))


@pytest.mark.parametrize("density", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_random_sparse_arrays_have_their_density(density, dtype):
    csr = tu.rand_ndarray((50, 40), "csr", density=density, dtype=dtype)
    assert csr.stype == "csr"
    assert csr.dtype == np.dtype(dtype)
    assert csr.indices.shape[0] == round(density * 2000)
    rows = tu.rand_ndarray((200, 3), "row_sparse", density=density, dtype=dtype)
    assert rows.stype == "row_sparse"
    assert abs(rows.indices.shape[0] / 200 - density) < 0.15


def test_what_sparse_arrays_are_filled_with():
    array, (data, rows) = tu.rand_sparse_ndarray(
        (4, 2), "row_sparse", rsp_indices=(1, 3), data_init=2
    )
    assert array.asnumpy().tolist() == [[0, 0], [2, 2], [0, 0], [2, 2]]
    assert data.tolist() == [[2, 2], [2, 2]]
    assert rows.tolist() == [1, 3]
    array, (indptr, indices, values) = tu.rand_sparse_ndarray(
        (4, 5), "csr", density=0.5, modifier_func=lambda _: 7
    )
    assert set(values.asnumpy()) == {7}
    assert indptr.asnumpy()[-1] == indices.shape[0] == 10
    assert tu.create_sparse_array_zd((3, 3), "csr", 0).asnumpy().sum() == 0
    assert tu.create_sparse_array((3, 3), "csr", density=1).indices.shape == (9,)


def test_a_power_law_doubles_from_row_to_row():
    csr = tu.rand_ndarray((20, 80), "csr", density=0.3, distribution="powerlaw")
    filled = (csr.asnumpy() != 0).sum(1)
    assert filled.tolist() == [2, 4, 8, 16, 32, 64, 80, 80, 80, 80, 25, *[1] * 9]


def test_shuffled_columns_keep_their_values():
    csr = tu.rand_ndarray((5, 30), "csr", density=0.8)
    shuffled = tu.shuffle_csr_column_indices(csr)
    assert shuffled.indices.asnumpy().tolist() != csr.indices.asnumpy().tolist()
    assert shuffled.indptr.asnumpy().tolist() == csr.indptr.asnumpy().tolist()
    assert sorted(shuffled.indices.asnumpy()) == sorted(csr.indices.asnumpy())


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"stype": "coo"}, "must be one of csr, row_sparse"),
        ({"stype": "csr", "density": 1.5}, "must be between 0 and 1"),
        ({"stype": "csr", "distribution": "normal"}, "must be uniform, powerlaw"),
        ({"stype": "row_sparse", "distribution": "powerlaw"}, "must be uniform"),
        ({"stype": "csr", "shape": (3,)}, "a csr array has two axes"),
    ],
)
def test_sparse_arrays_that_cannot_be(arguments, text):
    with pytest.raises(mx.MXNetError, match=text):
        tu.rand_ndarray(**{"shape": (3, 3), **arguments})


@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 5, 5)])
def test_matrices_for_linear_algebra(shape):
    for make in (tu.new_matrix_with_real_eigvals_nd, tu.new_sym_matrix_with_real_eigvals_nd):
        made = make(shape)
        values = np.linalg.eigvals(made)
        assert made.shape == shape
        assert np.abs(values.imag).max() < 1e-6
        assert np.diff(np.sort(values.real)).min() > 0.1  # apart from each other
    symmetric = tu.new_sym_matrix_with_real_eigvals_2d(4)
    np.testing.assert_array_equal(symmetric, symmetric.T)
    q = tu.new_orthonormal_matrix_2d(4)
    np.testing.assert_allclose(q @ q.T, np.eye(4), atol=1e-12)


# Symbols ------------------------------------------------------------------------------------------

X, Y = mx.sym.var("x"), mx.sym.var("y")
B = A + 1


def test_outputs_are_checked():
    found = tu.check_symbolic_forward(X * Y, [A, B], [A * B])
    np.testing.assert_allclose(found[0].asnumpy(), A * B)
    tu.check_symbolic_forward(X * Y, {"y": B, "x": A}, [A * B], dtype="float64")
    tu.check_symbolic_forward(X * Y, [mx.nd.array(A), B], [A * B], dtype="asnumpy")
    with pytest.raises(AssertionError, match="EXPECTED__mul.*FORWARD__mul"):
        tu.check_symbolic_forward(X * Y, [A, B], [A * B + 1])
    states = {"bn_moving_mean": np.zeros(2), "bn_moving_var": np.ones(2)}
    net = mx.sym.BatchNorm(X, name="bn", fix_gamma=True)
    inputs = {"x": A, "bn_gamma": np.ones(2), "bn_beta": np.zeros(2)}
    tu.check_symbolic_forward(net, inputs, [A], aux_states=states, atol=0.01)


@pytest.mark.parametrize(
    "location, text",
    [
        ([A], "'y' of x, y is missing"),
        ({"x": A}, "'y' of x, y is missing"),
        ({"x": A, "z": B}, "'z' is none of x, y"),
    ],
)
def test_locations_that_do_not_fit(location, text):
    with pytest.raises(ValueError, match=text):
        tu.check_symbolic_forward(X * Y, location, [A])


def test_lists_may_be_longer_than_what_they_are_for():
    tu.check_symbolic_forward(X * Y, [A, B, A], [A * B, A])
    tu.check_symbolic_backward(X * Y, [A, B], [A, B], [A * B, A * A, A])


def test_names_that_tests_take_from_here():
    names = {}
    exec("from mxnova.test_utils import *", names)
    assert names["sys"] is sys
    assert names["os"] is os
    assert names["np"] is np
    assert names["mx"] is mx
    assert names["ss"].__name__ == "scipy.stats"
    with pytest.raises(AttributeError, match="no_such_name"):
        tu.no_such_name  # noqa: B018


@pytest.mark.parametrize("request_", ["write", "add", "null"])
def test_gradients_are_checked(request_):
    wanted = {"x": A * B, "y": A * A}
    tu.check_symbolic_backward(X * Y, [A, B], [A], wanted, grad_req=request_)
    tu.check_symbolic_backward(X * Y, [A, B], [A], {"x": A * B}, grad_req=request_)
    if request_ != "null":
        with pytest.raises(AssertionError, match="EXPECTED_y.*BACKWARD_y"):
            tu.check_symbolic_backward(
                X * Y, [A, B], [A], {**wanted, "y": A}, grad_req={"x": "null", "y": request_}
            )


def test_gradients_may_be_stored_sparsely():
    found = tu.check_symbolic_backward(
        X * Y, [A, B], [A], [A * B, A * A], grad_stypes={"x": "row_sparse"}
    )
    assert found["x"].stype == "row_sparse"
    with pytest.raises(ValueError, match="out_grads: the gradient of .* is missing"):
        tu.check_symbolic_backward(X * Y, [A, B], {}, [A, A])


def half_gradient(x):
    """x, with half of its gradient."""
    return x * 0.5 + mx.sym.BlockGrad(x * 0.5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_by_differences(dtype):
    tu.check_numeric_gradient(X * Y + mx.sym.sin(X), [A, B], dtype=dtype)
    tu.check_numeric_gradient(X * Y, {"x": A, "y": B}, grad_nodes=["x"])
    tu.check_numeric_gradient(X * Y, [A, B], grad_nodes={"x": "add", "y": "null"})
    tu.check_numeric_gradient(mx.sym.Group([X * Y, X + Y]), [A, B])
    for nodes in (["x"], {"x": "add"}):
        with pytest.raises(AssertionError, match="NUMERICAL_x.*BACKWARD_x"):
            tu.check_numeric_gradient(half_gradient(X), [A], grad_nodes=nodes, dtype=dtype)
    with pytest.raises(ValueError, match="'z' is none of x, y"):
        tu.check_numeric_gradient(X * Y, [A, B], grad_nodes=["z"])
    with pytest.raises(ValueError, match="must be one of float16"):
        tu.check_numeric_gradient(X * Y, [A, B], dtype="int32")


def test_differences_start_from_the_same_states():
    net = mx.sym.BatchNorm(X, name="bn", fix_gamma=False)
    data = np.random.randn(6, 2)
    tu.check_numeric_gradient(
        net, [data, np.ones(2), np.zeros(2)], [np.zeros(2), np.ones(2)],
        numeric_eps=1e-2, rtol=0.2, atol=0.02,
    )  # fmt: skip


def test_difference_quotients_of_an_executor():
    executor = (X * Y).bind(mx.cpu(), {"x": mx.nd.array(A), "y": mx.nd.array(B)})
    found = tu.numeric_grad(executor, {"x": A, "y": B}, eps=1e-2)
    np.testing.assert_allclose(found["x"], B, rtol=1e-3)
    np.testing.assert_allclose(found["y"], A, rtol=1e-3)
    np.testing.assert_array_equal(executor.arg_dict["x"].asnumpy(), A)


def test_ways_of_binding_are_compared():
    net = mx.sym.FullyConnected(X, num_hidden=3, name="fc")
    ways = [{"ctx": mx.cpu(), "x": (4, 5), "type_dict": {"x": t}} for t in ("float64", "float32")]
    truth = tu.check_consistency(net, ways)
    assert set(truth) == {"fc_output", "x", "fc_weight", "fc_bias"}
    assert truth["fc_output"].dtype == np.float64
    assert set(tu.check_consistency(net, ways, grad_req="null")) == {"fc_output"}
    other = mx.sym.FullyConnected(X, num_hidden=3, name="fc") * 2
    with pytest.raises(AssertionError, match=r"fc_output of ctx_list\[1\]"):
        tu.check_consistency([net, other], ways)
    with pytest.raises(AssertionError):
        tu.check_consistency(net, ways, ground_truth={"fc_output": np.zeros((4, 3))})
    with pytest.raises(ValueError, match="has 1 items"):
        tu.check_consistency(net, ways[:1])


def test_a_less_exact_first_output_loosens_nothing_without_training():
    ways = [{"ctx": mx.cpu(), "x": (4, 5)}] * 2
    nets = [
        mx.sym.Group([mx.sym.cast(X, "float16"), mx.sym.broadcast_mul(X, X * 0 + k, name="twice")])
        for k in (2, 2.004)
    ]
    with pytest.raises(AssertionError, match="twice_output"):
        tu.check_consistency(nets, ways, grad_req="null")


def test_other_checks_of_symbols():
    np.testing.assert_allclose(tu.simple_forward(X * Y, x=A, y=B), A * B)
    assert len(tu.simple_forward(mx.sym.Group([X, X * Y]), x=A, y=B)) == 2
    assert tu.check_speed(X * Y, N=2, x=(2, 2), y=(2, 2)) > 0
    assert tu.check_speed(X * Y, {"x": A, "y": B}, N=2, typ="forward") > 0
    with pytest.raises(ValueError, match="must be whole or forward"):
        tu.check_speed(X * Y, typ="backward", x=(2, 2), y=(2, 2))
    p, q = mx.sym.var("p"), mx.sym.var("q")
    assert tu.same_symbol_structure(X * Y, p * q)
    assert not tu.same_symbol_structure(X * Y, p + q)
    assert not tu.same_symbol_structure(X * Y, p * p)


class Steps:
    """An optimizer of gradient descent."""

    def __init__(self, rate):
        self.rate = rate

    def create_state_multi_precision(self, _index, weight):
        return (mx.nd.zeros(weight.shape), None)

    def update_multi_precision(self, _indices, weights, gradients, states):
        if isinstance(weights, mx.nd.NDArray):
            weights, gradients, states = [weights], [gradients], [states]
        for w, g, (state, _) in zip(weights, gradients, states):
            w -= self.rate * g
            state += 1


@pytest.mark.parametrize("ntensors", [1, 3])
def test_optimizers_are_compared(ntensors):
    tu.compare_optimizer(Steps(0.1), Steps(0.1), (3, 2), "float32", ntensors=ntensors)
    with pytest.raises(AssertionError):
        tu.compare_optimizer(Steps(0.1), Steps(0.2), (3, 2), "float32", ntensors=ntensors)


class Net:
    """A block with one parameter, that may go wrong once it is hybridized."""

    def __init__(self, prefix, spoiled):
        self.name, self.spoiled, self.hybrid = prefix + "w", spoiled, False

    def initialize(self):
        self.weight = mx.nd.array(np.random.randn(2))
        self.weight.attach_grad()
        self.grad_req = "write"

    def collect_params(self):
        return {self.name: self}

    def data(self):
        return self.weight

    def set_data(self, value):
        self.weight[:] = value

    def grad(self):
        return self.weight.grad

    def hybridize(self):
        self.hybrid = True

    def __call__(self, x):
        return x * self.weight + (1 if self.spoiled and self.hybrid else 0)


def test_blocks_are_compared_with_themselves():
    data = [mx.nd.array(A)]
    tu.check_gluon_hybridize_consistency(lambda prefix: Net(prefix, False), data)
    with pytest.raises(AssertionError):
        tu.check_gluon_hybridize_consistency(lambda prefix: Net(prefix, True), data)
    with pytest.raises(AssertionError):
        tu.check_gluon_hybridize_consistency(lambda prefix: Net(prefix, False), data, np.zeros_like)


# Statistics ---------------------------------------------------------------------------------------

NORMAL = tu.gen_buckets_probs_with_ppf(
    lambda p: [-np.inf, -0.67448975, 0.0, 0.67448975, np.inf][round(4 * p)], 4
)


def test_buckets_of_equal_probability():
    buckets, probabilities = NORMAL
    assert probabilities == [0.25] * 4
    assert buckets[1] == (-0.67448975, 0.0)


def test_chi_squared_tests_tell_distributions_apart():
    rng = np.random.default_rng(0)
    tu.verify_generator(lambda n: rng.normal(size=n), *NORMAL, nsamples=10000)
    tu.verify_generator(lambda n: mx.nd.array(rng.integers(0, 3, n)), [0, 1, 2], [1 / 3] * 3, 9000)
    with pytest.raises(AssertionError, match="another distribution"):
        tu.verify_generator(lambda n: rng.normal(0, 1.2, n), *NORMAL, nsamples=10000)
    p, observed, expected = tu.chi_square_check(
        lambda n: np.repeat([0, 1], [480, 520]), [0, 1], [0.5, 0.5], nsamples=1000
    )
    assert observed.tolist() == [480, 520]
    assert expected.tolist() == [500, 500]
    assert p == pytest.approx(0.2059, abs=1e-4)
    with pytest.raises(ValueError, match="all intervals or all values"):
        tu.chi_square_check(lambda n: rng.normal(size=n), [0, (1, 2)], [0.5, 0.5], 10)


def test_moments():
    rng = np.random.default_rng(0)
    assert tu.mean_check(lambda n: rng.normal(5, 2, n), 5, 2, 10000)
    assert not tu.mean_check(lambda n: rng.normal(5.2, 2, n), 5, 2, 10000)
    assert tu.var_check(lambda n: rng.normal(5, 2, n), 2, 10000)
    assert not tu.var_check(lambda n: rng.normal(5, 2.2, n), 2, 10000)


# Surroundings -------------------------------------------------------------------------------------


def test_environment_variables_come_back():
    os.environ["MXNOVA_TEST_A"] = "1"
    with tu.environment({"MXNOVA_TEST_A": None, "MXNOVA_TEST_B": "2"}):
        assert mx.util.getenv("MXNOVA_TEST_A") is None
        assert os.environ["MXNOVA_TEST_B"] == "2"
        with tu.environment("MXNOVA_TEST_B", "3"):
            assert mx.util.getenv("MXNOVA_TEST_B") == "3"
    assert os.environ.pop("MXNOVA_TEST_A") == "1"
    assert "MXNOVA_TEST_B" not in os.environ
    for arguments in ((), ("A",), ({}, "1")):
        with (
            pytest.raises(TypeError, match="a name and a value, or a dict"),
            tu.environment(*arguments),
        ):
            pass


def test_the_default_context_is_the_threads():
    def work():
        tu.set_default_context(mx.cpu(1))
        seen.append(tu.default_context())

    seen = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [mx.cpu(1)]
    assert tu.default_context() == mx.cpu(0)
    with mx.cpu(2):
        assert mx.nd.zeros(1).context == tu.default_context() == mx.cpu(2)


def test_standard_error_is_discarded():
    code = (
        "import os\nfrom mxnova.test_utils import discard_stderr\n"
        "with discard_stderr():\n    os.system('echo hidden >&2')\n"
        "os.system('echo shown >&2')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "shown\n"


def test_tests_may_be_tried_again():
    tried = []

    @tu.retry(3)
    def flaky(good):
        tried.append(good)
        assert len(tried) >= good

    flaky(2)
    assert tried == [2, 2]
    with pytest.raises(AssertionError):
        flaky(9)
    assert len(tried) == 5

    @tu.retry(3)
    def broken():
        tried.append(0)
        raise ValueError

    with pytest.raises(ValueError):
        broken()
    assert len(tried) == 6


def test_what_is_known_of_the_machine():
    assert list(tu.list_gpus()) == list(range(mx.num_gpus()))
    assert tu.is_op_runnable()
    assert not tu.has_tvm_ops()
    with tu.environment("CD_JOB", "1"):
        assert tu.is_cd_run()
    with pytest.raises(FileNotFoundError, match="im2rec"):
        tu.get_im2rec_path()


def test_the_names_that_tests_take_from_here():
    taken = {}
    exec("from mxnova.test_utils import *", taken)
    assert taken["mx"] is mx
    assert taken["np"] is np
    assert taken["rnd"] is np.random


# Downloads ----------------------------------------------------------------------------------------


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200 if "good" in self.path else 404)
            self.end_headers()
            self.wfile.write(b"content")

        def log_message(self, *_):
            pass

    asked = []
    httpd = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}", asked
    httpd.shutdown()
    httpd.server_close()


def test_downloads(server, tmp_path):
    url, asked = server
    path = tu.download(f"{url}/good.bin", dirname=str(tmp_path / "new"))
    assert path == str(tmp_path / "new" / "good.bin")
    assert (tmp_path / "new" / "good.bin").read_bytes() == b"content"
    tu.download(f"{url}/good.bin", dirname=str(tmp_path / "new"))
    assert len(asked) == 1
    tu.download(f"{url}/good.bin", fname=path, overwrite=True)
    assert len(asked) == 2


def test_a_download_that_fails_leaves_nothing(server, tmp_path):
    url, asked = server
    with pytest.raises(mx.MXNetError, match="404"):
        tu.download(f"{url}/bad.bin", dirname=str(tmp_path), retries=2)
    assert len(asked) == 1  # it will not be there the next time either
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://127.0.0.1:9", "nothing://at.all"])
def test_urls_that_lead_nowhere(url, tmp_path):
    with pytest.raises(mx.MXNetError, match="cannot be fetched|names no file|must be of http"):
        tu.download(url, dirname=str(tmp_path), retries=0)
    assert list(tmp_path.iterdir()) == []


def test_models_are_downloaded(server, tmp_path):
    url, _ = server
    meta = {"net": {"symbol": f"{url}/good-symbol.json", "params": f"{url}/good.params"}}
    assert tu.download_model("net", str(tmp_path), meta) == (str(tmp_path / "net"), 0)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0000.params", "net-symbol.json"]
    assert tu.download_model("other", str(tmp_path), meta) == (None, 0)
    with pytest.raises(ValueError, match="meta_info has no params"):
        tu.download_model("net", str(tmp_path), {"net": {"symbol": ""}})


def zipped(n_bytes):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("file", bytes(n_bytes))
    return content.getvalue()


@pytest.fixture
def served(monkeypatch):
    """Sets what a download brings."""

    def serve(content):
        def download(url, name, folder=""):
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(content)
            return path

        monkeypatch.setattr(downloads, "download", download)
        monkeypatch.setattr(downloads, "_MOST_BYTES", 1000)
        monkeypatch.setattr(downloads, "_MOST_OF_MNIST", 1000)

    return serve


GETTERS = {
    "zip": (lambda: tu.get_zip_data(".", "http://x/a.zip", "a.zip"), zipped),
    "bz2": (
        lambda: tu.get_bz2_data(".", "file", "http://x/a", "a"),
        lambda n: bz2.compress(bytes(n)),
    ),
}


@pytest.mark.parametrize("kind", GETTERS)
def test_archives_are_unpacked_and_bounded(served, tmp_path, monkeypatch, kind):
    get, packed = GETTERS[kind]
    monkeypatch.chdir(tmp_path)
    for content, reason in [
        (packed(1001), "1000"),
        (packed(500)[:-30], "damaged"),
        (b"", "damaged"),
    ]:
        served(content)
        with pytest.raises(mx.base.MXNetError, match=reason):
            get()
        assert list(tmp_path.iterdir()) == []  # the next call fetches it again
    served(packed(1000))
    get()
    assert (tmp_path / "file").read_bytes() == bytes(1000)


def test_mnist_is_bounded(served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    served(gzip.compress(bytes(1001)))
    with pytest.raises(mx.base.MXNetError, match="unpacks to more than 1000 bytes"):
        tu.get_mnist()


class Batches:
    provide_data, provide_label, batch_size = [("data", (2,))], [], 2

    def __iter__(self):
        return iter([1, 2, 3])


def test_an_iterator_that_gives_one_batch_for_ever():
    iterator = tu.DummyIter(Batches())
    assert [iterator.next() for _ in range(3)] == [1, 1, 1]
    assert next(iter(iterator)) == 1
    assert iterator.iter_next()
    assert iterator.provide_data == Batches.provide_data

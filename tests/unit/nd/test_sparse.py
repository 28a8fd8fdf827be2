# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import OutOfMemoryError

DENSE = np.array([[0, 1, 0], [0, 0, 0], [2, 0, 3]], "f")


def test_csr_parts():
    x = mx.nd.array(DENSE).tostype("csr")
    assert (x.stype, x.shape, x.size, x.ndim) == ("csr", (3, 3), 9, 2)
    assert x.data.asnumpy().tolist() == [1, 2, 3]
    assert x.indices.asnumpy().tolist() == [1, 0, 2]
    assert x.indptr.asnumpy().tolist() == [0, 1, 1, 3]
    assert x.dtype is np.float32
    assert "CSRNDArray 3x3 @cpu(0)" in repr(x)


def test_row_sparse_parts():
    x = mx.nd.array(DENSE).tostype("row_sparse")
    assert x.indices.asnumpy().tolist() == [0, 2]
    assert x.data.asnumpy().tolist() == [[0, 1, 0], [2, 0, 3]]


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_everything_else_sees_the_dense_values(stype):
    x = mx.nd.array(DENSE).tostype(stype)
    np.testing.assert_array_equal(x.asnumpy(), DENSE)
    np.testing.assert_array_equal((x + 1).asnumpy(), DENSE + 1)
    np.testing.assert_array_equal(x.tostype("default").asnumpy(), DENSE)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).asnumpy(), DENSE)
    np.testing.assert_array_equal(x.astype("float64").asnumpy(), DENSE)
    target = mx.nd.zeros((3, 3), stype=stype)
    x.copyto(target)
    np.testing.assert_array_equal(target.asnumpy(), DENSE)
    dense = mx.nd.zeros((3, 3))
    np.testing.assert_array_equal(x.copyto(dense).asnumpy(), DENSE)
    assert x.copyto(mx.cpu(1)).context == mx.cpu(1)


def test_bad_storage_types_are_named():
    with pytest.raises(mx.MXNetError, match="stype='coo'"):
        mx.nd.ones((2, 2)).tostype("coo")
    with pytest.raises(mx.MXNetError, match="2 dimensions"):
        mx.nd.ones((2,)).tostype("csr")


def test_parts_are_copies():
    x = mx.nd.array(DENSE).tostype("csr")
    x.data[:] = 7
    np.testing.assert_array_equal(x.asnumpy(), DENSE)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_a_sparse_array_is_not_copied_to_itself(stype):
    x = mx.nd.array(DENSE).tostype(stype)
    with pytest.warns(RuntimeWarning, match="itself"):
        assert x.copyto(x) is False


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize(
    "key, kinds",
    [(..., (AssertionError, TypeError)), (0, (TypeError,)), (slice(1, 2), (ValueError,))],
)
def test_parts_of_sparse_arrays_cannot_be_written(stype, key, kinds):
    x = mx.nd.array(DENSE).tostype(stype)
    for kind in (*kinds, mx.MXNetError):
        with pytest.raises(kind, match=r"\[:\] only"):
            x[key] = 1


def test_dense_arrays_are_made_sparse_by_a_method():
    with pytest.raises(AssertionError, match="tostype"):
        mx.nd.sparse.array(mx.nd.array(DENSE))


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("shape", [(2, 0), (0, 2), (0, 0)])
def test_arrays_without_elements(shape, stype):
    with mx.util.np_shape(True):
        x = mx.nd.zeros(shape).tostype(stype)
        assert x.shape == x.tostype("default").shape == shape


csr_matrix, row_sparse_array = mx.nd.sparse.csr_matrix, mx.nd.sparse.row_sparse_array

BROKEN = {  # made with parts that contradict each other; whether check_format(False) finds it
    "column beyond": (lambda: csr_matrix(([1, 2], [0, 3], [0, 1, 2]), shape=(2, 3)), False),
    "column below": (lambda: csr_matrix(([1, 2], [0, -1], [0, 1, 2]), shape=(2, 3)), False),
    "falling indptr": (lambda: csr_matrix(([1, 2], [0, 1], [0, 3, 2]), shape=(2, 3)), False),
    "indptr start": (lambda: csr_matrix(([1, 2], [0, 1], [1, 1, 2]), shape=(2, 3)), False),
    "indptr end": (lambda: csr_matrix(([1, 2], [0, 1], [0, 1, 4]), shape=(2, 3)), False),
    "short indptr": (lambda: csr_matrix(([1, 2], [0, 1], [0, 1]), shape=(2, 3)), True),
    "row beyond": (lambda: row_sparse_array(([[1] * 3, [2] * 3], [0, 4]), shape=(2, 3)), False),
    "row below": (lambda: row_sparse_array(([[1] * 3, [2] * 3], [-1, 1]), shape=(2, 3)), False),
}

USES = {
    "asnumpy": lambda x: x.asnumpy(),
    "copy": lambda x: x.copy(),
    "astype": lambda x: x.astype("float64"),
    "tostype": lambda x: x.tostype("default"),
    "copyto": lambda x: x.copyto(mx.nd.zeros((2, 3))),
    "sum": lambda x: x + x,
    "sum with dense": lambda x: x + mx.nd.ones((2, 3)),
    "dot": lambda x: mx.nd.sparse.dot(x, mx.nd.ones((3, 2))),
    "turned dot": lambda x: mx.nd.sparse.dot(x, mx.nd.ones((2, 2)), transpose_a=True),
    "zeros_like": mx.nd.zeros_like,
    "without a kernel": mx.nd.exp,
    "update": lambda x: mx.nd.sgd_update(mx.nd.ones((2, 3)), x, lr=0.1),
    "pickle": pickle.dumps,
    "attach_grad": lambda x: x.attach_grad(),
    "assigned": lambda x: mx.nd.sparse.zeros(x.stype, (2, 3)).__setitem__(slice(None), x),
    "bound": lambda x: (mx.sym.var("x", stype=x.stype) * 2).bind(mx.cpu(), {"x": x}).forward(),
    "save": lambda x: mx.nd.save("broken.params", x),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_storage_can_be_looked_at_and_not_used(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, found_by_lengths = BROKEN[name]
    x = make()
    assert (x.shape, x.dtype, len(x.data), len(x.indices)) == ((2, 3), np.float32, 2, 2)
    with pytest.raises(mx.MXNetError, match=f"{x.stype} array of shape"):
        x.check_format()
    if not found_by_lengths:
        x.check_format(full_check=False)
    for use in USES.values():
        with pytest.raises(mx.MXNetError, match=f"{x.stype} array of shape"):
            use(x)
    if x.stype == "csr":
        for use in (lambda: x[0], x.asscipy):
            with pytest.raises(mx.MXNetError, match="csr array of shape"):
                use()
    assert not list(tmp_path.iterdir())
    x[:] = mx.nd.ones((2, 3))
    assert x.asnumpy().tolist() == [[1] * 3] * 2


def test_parts_of_other_lengths_are_no_array():
    with pytest.raises(mx.MXNetError, match="2 values have 1 indices"):
        csr_matrix(([1, 2], [0], [0, 1, 2]), shape=(2, 3))
    with pytest.raises(mx.MXNetError, match="1 values have 2 indices"):
        row_sparse_array(([[1]], [0, 1]), shape=(2, 1))


def test_indices_in_any_order_are_read():
    falling = csr_matrix(([1, 2], [2, 0], [0, 2, 2]), shape=(2, 3))
    with pytest.raises(mx.MXNetError, match="must rise"):
        falling.check_format()
    np.testing.assert_array_equal(falling.asnumpy(), [[2, 0, 1], [0, 0, 0]])


def test_a_fallback_is_told_once(caplog, monkeypatch):
    x = mx.nd.array(DENSE).tostype("csr")
    monkeypatch.setattr("mxnova.core.nd.calls.fallback._told", set())
    for _ in range(2):
        mx.nd.softmax(x)
    assert [r.message.split(";")[0] for r in caplog.records] == [
        "operator softmax has no kernel for inputs stored as csr and runs on dense copies"
    ]
    monkeypatch.setattr("mxnova.core.nd.calls.fallback._told", set())
    monkeypatch.setenv("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")
    mx.nd.softmax(x)
    assert len(caplog.records) == 1


# Memory: dense copies of these would be terabytes -------------------------------------------------


@pytest.fixture(scope="module")
def huge():
    """A matrix of 10⁶ × 10⁶ with 10⁶ stored ones, one in each row."""
    n = 10**6
    columns = np.random.RandomState(0).permutation(n)
    return mx.nd.sparse.csr_matrix(
        (np.ones(n, "f"), columns, np.arange(n + 1)), shape=(n, n), dtype="float32"
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2 + x,
        lambda x: x - x,
        lambda x: mx.nd.abs(-x),
        lambda x: x[5:9],
        lambda x: x.copy().astype("float64"),
        lambda x: mx.nd.concat(x, x, dim=0),
        lambda x: mx.nd.take(x, mx.nd.array([7, 3])),
        lambda x: mx.nd.broadcast_mul(x, mx.nd.ones((1, 10**6))),
        lambda x: mx.nd.zeros_like(x),
        lambda x: mx.nd.sparse.sum(x, axis=0),
        lambda x: mx.nd.sparse.mean(x, axis=1),
        lambda x: mx.nd.sparse.norm(x),
        lambda x: mx.nd.sparse.dot(x, mx.nd.ones((10**6, 1))),
        lambda x: mx.nd.sparse.dot(x, mx.nd.ones((10**6, 1)), transpose_a=True),
    ],
)
def test_huge_matrices_stay_sparse(huge, function):
    result = function(huge)
    assert result.dtype in (np.float32, np.float64)
    stored = result if result.stype == "default" else result.data
    assert stored.size <= 2 * 10**6


@pytest.mark.parametrize(
    "function", [lambda x: x.asnumpy(), lambda x: x.tostype("default"), lambda x: x + 1, mx.nd.exp]
)
@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_what_no_memory_holds_densely_is_refused_by_name(stype, function):
    array = mx.nd.sparse.zeros(stype, (3, 1 << 50) if stype == "csr" else (1 << 50, 3))
    with pytest.raises(OutOfMemoryError, match=f"dense copy of a {stype} array of shape"):
        function(array)


def test_gradients_of_huge_tables_stay_rows(huge):
    w = mx.nd.ones((10**6, 1))
    w.attach_grad(stype="row_sparse")
    few = huge[:100]
    with mx.autograd.record():
        y = (
            mx.nd.sparse.dot(few * 2, w)
            + mx.nd.Embedding(
                mx.nd.array([[5], [7]]), w, input_dim=10**6, output_dim=1, sparse_grad=True
            ).sum()
        )
    y.backward()
    assert w.grad.stype == "row_sparse"
    assert 100 <= len(w.grad.indices) <= 102


# Gradients ----------------------------------------------------------------------------------------


def lookup(w, indices):
    return mx.nd.Embedding(mx.nd.array(indices), w, input_dim=4, output_dim=2, sparse_grad=True)


@pytest.mark.parametrize("stype", [None, "row_sparse"])
def test_gradients_are_written_and_added_by_row(stype):
    w = mx.nd.ones((4, 2))
    for request, wanted in (("write", [0, 1, 0, 2]), ("add", [0, 2, 0, 4])):
        w.attach_grad(grad_req=request, stype=stype)
        buffer = w.grad
        for _ in range(2):
            with mx.autograd.record():
                y = lookup(w, [1, 3, 3])
            y.backward()
        assert w.grad is buffer
        assert buffer.stype == (stype or "default")
        np.testing.assert_array_equal(buffer.asnumpy()[:, 0], wanted)
    if stype:
        assert buffer.indices.asnumpy().tolist() == [1, 3]


def test_rows_of_several_uses_are_summed_with_dense_gradients():
    w = mx.nd.ones((4, 2))
    w.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        y = lookup(w, [1]).sum() + lookup(w, [1, 2]).sum()
    y.backward()
    assert w.grad.indices.asnumpy().tolist() == [1, 2]
    with mx.autograd.record():
        y = lookup(w, [1]).sum() + (w * w).sum()
    y.backward()
    np.testing.assert_array_equal(w.grad.asnumpy()[:, 0], [2, 3, 2, 2])


def test_sparse_gradients_pass_dense_operators():
    x = mx.nd.array(DENSE).tostype("csr")
    w = mx.nd.array([[-1.0], [2], [3]])
    w.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        y = mx.nd.sparse.dot(x, mx.nd.relu(w).exp())
    y.backward()
    np.testing.assert_allclose(w.grad.asnumpy()[:, 0], [0, np.exp(2), 3 * np.exp(3)], rtol=1e-6)


def test_a_lazy_step_leaves_other_rows_alone():
    w, mom = mx.nd.ones((4, 2)), mx.nd.ones((4, 2))
    w.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        y = lookup(w, [1])
    y.backward()
    mx.nd.sgd_mom_update(w, w.grad, mom, lr=1, momentum=0.5, wd=1, out=w)
    assert w.asnumpy()[:, 0].tolist() == [1, -0.5, 1, 1]
    assert mom.asnumpy()[:, 0].tolist() == [1, -1.5, 1, 1]


def test_in_place_sums_of_the_whole_warn_of_nothing(recwarn):
    x = mx.nd.sparse.row_sparse_array(([[1.0, 2.0]], [1]), shape=(3, 2))
    x[:] += x
    assert x.asnumpy().tolist() == [[0, 0], [2, 4], [0, 0]]
    assert not recwarn.list


# SciPy's matrices ---------------------------------------------------------------------------------


def _scipy_matrices():
    sp = pytest.importorskip("scipy.sparse")
    unsorted = sp.csr_matrix(([1.0, 2, 3, 4], [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    places = sp.coo_matrix(([1.0, 2, 3, 4], ([0, 0, 0, 1], [2, 0, 2, 1])), shape=(2, 3))
    turned = sp.csc_matrix(([2.0, 4, 3, 1], [0, 1, 0, 0], [0, 1, 2, 4]), shape=(2, 3))
    return unsorted, places, turned, places.tolil(), places.todok(), places.tobsr()


@pytest.mark.parametrize("make", [mx.nd.sparse.csr_matrix, mx.nd.sparse.array, mx.nd.array])
def test_csr_of_scipy_has_each_place_once_and_in_order(make):
    for matrix in _scipy_matrices():
        before = matrix.toarray(), matrix.nnz
        x = make(matrix)
        parts = [p.asnumpy().tolist() for p in (x.data, x.indices, x.indptr)]
        assert parts == [[2, 4, 4], [0, 2, 1], [0, 2, 3]]
        x.check_format()
        np.testing.assert_array_equal(matrix.toarray(), before[0])
        assert matrix.nnz == before[1]


def test_zeros_that_scipy_stores_stay():
    sp = pytest.importorskip("scipy.sparse")
    x = mx.nd.sparse.csr_matrix(sp.csr_matrix(([0.0, 2], [1, 0], [0, 1, 2]), shape=(2, 3)))
    assert x.data.asnumpy().tolist() == [0, 2]


def test_scipy_matrices_do_not_become_row_sparse():
    with pytest.raises(TypeError, match="cannot become row_sparse"):
        mx.nd.sparse.row_sparse_array(_scipy_matrices()[0])


@pytest.mark.parametrize("n_rows", [12, 100_000])
def test_gradients_of_rows_retained_in_another_order(n_rows):
    x = mx.nd.sparse.row_sparse_array(
        (np.array([[1, 2], [3, 4], [5, 6]], "f"), [1, 5, 9]), shape=(n_rows, 2)
    )
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.sparse.square(mx.nd.sparse.retain(x, mx.nd.array([9, 5, 1])))
    y.backward()
    assert x.grad.indices.asnumpy().tolist() == [1, 5, 9]
    assert x.grad.data.asnumpy().tolist() == [[2, 4], [6, 8], [10, 12]]

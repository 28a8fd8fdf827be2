# SPDX-License-Identifier: Apache-2.0

import contextlib

import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.linalg  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

INF = float("inf")
SYMMETRIC = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], "float32")
LOPSIDED = np.array([[2, 5], [1, 3]], "float32")
MATRIX = np.array([[1, -2, 0.5], [3, 4, 2]], "float32")
NEARLY_SINGULAR = np.array([[1, 2], [2, 4], [0, 1e-3]], "float32")


def norm(attrs, expected, shape=(2, 3, 4)):
    return Sample("_npi_norm", [shape], attrs, expected, note=str(shape), tol=1e-4)


def norms_of_matrices(order):
    return lambda x: np.linalg.norm(x, order, (-2, -1))


# fmt: off
SAMPLES = [
    Sample("_npi_cholesky", [SYMMETRIC], {}, np.linalg.cholesky, gradient=False),
    Sample("_npi_cholesky", [SYMMETRIC], {"lower": False}, lambda A: np.linalg.cholesky(A).T, gradient=False),
    Sample("_npi_svd", [MATRIX], {}, None, gradient=False),
    Sample("_npi_solve", [SYMMETRIC, (3, 2)], {}, np.linalg.solve),
    Sample("_npi_solve", [SYMMETRIC, (3,)], {}, lambda A, B: np.linalg.solve(A, B[:, None])[:, 0]),
    Sample("_npi_solve", [SYMMETRIC.astype("int32"), (3, 2)], {}, np.linalg.solve, gradient=False),
    Sample("_npi_tensorinv", [np.kron(SYMMETRIC, np.eye(2, dtype="float32")).reshape(2, 3, 6)], {},
           lambda a: np.linalg.tensorinv(a, 2), tol=1e-4),
    Sample("_npi_tensorinv", [SYMMETRIC], {"ind": 1}, np.linalg.inv),
    Sample("_npi_tensorsolve", [(2, 3, 6), (2, 3)], {}, np.linalg.tensorsolve, tol=1e-3, gradient=False),
    Sample("_npi_tensorsolve", [SYMMETRIC, (3,)], {"a_axes": "(0,)"}, lambda a, b: np.linalg.solve(a.T, b)),
    Sample("_npi_pinv_scalar_rcond", [NEARLY_SINGULAR], {"rcond": 0.1}, lambda A: np.linalg.pinv(A, 0.1)),
    Sample("_npi_pinv_scalar_rcond", [(2, 4, 3)], {}, np.linalg.pinv, tol=1e-4),
    Sample("_npi_pinv", [(2, 2, 3), np.float32([1e-6, 0.9])], {}, lambda A, r: np.linalg.pinv(A, r), tol=1e-4),
    Sample("_npi_eig", [np.float32([[1, 2], [0, 3]])], {}, lambda A: (np.array([1, 3]),)),
    Sample("_npi_eigvals", [np.int32([[1, 2], [0, 3]])], {}, np.float64([1, 3])),
    Sample("_npi_eigh", [LOPSIDED], {}, np.linalg.eigvalsh),
    Sample("_npi_eigvalsh", [LOPSIDED], {"UPLO": "U"}, lambda A: np.linalg.eigvalsh(A, "U")),
    Sample("_npi_eigvalsh", [LOPSIDED], {"UPLO": "x"}, np.linalg.eigvalsh),
    norm({}, np.linalg.norm, shape=(4,)),
    norm({}, norms_of_matrices(2)),
    norm({"flag": -2, "keepdims": True}, lambda x: np.sqrt((x * x).sum(keepdims=True))),
    norm({"flag": 1, "axis": "(0, 2)"}, lambda x: np.linalg.norm(x, "fro", (0, 2))),
    norm({"flag": 2}, norms_of_matrices("nuc")),
    norm({"ord": -2, "keepdims": True}, lambda x: np.linalg.norm(x, -2, (1, 2), keepdims=True)),
    norm({"ord": 1, "axis": "(2, 0)"}, lambda x: np.linalg.norm(x, 1, (2, 0))),
    norm({"ord": -1}, norms_of_matrices(-1)),
    norm({"ord": INF}, norms_of_matrices(INF)),
    norm({"ord": 0}, norms_of_matrices(-INF)),
    norm({"ord": 3, "axis": 1}, lambda x: np.linalg.norm(x, 3, 1)),
    Sample("_npi_norm", [np.int32([3, 5])], {"axis": 0, "ord": 1}, np.int32(8), gradient=False),
]
# fmt: on


def test_svd_factors_and_signs():
    U, L, V = find("_npi_svd").of({}).forward(torch.from_numpy(MATRIX))
    torch.testing.assert_close(U @ torch.diag(L) @ V, torch.from_numpy(MATRIX))
    assert (V.gather(-1, V.abs().argmax(-1, keepdim=True)) > 0).all()


def test_svd_of_no_rows():
    U, L, V = find("_npi_svd").of({}).forward(torch.zeros(0, 3))
    assert (U.shape, L.shape, V.shape) == ((0, 0), (0,), (0, 3))


@pytest.mark.parametrize("name", ["_npi_eig", "_npi_eigh"])
def test_eigenvectors(name):
    A = torch.from_numpy(SYMMETRIC)
    values, vectors = find(name).of({}).forward(A)
    torch.testing.assert_close(A @ vectors, vectors * values)
    if name == "_npi_eigh":
        assert (vectors.gather(0, vectors.abs().argmax(0, keepdim=True)) > 0).all()


@pytest.mark.parametrize("name", ["_npi_eig", "_npi_eigvals"])
def test_complex_eigenvalues_are_refused(name):
    with pytest.raises(MXNetError, match="complex"):
        find(name).of({}).forward(torch.tensor([[0.0, -1.0], [1.0, 0.0]]))


@pytest.mark.parametrize("triangle", ["", "LL"])
def test_the_triangle_is_one_character(triangle):
    with pytest.raises(MXNetError, match="UPLO"):
        find("_npi_eigh").of({"UPLO": triangle})


@pytest.mark.parametrize(
    ("name", "attrs", "shapes", "message"),
    [
        ("_npi_cholesky", {}, [(2, 3)], r"\[2,3\].*square"),
        ("_npi_svd", {}, [(3, 2)], r"\[3,2\]"),
        ("_npi_eig", {}, [(3,)], "two axes"),
        ("_npi_solve", {}, [(3, 3), (2, 3, 2)], "as many axes"),
        ("_npi_solve", {}, [(3, 3), (2,)], r"\[3\]"),
        ("_npi_tensorinv", {"ind": 0}, [(3, 3)], "ind=0"),
        ("_npi_tensorinv", {"ind": 1}, [(2, 3)], "2 vs. 3"),
        ("_npi_tensorsolve", {}, [(2, 3, 6), (6,)], r"\[2,3,6\]"),
        ("_npi_tensorsolve", {"a_axes": "(0, 0)"}, [(3, 3), (3,)], "twice"),
        ("_npi_pinv", {}, [(4, 3, 2), (3,)], r"rcond \[3\]"),
        ("_npi_norm", {"axis": "(0, 1, 2)"}, [(2, 2, 2)], "3 axes"),
        ("_npi_norm", {"axis": 0, "flag": 2}, [(2, 2)], "flag=2"),
    ],
)
def test_refused_shapes(name, attrs, shapes, message):
    op = find(name).of(attrs)
    facts = [*shapes, *(None,) * len(op.outputs())]
    with pytest.raises(MXNetError, match=message):
        op.infer_shape(Shapes(op.name, op.inputs(), op.outputs(), facts))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("_npi_svd", "int32"), ("_npi_cholesky", "float16"), ("_npi_eigh", "bool")],
)
def test_refused_types(name, dtype):
    op = find(name).of({})
    facts = [getattr(torch, dtype), *(None,) * len(op.outputs())]
    with pytest.raises(MXNetError, match=dtype):
        op.infer_dtype(DTypes(op.name, op.inputs(), op.outputs(), facts))


@pytest.mark.parametrize("name", ["_npi_eig", "_npi_eigvals"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_matrices_that_are_not_finite_have_no_eigenvalues(name, dtype, value):
    """MKL's solver ends the process here."""
    A = torch.eye(3, dtype=getattr(torch, dtype))
    A[1, 1] = value
    with pytest.raises(MXNetError, match=r"A \[3,3\]: .*infs or NaNs"):
        find(name).of({}).forward(A)


@pytest.mark.parametrize("size", [3, 8, 33])
def test_eigenvalues_of_numbers_of_all_sizes(size):
    """Whether the solver converges or not, memory stays whole: MKL's writes beyond its own."""
    for seed in range(20):
        random = np.random.RandomState(seed)
        A = random.randn(size, size) * 1e-250
        A[random.randint(size), random.randint(size)] = 1e150
        with contextlib.suppress(MXNetError):
            find("_npi_eig").of({}).forward(torch.from_numpy(A))

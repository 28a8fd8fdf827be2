# SPDX-License-Identifier: Apache-2.0
import itertools

import numpy as np
import pytest
import torch

import mxnova.core.op.linalg.diagonal
import mxnova.core.op.linalg.factor
import mxnova.core.op.linalg.products  # noqa: F401
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
RNG = np.random.default_rng(11)
REGULAR = (RNG.uniform(-1, 1, (2, 3, 3)) + 2 * np.eye(3)).astype("float32")
LOWER, UPPER = np.tril(REGULAR), np.triu(REGULAR)
POSITIVE = (REGULAR @ REGULAR.swapaxes(1, 2)).astype("float32")
COUNTED = np.arange(1.0, 17.0).reshape(4, 4)
inv = np.linalg.inv


def transposed(x):
    return x.swapaxes(-1, -2)


def triangle(entries, n, offset):
    """Lower triangles bounded by a diagonal, filled row by row."""
    out = np.zeros((*entries.shape[:-1], n, n))
    rows, columns = np.tril_indices(n, offset)
    out[..., rows, columns] = entries
    return out


# fmt: off
SAMPLES = [
    Sample("_linalg_gemm", [(2, 3, 4), (2, 4, 2), (2, 3, 2)], {"alpha": 2, "beta": -1}, lambda a, b, c: 2 * a @ b - c),
    Sample("_linalg_gemm", [(4, 3), (2, 4), (3, 2)], {"transpose_a": True, "transpose_b": True}, lambda a, b, c: a.T @ b.T + c),
    Sample("_linalg_gemm2", [(2, 3, 4), (2, 5, 4)], {"transpose_b": True, "alpha": 0.5}, lambda a, b: 0.5 * a @ transposed(b)),
    Sample("_linalg_gemm2", [(3, 2, 4), (4, 2, 5)], {"axis": 0}, lambda a, b: np.einsum("mik,kin->min", a, b)),
    Sample("_linalg_syrk", [(2, 3, 4)], {"alpha": 2}, lambda a: 2 * a @ transposed(a)),
    Sample("_linalg_syrk", [(2, 3, 4)], {"transpose": True}, lambda a: transposed(a) @ a),
    Sample("_linalg_trmm", [REGULAR, (2, 3, 4)], {"alpha": 2}, lambda a, b: 2 * np.tril(a) @ b),
    Sample("_linalg_trmm", [REGULAR, (2, 4, 3)], {"lower": False, "transpose": True, "rightside": True}, lambda a, b: b @ transposed(np.triu(a))),
    Sample("_linalg_trsm", [REGULAR, (2, 3, 4)], {"alpha": 2}, lambda a, b: 2 * inv(np.tril(a)) @ b, tol=1e-4),
    Sample("_linalg_trsm", [REGULAR, (2, 4, 3)], {"lower": False, "rightside": True}, lambda a, b: b @ inv(np.triu(a)), tol=1e-4),
    Sample("_linalg_trsm", [REGULAR, (2, 3, 4)], {"transpose": True}, lambda a, b: inv(transposed(np.tril(a))) @ b, tol=1e-4),
    Sample("_linalg_potrf", [POSITIVE], {}, np.linalg.cholesky, gradient=False),
    Sample("_linalg_potrf", [POSITIVE], {"lower": False}, lambda a: transposed(np.linalg.cholesky(a)), gradient=False),
    Sample("_linalg_potri", [LOWER], {}, lambda a: inv(a @ transposed(a)), tol=1e-3),
    Sample("_linalg_potri", [UPPER], {"lower": False}, lambda a: inv(transposed(a) @ a), tol=1e-3),
    Sample("_linalg_inverse", [REGULAR], {}, inv, tol=1e-4),
    Sample("_linalg_det", [REGULAR], {}, np.linalg.det, tol=1e-4),
    Sample("_linalg_det", [REGULAR[0]], {}, lambda a: np.linalg.det(a).reshape(1), tol=1e-4, note=" one matrix"),
    Sample("_linalg_slogdet", [-REGULAR], {}, lambda a: tuple(np.linalg.slogdet(a)), tol=1e-4, gradient=False),
    Sample("_linalg_sumlogdiag", [POSITIVE], {}, lambda a: np.log(np.diagonal(a, 0, 1, 2)).sum(1)),
    Sample("_linalg_sumlogdiag", [POSITIVE[0]], {}, lambda a: np.log(np.diag(a)).sum(keepdims=True), note=" one matrix"),
    Sample("_linalg_makediag", [(2, 3)], {"offset": -1}, lambda a: np.stack([np.diag(x, -1) for x in a])),
    Sample("_linalg_extractdiag", [(2, 4, 4)], {"offset": 2}, lambda a: np.diagonal(a, 2, 1, 2)),
    Sample("_linalg_extracttrian", [COUNTED], {}, np.array([1, 5, 6, 9, 10, 11, 13, 14, 15, 16])),
    Sample("_linalg_extracttrian", [COUNTED], {"offset": -2, "lower": False}, np.array([9, 13, 14])),
    Sample("_linalg_extracttrian", [COUNTED], {"lower": False}, np.array([1, 2, 6, 3, 7, 11, 4, 8, 12, 16])),
    Sample("_linalg_extracttrian", [COUNTED], {"offset": 1}, np.array([2, 3, 7, 4, 8, 12])),
    Sample("_linalg_maketrian", [(2, 6)], {}, lambda a: triangle(a, 3, 0)),
    Sample("_linalg_maketrian", [(2, 6)], {"offset": -1}, lambda a: triangle(a, 4, -1)),
    Sample("_linalg_maketrian", [(2, 6)], {"offset": 1}, lambda a: transposed(triangle(a, 4, -1))),
    Sample("diag", [(3,)], {"k": 1}, lambda x: np.diag(x, 1)),
    Sample("diag", [(3, 4)], {"k": -1}, lambda x: np.diag(x, -1)),
    Sample("diag", [(2, 3, 4)], {"axis1": -1, "axis2": 0}, lambda x: np.diagonal(x, 0, 2, 0)),
]

INFERRED = [
    ("_linalg_gemm", {}, [(2, 3, 4), (2, 4, 5), None], None, "[2,3,4], [2,4,5], [2,3,5] -> [2,3,5]"),
    ("_linalg_potrf", {}, [None], (2, 3, 3), "[2,3,3] -> [2,3,3]"),
    ("_linalg_trsm", {}, [(2, 3, 3), None], (2, 3, 4), "[2,3,3], [2,3,4] -> [2,3,4]"),
    ("_linalg_syrk", {}, [(_, 3, 4)], None, "[?,3,4] -> [?,3,3]"),
    ("_linalg_gelqf", {}, [(2, 3, 4)], None, "[2,3,4] -> [2,3,4], [2,3,3]"),
    ("_linalg_syevd", {}, [(2, 3, 3)], None, "[2,3,3] -> [2,3,3], [2,3]"),
    ("_linalg_makediag", {"offset": 1}, [(_, 3)], None, "[?,3] -> [?,4,4]"),
    ("_linalg_maketrian", {"offset": -1}, [(2, 6)], None, "[2,6] -> [2,4,4]"),
    ("_linalg_extracttrian", {"offset": 1}, [(2, 4, 4)], None, "[2,4,4] -> [2,6]"),
    ("diag", {"k": 4}, [(3, 4)], None, "[3,4] -> [0]"),
]

REFUSED = [
    ("_linalg_gemm2", {}, [(2, 3), (4, 2)], "3 vs. 4"),
    ("_linalg_gemm2", {}, [(2, 3, 4), (1, 4, 5)], "[1,4,5]"),
    ("_linalg_gemm2", {"axis": -1}, [(2, 3, 4), (2, 4, 5)], "axis=-1"),
    ("_linalg_gemm2", {}, [(4,), (4,)], "[4]"),
    ("_linalg_gemm", {}, [(3, 4), (4, 5), (1, 5)], "[1,5]"),
    ("_linalg_syrk", {}, [(3,)], "[3]"),
    ("_linalg_trmm", {}, [(3, 4), (4, 4)], "square"),
    ("_linalg_trsm", {"rightside": True}, [(3, 3), (3, 4)], "rightside=True"),
    ("_linalg_potrf", {}, [(2, 3)], "square"),
    ("_linalg_det", {}, [(3, 4)], "square"),
    ("_linalg_gelqf", {}, [(4, 3)], "[4,3]"),
    ("_linalg_extractdiag", {"offset": 3}, [(3, 3)], "offset=3"),
    ("_linalg_extracttrian", {}, [(3, 4)], "[3,4]"),
    ("_linalg_maketrian", {}, [(5,)], "[5]"),
    ("diag", {"k": 5}, [(3, 4)], "k=5"),
    ("diag", {"axis1": 1, "axis2": -1}, [(3, 4)], "axis1=1"),
]
# fmt: on


def test_cholesky_gradient_is_that_of_symmetric_matrices():
    a = torch.from_numpy(POSITIVE).double().requires_grad_()

    def symmetric(a):
        return find("_linalg_potrf").of({}).forward((a + a.mT) / 2)

    assert torch.autograd.gradcheck(symmetric, a)


def test_lq_factors_give_the_matrix_back():
    a = torch.rand(2, 3, 5, dtype=torch.float64)
    q, l = find("_linalg_gelqf").of({}).forward(a)  # noqa: E741
    torch.testing.assert_close(l @ q, a)
    torch.testing.assert_close(q @ q.mT, torch.eye(3, dtype=torch.float64).expand(2, 3, 3))
    assert not l.triu(1).any()


def test_eigenvectors_are_rows_with_a_positive_largest_component():
    a = torch.from_numpy(POSITIVE).double()
    u, values = find("_linalg_syevd").of({}).forward(a)
    torch.testing.assert_close(u.mT @ torch.diag_embed(values) @ u, a)
    assert (values.diff() >= 0).all()
    assert (u.gather(-1, u.abs().argmax(-1, keepdim=True)) > 0).all()


def test_eigenvalue_gradient():
    a = torch.from_numpy(POSITIVE).double().requires_grad_()
    op = find("_linalg_syevd").of({})
    run = recorded(op)
    assert torch.autograd.gradcheck(lambda a: run((a + a.mT) / 2), a)
    assert torch.autograd.gradgradcheck(lambda a: run((a + a.mT) / 2), a)


@pytest.mark.parametrize("name", ["_linalg_det", "_linalg_slogdet"])
def test_gradient_vanishes_at_singular_matrices(name):
    a = torch.stack([torch.ones(2, 2), 2 * torch.eye(2)]).requires_grad_()
    results = recorded(find(name).of({}))(a)
    result = results[1] if isinstance(results, tuple) else results
    result.sum().backward()
    slope = 2.0 if name == "_linalg_det" else 0.5
    assert a.grad.tolist() == [[[0, 0], [0, 0]], [[slope, 0], [0, slope]]]


def test_slogdet_gradient():
    a = torch.from_numpy(REGULAR).double().requires_grad_()
    run = recorded(find("_linalg_slogdet").of({}))
    assert torch.autograd.gradcheck(lambda a: run(a)[1], a)


def test_determinants_are_scalars_under_numpy_shapes():
    before = set_np_shape(True)
    try:
        assert inferred_shapes("_linalg_det", {}, [(3, 3)]) == "[3,3] -> []"
        assert find("_linalg_det").of({}).forward(torch.eye(3)).shape == ()
    finally:
        set_np_shape(before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("flags", list(itertools.product([False, True], repeat=3)))
def test_large_triangular_systems_are_solved_as_small_ones(flags, dtype):
    lower, transpose, rightside = flags
    rng = torch.Generator().manual_seed(3)
    triangle = torch.rand(150, 150, generator=rng, dtype=dtype) / 150 + torch.eye(150, dtype=dtype)
    right = torch.rand((20, 150) if rightside else (150, 20), generator=rng, dtype=dtype)
    op = find("_linalg_trsm").of(
        {"lower": lower, "transpose": transpose, "rightside": rightside, "alpha": 3}
    )
    solution = op.forward(triangle, right)
    matrix = triangle.tril() if lower else triangle.triu()
    matrix = matrix.T if transpose else matrix
    product = solution @ matrix if rightside else matrix @ solution
    torch.testing.assert_close(product, 3 * right)
    assert solution.is_contiguous()


@pytest.mark.parametrize("shape", [(100, 100), (2, 70, 70)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_inverse_of_large_matrices(shape, dtype):
    rng = torch.Generator().manual_seed(3)
    matrices = torch.rand(shape, generator=rng, dtype=dtype) + torch.eye(shape[-1], dtype=dtype)
    inverses = find("_linalg_inverse").of({}).forward(matrices)
    unit = torch.eye(shape[-1], dtype=dtype).expand(shape)
    torch.testing.assert_close(matrices @ inverses, unit, atol=1e-4, rtol=0)
    assert inverses.is_contiguous()


def test_a_large_singular_matrix_has_no_inverse():
    with pytest.raises(RuntimeError, match="singular"):
        find("_linalg_inverse").of({}).forward(torch.ones(100, 100))


def test_the_inverse_of_a_large_matrix_has_gradients():
    rng = torch.Generator().manual_seed(3)
    matrix = (torch.rand(64, 64, generator=rng) + 8 * torch.eye(64)).requires_grad_()
    inverse = find("_linalg_inverse").of({}).forward(matrix)
    inverse.sum().backward()
    expected = -(inverse.T @ torch.ones(64, 64) @ inverse.T)
    torch.testing.assert_close(matrix.grad, expected.detach())


@pytest.mark.parametrize(("dtype", "gap"), [(torch.float32, 1e-30), (torch.float64, 1e-100)])
def test_syevd_gradient_at_equal_eigenvalues_is_finite(dtype, gap):
    a = torch.diag(torch.tensor([2.0, 2.0, 1.0], dtype=dtype)).requires_grad_()
    u, values = recorded(find("_linalg_syevd").of({}))(a)
    weights = torch.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 10]], dtype=dtype)
    ((u * weights).sum() + (values * weights[0]).sum()).backward()
    equal, rest = a.grad[0, 1].item(), a.grad.clone()
    rest[0, 1] = rest[1, 0] = 0
    assert equal * gap == pytest.approx(2)
    assert rest.tolist() == [[3, 0, 4.5], [0, 2, 2], [4.5, 2, 1]]

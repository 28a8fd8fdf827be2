# SPDX-License-Identifier: Apache-2.0
"""Every kernel for sparse storage against the dense form of its operator."""

import math
from itertools import product

import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.op import library  # noqa: F401 - registers the operators
from mxnova.core.op.kernel import KERNELS
from mxnova.core.op.kernel_gradient import kernel_gradients
from mxnova.core.op.schema import find
from mxnova.core.op.sparse import scipy_csr
from mxnova.core.op.sparse.dot import transposed_rows
from mxnova.core.op.sparse.storage import (
    Csr,
    RowSparse,
    cast_storage,
    dense_of,
    empty_sparse,
    stype_of,
)

SCALAR = [{"scalar": 3}, {"scalar": 0}, {"scalar": -1}]
NORMS = [{}, {"ord": 1}, {"axis": 1}, {"axis": 0, "keepdims": True}]
AXES = [{"axis": a, "keepdims": k} for a in (0, 1, None, (0, 1)) for k in (False, True)]
DOTS = [
    {"transpose_a": a, "transpose_b": b, "forward_stype": s}
    for a in (False, True)
    for b in (False, True)
    for s in (None, "default", "csr", "row_sparse")
]
# Parameters to try, for operators that have some.
PARAMETERS = {
    "_div_scalar": [{"scalar": 3}],  # 0 / 0 is not looked at
    "clip": [{"a_min": -1, "a_max": 0.5}],
    "dot": DOTS,
    "sum": AXES,
    "mean": AXES,
    "norm": NORMS,
    "_square_sum": AXES,
    "cast_storage": [{"stype": s} for s in ("default", "csr", "row_sparse")],
    "slice": [
        {"begin": (1,), "end": (3,)},
        {"begin": (0, 1), "end": (2, 4)},
        {"begin": (-3, -2), "end": (None, None)},
        {"begin": (2,), "end": (2,)},
        {"begin": (0,), "end": (4,), "step": (2,)},
    ],
    "take": [{}, {"mode": "wrap"}, {"axis": 1}],
    "Concat": [{"num_args": 3, "dim": 0}, {"num_args": 3, "dim": 1}],
    "add_n": [{"num_args": 3}],
    "_contrib_getnnz": [{}, {"axis": 0}, {"axis": 1}],
    "_contrib_quadratic": [{"a": 1, "b": 2, "c": 0}, {"a": 1, "b": 2, "c": 3}],
    "_contrib_gradientmultiplier": [{"scalar": 2}],
    "Embedding": [{"input_dim": 4, "output_dim": 4}],
    "_contrib_SparseEmbedding": [{"input_dim": 4, "output_dim": 4}],
}
INDICES = torch.tensor([3.0, 0.0, 2.0])
# Inputs that are no matrices.
INPUTS = {
    "take": {"indices": torch.tensor([3.0, 0.0, 9.0, -1.0])},
    "_sparse_retain": {"indices": INDICES},
    "Embedding": {"data": INDICES},
    "_contrib_SparseEmbedding": {"data": INDICES},
    "_contrib_edge_id": {"u": torch.tensor([0.0, 1.0, 1.0]), "v": torch.tensor([1.0, 1.0, 0.0])},
}
WITH_KERNELS = [n for n, kernels in KERNELS.items() if kernels]
UPDATES = [n for n in WITH_KERNELS if n.endswith("_update")]
# The dense form does not tell: random graphs, and storage whose zeros count.
APART = {*UPDATES, "_scatter_elemwise_div", "_scatter_plus_scalar", "_scatter_minus_scalar"}


def parameters_of(name):
    found = PARAMETERS.get(name)
    if found is None:
        found = SCALAR if name.endswith("_scalar") else [{}]
    return found


def cases():
    for name in WITH_KERNELS:
        if name in APART or name.startswith("_contrib_dgl"):
            continue
        for parameters in parameters_of(name):
            op = find(name).of(parameters)
            for kernel in KERNELS[name]:
                stypes = [s.split() for s in kernel.stypes if s is not ...]
                stypes += stypes[-1:] * (len(op.inputs()) - len(stypes))
                for chosen in product(*stypes):
                    if op.kernel_for(chosen) is kernel:
                        yield pytest.param(op, chosen, id=f"{name}-{'-'.join(chosen)}-{parameters}")


def matrix(seed, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    dense = torch.rand(4, 4, generator=generator) - 0.5
    kept = torch.rand(4, 4, generator=generator) < 0.4
    kept[seed % 4] = False
    return torch.where(kept, dense * 4, 0).to(dtype)


@pytest.mark.parametrize(("op", "stypes"), list(cases()))
def test_kernels_give_what_the_dense_form_gives(op, stypes):
    given = INPUTS.get(op.name, {})
    dense = [given.get(n, matrix(i)) for i, n in enumerate(op.inputs())]
    stored = [cast_storage(d, s) for d, s in zip(dense, stypes, strict=True)]
    kernel = op.kernel_for(stypes)
    try:
        found = kernel.forward(op, *stored)
    except MXNetError:
        assert op.name == "cast_storage"
        return
    assert (stype_of(found),) == kernel.out == op.infer_stype(stypes)
    wanted = op.forward(*dense)
    if op.name == "broadcast_div":  # only where something is stored: 0 / 0 is not looked at
        wanted = torch.where(dense[0] == 0, 0, wanted)
    torch.testing.assert_close(dense_of(found), wanted, equal_nan=True)


@pytest.mark.parametrize(("op", "stypes"), list(cases()))
def test_gradients_of_kernels_are_those_of_the_dense_form(op, stypes):
    kernel = op.kernel_for(stypes)
    if kernel.backward is None or not op.differentiable or op.backward is not None:
        pytest.skip("it has the gradient of the dense form")
    given = INPUTS.get(op.name, {})
    dense = [given.get(n, matrix(i)) for i, n in enumerate(op.inputs())]
    stored = [cast_storage(d, s) for d, s in zip(dense, stypes, strict=True)]
    leaves = [
        d.clone().requires_grad_(n not in given) for d, n in zip(dense, op.inputs(), strict=True)
    ]
    result = op.forward(*leaves)
    if not result.requires_grad:
        pytest.skip("it has no gradient")
    d_output = matrix(7)[: result.shape[0]].flatten()[: result.numel()].reshape(result.shape)
    result.backward(d_output)
    wanted = [leaf.requires_grad for leaf in leaves]
    for arriving in (d_output, RowSparse.of_dense(d_output)):
        found = kernel_gradients(op, kernel, [arriving], stored, wanted)
        for leaf, gradient in zip(leaves, found, strict=True):
            if leaf.grad is not None and gradient is not None:
                torch.testing.assert_close(dense_of(gradient), leaf.grad.to_dense())


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int32])
def test_storage_holds_the_dense_values(stype, dtype):
    dense = matrix(3, dtype)
    stored = cast_storage(dense, stype)
    assert (stored.shape, stored.dtype) == ((4, 4), dtype)
    assert torch.equal(stored.dense(), dense)
    assert torch.equal(type(stored).of_torch(stored.to_torch()).dense(), dense)
    empty = empty_sparse(stype, (4, 4), dtype, "cpu")
    assert not empty.dense().any()
    assert torch.equal(cast_storage(torch.zeros(4, 4, dtype=dtype), stype).dense(), empty.dense())


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_copies_share_nothing_and_know_what_is_known(stype, dtype):
    stored = cast_storage(matrix(3), stype)
    copied = stored.clone() if dtype is stored.dtype else stored.to(stored.data.device, dtype)
    assert torch.equal(copied.dense(), stored.dense().to(dtype))
    for mine, other in zip((copied.data, *copied.aux), (stored.data, *stored.aux), strict=True):
        assert mine.data_ptr() != other.data_ptr()
    if stype == "row_sparse":
        assert (copied._rises, copied._whole) == (stored._rises, stored._whole) == (True, None)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_what_is_stored_may_lie_in_any_order(stype):
    dense = torch.zeros(16, 8)
    dense[3, 5] = 2
    assert torch.equal(cast_storage(dense.T, stype).dense(), dense.T)


def test_values_at_one_place_are_summed():
    rows, columns = torch.tensor([1, 0, 1]), torch.tensor([2, 0, 2])
    made = Csr.of_places(rows, columns, torch.tensor([1.0, 2.0, 3.0]), (2, 3))
    assert made.indptr.tolist() == [0, 1, 2]
    assert made.data.tolist() == [2, 4]
    made = RowSparse.of_rows(rows, torch.tensor([[1.0], [2.0], [3.0]]), (5, 1))
    assert made.indices.tolist() == [0, 1]
    assert made.data.tolist() == [[2], [4]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.int32, torch.float64])
def test_products_of_any_type(dtype):
    op = find("dot").of({})
    lhs, rhs = matrix(1, dtype), matrix(2, dtype)
    found = op.kernel_for(("csr", "default")).forward(op, Csr.of_dense(lhs), rhs)
    assert found.dtype is dtype
    torch.testing.assert_close(found, lhs @ rhs, rtol=1e-2, atol=1e-2)


def test_a_scattered_operator_sees_stored_values_only():
    data = RowSparse.of_dense(matrix(1))
    op = find("_scatter_plus_scalar").of({"scalar": 2})
    found = op.kernel_for(("row_sparse",)).forward(op, data)
    assert torch.equal(found.data, data.data + 2)
    op = find("_scatter_elemwise_div").of({})
    found = op.kernel_for(("row_sparse", "row_sparse")).forward(
        op, data, RowSparse.of_dense(matrix(2))
    )
    assert torch.equal(found.indices, data.indices)
    torch.testing.assert_close(found.data, data.data / matrix(2)[data.indices], equal_nan=True)


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_lazy_updates_move_only_the_rows_of_the_gradient(name, stype):
    type_ = find(name)
    named = {f.name for f in type_.fields}
    op = type_.of({"lr": 0.1, **({"wd": 0.5} if "wd" in named and "adagrad" not in name else {})})
    n_states = len(op.inputs()) - 2
    kernel = op.kernel_for((stype, "row_sparse", *(stype,) * n_states))
    if kernel is None:
        pytest.skip("there is no such form")
    gradient = matrix(1)
    width = 1 if "group" in name else 4
    rows = gradient.any(1)
    dense = [torch.ones(4, 4), *(torch.ones(4, width) * (i + 1) for i in range(n_states))]
    stored = [cast_storage(d.clone(), stype) for d in dense]
    given = (stored[0], RowSparse.of_dense(gradient), *stored[1:])
    results = kernel.forward(op, *given, out=(stored[0],))
    facts = {"out": (dense[0],)} if "out" in type_.signature.facts else {}
    before = [d.clone() for d in dense]
    whole = op.forward(dense[0], gradient, *dense[1:], **facts)
    for found, new, old in zip(results, (whole, *dense[1:]), before, strict=True):
        wanted = torch.where(rows[:, None], new, old)
        torch.testing.assert_close(dense_of(found), wanted)
    assert results[0] is stored[0]  # in place


@pytest.mark.parametrize("weight_rows", [[1], [3, 1], [], [0, 1, 2, 3], [3, 2, 1, 0]])
@pytest.mark.parametrize("gradient_rows", [[0, 3], []])
def test_a_lazy_update_stores_all_rows(weight_rows, gradient_rows):
    op = find("sgd_update").of({"lr": 1})
    values = torch.arange(1.0, 1 + 2 * len(weight_rows)).reshape(-1, 2)
    weight = RowSparse(values, torch.tensor(weight_rows, dtype=torch.int64), (4, 2))
    rows = torch.tensor(gradient_rows, dtype=torch.int64)
    gradient = RowSparse(torch.ones(len(rows), 2), rows, (4, 2))
    wanted = weight.dense() - gradient.dense()
    for out in (None, (weight,)):
        (found,) = op.kernel_for(("row_sparse", "row_sparse")).forward(
            op, weight, gradient, out=out
        )
        assert found.indices.tolist() == [0, 1, 2, 3]
        assert torch.equal(found.data, wanted)


ROWS = [[0, 1, 2, 3], [3, 1, 0, 2], [1, 3], [3, 1], []]


@pytest.mark.parametrize("indices", ROWS)
@pytest.mark.parametrize("rows", [[0, 2, 2, 1], [3], []])
def test_rows_are_taken_from_any_order(indices, rows):
    data = torch.arange(1.0, 1 + 2 * len(indices)).reshape(-1, 2)
    value = RowSparse(data, torch.tensor(indices, dtype=torch.int64), (4, 2))
    rows = torch.tensor(rows, dtype=torch.int64)
    assert torch.equal(value.take(rows), value.dense()[rows])
    assert value.whole == value.with_data(-data).whole == (indices == [0, 1, 2, 3])
    assert torch.equal(value.completed().data, value.dense())
    lhs = matrix(2)
    product = find("dot").of({}).kernel_for(("csr", "row_sparse"))
    found = product.forward(find("dot").of({}), Csr.of_dense(lhs), value)
    torch.testing.assert_close(found, lhs @ value.dense())


@pytest.mark.parametrize("rows, shown", [([0, 4], "0 to 4"), ([-1, 2], "-1 to 2")])
def test_rows_that_there_are_not_cannot_be_retained(rows, shown):
    op = find("_sparse_retain").of({})
    kernel = op.kernel_for(("row_sparse", "default"))
    with pytest.raises(MXNetError, match=f"rows 0 to 3, wanted were {shown}"):
        kernel.forward(op, RowSparse.of_dense(matrix(0)), torch.tensor(rows))


@pytest.mark.parametrize("name", ["elemwise_add", "elemwise_sub", "elemwise_mul", "_maximum"])
@pytest.mark.parametrize("sorted_", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int32])
@pytest.mark.parametrize("with_scipy", [True, False])
def test_matrices_meet_whatever_the_order_of_their_columns(
    name, sorted_, dtype, with_scipy, monkeypatch
):
    if with_scipy:
        pytest.importorskip("scipy")
    else:
        monkeypatch.setattr(scipy_csr, "_csr_array", lambda: None)
    op = find(name).of({})
    one, other = (Csr.of_dense(matrix(i, dtype)) for i in (1, 2))
    if not sorted_:
        order = (one.rows() * 8 - one.indices).argsort()
        one = Csr(one.data[order], one.indptr, one.indices[order], one.shape)
    for pair in ((one, other), (other, one), (one, one), (one, one.with_data(one.data * 2))):
        found = op.kernel_for(("csr", "csr")).forward(op, *pair)
        assert found.data.all()
        assert (found.dtype, *(i.dtype for i in found.aux)) == (dtype, torch.int64, torch.int64)
        assert torch.equal(found.dense(), op.forward(*(m.dense() for m in pair)))


def test_operators_with_kernels_are_registered():
    for name in WITH_KERNELS:
        assert find(name).name == name


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("columns, width", [(3, ()), (3, (1,)), (40, (1,)), (3, (2,))])
def test_a_turned_matrix_times_a_vector_stores_the_rows_of_its_columns(columns, width, dtype):
    dense = torch.zeros(5, columns, dtype=dtype)
    dense[[0, 1, 3], [2, 0, 2]] = torch.tensor([2.0, -1.0, 4.0], dtype=dtype)
    vector = torch.arange(1, 6, dtype=dtype).reshape(5, *(1 for _ in width)).expand(5, *width)
    found = transposed_rows(cast_storage(dense, "csr"), vector.contiguous())
    assert found.indices.tolist() == [0, 2]
    assert found.shape == (columns, *width)
    assert torch.equal(found.dense(), dense.T @ vector)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("width", [(), (1,), (2,), (2, 2), (5,), (0,)])  # by a table, by sorting
@pytest.mark.parametrize("wants_gradient", [False, True])
def test_products_with_turned_matrices_have_the_rows_that_there_are_columns_for(
    dtype, width, wants_gradient
):
    dense = torch.tensor([[0, 2, 0, 1], [0, 0, 0, 0], [0, -1, 0, 3.0]], dtype=dtype)
    rhs = torch.arange(3 * math.prod(width), dtype=dtype).reshape(3, *width)
    found = transposed_rows(Csr.of_dense(dense), rhs.requires_grad_(wants_gradient))
    assert found.indices.tolist() == [1, 3]
    assert found.dtype is dtype
    expected = torch.tensordot(dense.T, rhs.detach(), 1)
    assert torch.equal(found.dense().detach(), expected)


SHAPES = [(3, 4), (3, 1), (1, 4), (1, 1), (4,), (1,), (0, 4), (3, 0)]


@pytest.mark.parametrize("name", ["broadcast_mul", "broadcast_div"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("own", [(3, 4), (3, 1), (1, 4), (1, 1)])
def test_csr_broadcast_of_any_two_shapes_equals_dense(own, shape, name):
    try:
        wanted = torch.broadcast_shapes(own, shape)
    except RuntimeError:
        return
    values = torch.arange(12.0).reshape(3, 4)[: own[0], : own[1]].fmod(3)
    rhs = torch.arange(1.0, 1 + math.prod(shape)).reshape(shape)
    op = find(name).of({})
    (kernel,) = (k for k in KERNELS[name] if k.forward.__name__ == "_csr_broadcast")
    result = kernel.forward(op, Csr.of_dense(values), rhs)
    assert (result.stype, tuple(result.shape)) == ("csr", tuple(wanted))
    assert torch.equal(result.dense(), op.forward(values, rhs))


def test_csr_broadcast_refuses_three_axes():
    x = mx.nd.ones((2, 3)).tostype("csr")
    with pytest.raises(MXNetError, match=r"broadcast_mul: rhs=\(1, 2, 3\): .* got 3: reshape it"):
        mx.nd.broadcast_mul(x, mx.nd.ones((1, 2, 3))).wait_to_read()


@pytest.mark.parametrize("index", [-1, -0.5, 3, 5])
@pytest.mark.parametrize("rows", [[0, 1, 2], [0, 2], []])
@pytest.mark.parametrize("name", ["Embedding", "_contrib_SparseEmbedding"])
def test_embedding_of_sparse_weight_refuses_index_out_of_range(name, rows, index):
    weight = mx.nd.sparse.zeros("row_sparse", (3, 2))
    if rows:
        weight[:] = mx.nd.sparse.row_sparse_array((mx.nd.ones((len(rows), 2)), rows), shape=(3, 2))
    operator = mx.nd.Embedding if name == "Embedding" else mx.nd.contrib.SparseEmbedding
    expected = rf"{name}: data\[1\] is {index:g}, not from 0 to 2"
    with pytest.raises(MXNetError, match=expected):
        operator(mx.nd.array([2.9, index]), weight, input_dim=3, output_dim=2).wait_to_read()
    symbol = getattr(mx.sym, name, None) or mx.sym.contrib.SparseEmbedding
    net = symbol(mx.sym.var("data"), mx.sym.var("weight"), input_dim=3, output_dim=2)
    executor = net.bind(mx.cpu(), {"data": mx.nd.array([0, index]), "weight": weight})
    with pytest.raises(MXNetError, match=expected):
        executor.forward()[0].wait_to_read()

# SPDX-License-Identifier: Apache-2.0
"""What an operator's kernel does not take: the error tells operator, input, and its type or place."""

import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.exec.bind.cached_op import CachedOp
from mxnova.core.op.kernel_errors import from_kernel

from ..fake_gpu import CUDA, FakeGpu, on_gpu

SQUARE, IMAGE = (3, 3), (1, 2, 6, 6)
LINALG = {  # operators of float32 and float64 alone, as in MXNet -> their number of arrays
    "_linalg_det": 1,
    "_linalg_gelqf": 1,
    "_linalg_inverse": 1,
    "_linalg_potrf": 1,
    "_linalg_potri": 1,
    "_linalg_slogdet": 1,
    "_linalg_syevd": 1,
    "_linalg_trsm": 2,
    "_npi_cholesky": 1,
    "_npi_svd": 1,
}
FOREIGN_DTYPES = ["float16", "bfloat16", "bool", "int8", "uint8", "int32", "int64"]
OTHERS = [  # operator, shapes, attributes, types that its kernel lacks
    ("softmax", [SQUARE], {}, ["bool"]),
    ("softmin", [SQUARE], {}, ["bool"]),
    ("BilinearSampler", [IMAGE, (1, 2, 3, 3)], {}, ["bool", "int8"]),
    ("LayerNorm", [SQUARE, (3,), (3,)], {}, ["bool"]),
    ("GroupNorm", [IMAGE, (1,), (1,)], {}, ["bool"]),
    ("LeakyReLU", [SQUARE], {"act_type": "elu"}, ["bool"]),
    ("Pooling", [IMAGE], {"kernel": (2, 2), "pool_type": "avg"}, ["bool"]),
    ("Pooling", [IMAGE], {"kernel": (2, 2), "pool_type": "max"}, ["bool"]),
    ("UpSampling", [IMAGE], {"scale": 2, "sample_type": "nearest", "num_args": 1}, ["bool"]),
    ("batch_dot", [(1, *SQUARE), (1, *SQUARE)], {}, ["bool"]),
    ("_linalg_gemm2", [SQUARE, SQUARE], {}, ["bool"]),
    ("_linalg_syrk", [SQUARE], {}, ["bool"]),
]
CALLS = [(name, [SQUARE] * n, {}, dtype) for name, n in LINALG.items() for dtype in FOREIGN_DTYPES]
CALLS += [(name, shapes, attrs, dtype) for name, shapes, attrs, all_ in OTHERS for dtype in all_]


def attributes(attrs):
    return {name: str(value) for name, value in attrs.items()}


@pytest.mark.parametrize("name, shapes, attrs, dtype", CALLS)
def test_calls_tell_operator_input_and_types(name, shapes, attrs, dtype):
    arrays = [mx.nd.ones(shape).astype(dtype) for shape in shapes]
    expected = "float32 or float64" if name in LINALG else "such as float32"
    with pytest.raises(MXNetError, match=f"^{name}.*: .* has type {dtype}, .*{expected}$"):
        mx.nd.invoke(name, arrays, attributes(attrs))


@pytest.mark.parametrize("name, shapes, attrs, dtype", CALLS)
def test_graphs_tell_them_too(name, shapes, attrs, dtype):
    variables = [mx.sym.var(f"x{i}") for i in range(len(shapes))]
    arrays = {v.name: mx.nd.ones(s).astype(dtype) for v, s in zip(variables, shapes, strict=True)}
    graph = getattr(mx.sym._internal, name, None) or getattr(mx.sym, name)
    symbol = graph(*variables, name="node_0", **attrs)
    with pytest.raises(MXNetError, match=f"{name}.* has type {dtype}, .*float32"):
        symbol.bind(mx.cpu(), arrays).forward()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, n", LINALG.items())
def test_what_is_taken(name, n, dtype):
    results = mx.nd.invoke(name, [mx.nd.array([[2, 0], [0, 3]], dtype=dtype)] * n, {})
    first = results[0] if isinstance(results, list) else results
    assert first.dtype.__name__ == dtype


@pytest.mark.parametrize("name", ["elemwise_div", "broadcast_div"])
def test_integers_divided_by_zero(name):
    with pytest.raises(MXNetError, match=f"{name}.*: an integer divided by zero"):
        mx.nd.invoke(name, [mx.nd.ones((2,), dtype="int32"), mx.nd.zeros((2,), dtype="int32")], {})


def test_other_errors_stay_as_they_are():
    given = [("a", torch.zeros(1)), ("b", torch.zeros(1, dtype=torch.int8)), ("c", None)]
    assert str(from_kernel(RuntimeError("singular"), "op(a)", given)) == "op(a): singular"
    lacks = RuntimeError("\"lu_cpu\" not implemented for 'Char'")
    assert "b has type int8, expected one" in str(from_kernel(lacks, "op(a)", given))
    assert str(from_kernel(lacks, "op(a)", given[:1])).endswith("'Char'")


@pytest.fixture
def apart(monkeypatch):
    """An array on a GPU, and one on the CPU."""
    monkeypatch.setattr(mx.gpu(0), "_device", CUDA)
    with FakeGpu():
        yield mx.nd.NDArray(on_gpu(torch.ones(2, 3))), mx.nd.ones((2, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: b * a,
        lambda a, b: mx.nd.broadcast_mul(a, b),
        lambda a, b: mx.nd.concat(a, a, b),
        lambda a, b: mx.nd.FullyConnected(a, b, no_bias=True, num_hidden=2),
        lambda a, b: CachedOp(mx.sym.var("a") + mx.sym.var("b"))(a, b),
    ],
)
def test_arrays_in_different_places(apart, call):
    with pytest.raises(MXNetError, match=r"is on [cg]pu\(0\), .* on [cg]pu\(0\); .*as_in_context"):
        call(*apart)


def test_what_else_fails_on_arrays_in_different_places_is_told(apart):
    """As with indices, which may be on the CPU."""
    given = [(n, a._raw) for n, a in zip("ab", apart, strict=True)]
    told = from_kernel(IndexError("index 7 is out of bounds"), "op(a)", given)
    assert isinstance(told, IndexError)
    assert str(told).startswith("op(a): a is on gpu(0), b on cpu(0)")
    assert str(told).endswith("index 7 is out of bounds")
    assert "on gpu(0)" not in str(from_kernel(IndexError("index 7"), "op(a)", given[1:]))


@pytest.mark.parametrize(
    "text",
    [
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
        "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
        "Expected a 'cuda' device type for generator but found 'cpu'",
        "Tensor for argument #2 'mat1' is on CPU, but expected it to be on GPU",
    ],
)
def test_words_of_atens_for_different_places(apart, text):
    given = [(n, a._raw) for n, a in zip("ab", apart, strict=True)]
    advice = "x.as_in_context(mx.gpu(0)) copies it there"
    assert str(from_kernel(RuntimeError(text), "op(a)", given)) == (
        f"op(a): a is on gpu(0), b on cpu(0); {advice}"
    )


def test_head_gradients_in_another_place(apart):
    there, here = apart
    there.attach_grad()
    with mx.autograd.record():
        head = there * 2
    with pytest.raises(MXNetError, match=r"head 0 is on cpu\(0\), the head on gpu\(0\); .*as_in"):
        head.backward(here)

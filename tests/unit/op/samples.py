# SPDX-License-Identifier: Apache-2.0
"""One table row per way of using an operator, and the checks that every row goes through."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import mxnova as mx
from mxnova.core.exec.bind.cached_op import CachedOp
from mxnova.core.op.gradient import recorded
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import Op, find

CONTEXTS = [mx.cpu(), *([mx.gpu()] if torch.cuda.is_available() else [])]
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10}


@dataclass(frozen=True)
class Sample:
    """An operator at some inputs.

    Attributes:
        op: registered name.
        inputs: an array each, or a shape to be filled with numbers in [-2, 2].
        attrs: parameters, as text or Python values.
        expected: an independent NumPy formula: float64 inputs -> output, or a tuple of outputs;
            or the outputs themselves.
        gradient: compare ATen's gradient with finite differences in float64.
        d_expected: for an operator with a gradient of its own: (d_output, *inputs) -> gradients.
        low, high: range of the numbers that fill shapes.
        train: run as in a training pass.
        tol: replaces the tolerance of the dtype.
        note: tells rows with equal attributes apart.
    """

    op: str
    inputs: Sequence[Any] = ((2, 3),)
    attrs: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None
    gradient: bool = True
    d_expected: Callable[..., Any] | None = None
    low: float = -2.0
    high: float = 2.0
    train: bool = False
    tol: float | None = None
    note: str = ""

    def __str__(self) -> str:
        attrs = ",".join(f"{k}={v}" for k, v in self.attrs.items())
        return f"{self.op}({attrs}){self.note}"

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(sum(map(ord, self.op)))
        return [self._filled(x, rng) for x in self.inputs]

    def _filled(self, x: Any, rng: np.random.Generator) -> np.ndarray:
        if isinstance(x, tuple):
            return rng.uniform(self.low, self.high, x).astype("float32")
        return np.asarray(x)

    def facts(self, op: Op) -> dict[str, Any]:
        stream = torch.Generator().manual_seed(7)
        values = {"train": self.train, "rng": stream, "out": None, "inside": False}
        return {name: values[name] for name in op.type.signature.facts}


def check(sample: Sample, *, eager_only: bool = False) -> None:
    """All checks of one row, or those of eager calls without gradients."""
    op = find(sample.op).of(sample.attrs)
    arrays = sample.arrays()
    outputs = _run(op, sample, arrays)
    _check_text(op)
    _check_inferred(op, arrays, outputs)
    for context in CONTEXTS:
        _check_ways(op, sample, arrays, outputs, context, eager_only)
    if sample.expected is not None:
        _check_values(sample, arrays, outputs)
    if eager_only:
        return
    if sample.d_expected is not None:
        _check_own_gradient(op, sample, arrays)
    elif sample.gradient and op.differentiable:
        _check_finite_differences(op, sample, arrays)


def _run(op: Op, sample: Sample, arrays: Sequence[np.ndarray]) -> tuple[torch.Tensor, ...]:
    tensors = [torch.from_numpy(a.copy()) for a in arrays]
    results = op.forward(*tensors, **sample.facts(op))
    return results if isinstance(results, tuple) else (results,)


def _check_text(op: Op) -> None:
    for f in op.type.fields:
        value = op.attr(f.name)
        assert f.kind.parse(f.kind.text(value)) == value, f"{f.name} does not survive its text"
    text = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    assert op.type.of(text) == op


def _check_inferred(op: Op, arrays: Sequence[np.ndarray], outputs: Sequence[torch.Tensor]) -> None:
    tensors = [torch.from_numpy(a) for a in arrays]
    nothing = [None] * len(outputs)
    shapes = Shapes(
        op.name, op.inputs(), op.outputs(), [*(tuple(t.shape) for t in tensors), *nothing]
    )
    op.infer_shape(shapes)
    assert [shapes.known(n) for n in op.outputs()] == [tuple(o.shape) for o in outputs]
    dtypes = DTypes(op.name, op.inputs(), op.outputs(), [*(t.dtype for t in tensors), *nothing])
    op.infer_dtype(dtypes)
    assert [dtypes.known(n) for n in op.outputs()] == [o.dtype for o in outputs]


def _check_ways(
    op: Op,
    sample: Sample,
    arrays: Sequence[np.ndarray],
    outputs: Sequence[torch.Tensor],
    context: mx.Context,
    eager_only: bool,
) -> None:
    """Called on arrays, bound, and as a CachedOp the operator gives what its forward gives."""
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    names = [f"input{i}" for i in range(len(arrays))]
    with mx.util.np_shape(any(0 in a.shape or not a.ndim for a in (*arrays, *outputs))):
        symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in names], texts)
        ways = {
            "eager": lambda given: mx.nd.invoke(sample.op, given, texts),
            "bound": lambda given: _bound(symbol, names, given, context, sample.train),
            "cached": lambda given: CachedOp(symbol)(*given),
        }
        for way in ["eager"] if eager_only else ways:
            given = [mx.nd.array(a, dtype=a.dtype, ctx=context) for a in arrays]
            with mx.autograd.train_mode() if sample.train else mx.autograd.predict_mode():
                results = ways[way](given)
            results = results if isinstance(results, list) else [results]
            for result, output in zip(results, outputs[: op.n_visible()], strict=True):
                assert (result.shape, result.dtype) == (
                    tuple(output.shape), output.numpy().dtype.type,
                ), way  # fmt: skip
                if "rng" not in op.type.signature.facts:
                    _assert_close(result.asnumpy(), output.numpy(), sample.tol)


def _bound(
    symbol: mx.sym.Symbol, names: Sequence[str], given: Sequence[Any], context: Any, train: bool
) -> list[Any]:
    by_name = dict(zip(names, given, strict=True))
    executor = symbol.bind(
        context,
        {n: by_name[n] for n in symbol.list_arguments()},
        grad_req="null",
        aux_states={n: by_name[n] for n in symbol.list_auxiliary_states()},
    )
    return executor.forward(is_train=train)


def _check_values(
    sample: Sample, arrays: Sequence[np.ndarray], outputs: Sequence[torch.Tensor]
) -> None:
    expected = sample.expected
    if callable(expected):
        expected = expected(*(a.astype("float64") if a.dtype.kind == "f" else a for a in arrays))
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, want in zip(outputs, expected, strict=False):
        _assert_close(got.numpy(), np.asarray(want), sample.tol)


def _check_own_gradient(op: Op, sample: Sample, arrays: Sequence[np.ndarray]) -> None:
    leaves = [torch.from_numpy(a.copy()) for a in arrays]
    for leaf in leaves:
        leaf.requires_grad_(leaf.is_floating_point())
    results = recorded(op)(*leaves, **sample.facts(op))
    first = results[0] if isinstance(results, tuple) else results
    d_output = torch.linspace(-1, 1, first.numel()).reshape(first.shape)
    wanted = sample.d_expected(d_output.double().numpy(), *(a.astype("float64") for a in arrays))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    tracked = [leaf for leaf in leaves if leaf.requires_grad]
    got = torch.autograd.grad(first, tracked, d_output, allow_unused=True)
    for g, w in zip(got, wanted, strict=False):
        if w is not None:
            _assert_close(g.to_dense().numpy(), np.asarray(w), sample.tol)


def _check_finite_differences(op: Op, sample: Sample, arrays: Sequence[np.ndarray]) -> None:
    tensors = [torch.from_numpy(a) for a in arrays]
    tensors = [t.double().requires_grad_() if t.is_floating_point() else t for t in tensors]
    run = recorded(op)

    def function(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        inner = (x.clone() for x in inputs)  # leaves would get sparse gradients from some
        results = run(*inner, **sample.facts(op))
        results = results if isinstance(results, tuple) else (results,)
        return tuple(r for r in results if r.requires_grad)

    if not function(*tensors):
        raise AssertionError(f"{sample}: nothing is differentiable: say gradient=False")
    assert torch.autograd.gradcheck(function, tensors, eps=1e-6, atol=1e-5, rtol=1e-4)


def _assert_close(got: np.ndarray, want: np.ndarray, tol: float | None) -> None:
    assert got.shape == want.shape
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
        return
    tol = TOLERANCE[got.dtype.name] if tol is None else tol
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol)

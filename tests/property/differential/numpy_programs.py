# SPDX-License-Identifier: Apache-2.0
"""Programs of NumPy's functions: types, shapes without elements or axes, keywords, gradients."""

from __future__ import annotations

from random import Random

from .array_programs import index

TYPES = ("float32", "float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool")
SHAPES = ((2, 3), (3,), (), (0,), (2, 0, 3), (1, 3), (2, 1, 2), (2, 2, 3), (4,))
UNARY = "abs sign rint ceil floor trunc fix square tanh sin cos arctan exp negative expm1 cbrt sinh degrees radians logical_not isnan isfinite isinf arcsinh deg2rad".split()
POSITIVE = "sqrt log log1p log2 log10 reciprocal".split()
REDUCTIONS = "sum mean max min prod std var argmax argmin any all".split()
BINARY = "add subtract multiply maximum minimum equal less greater_equal not_equal true_divide hypot arctan2 copysign logaddexp fmax fmin logical_and logical_or logical_xor".split()
INTEGER = "bitwise_and bitwise_or bitwise_xor lcm gcd left_shift".split()


def array(rng: Random, shape: tuple[int, ...], dtype: str, **limits: float) -> str:
    """An expression that makes an array."""
    more = "".join(f", {k}={v}" for k, v in limits.items())
    return f"np.array(data({shape}, {dtype!r}, {rng.randrange(10**6)}{more}), dtype={dtype!r})"


_NOT_OF_NOTHING = (
    "tensordot",
    "max",
    "min",
    "percentile",
    "quantile",
    "median",
    "asarray",
    "average",
)


def _of_shape(rng: Random, shape: tuple[int, ...]) -> list[str]:
    texts = _texts(rng, shape)
    if 0 in shape:  # uninitialized memory in MXNet
        texts = [t for t in texts if not any(name in t for name in _NOT_OF_NOTHING)]
    return texts


def _texts(rng: Random, shape: tuple[int, ...]) -> list[str]:
    n = max(1, len(shape))
    axis = rng.randrange(-n, n)
    keep = rng.random() < 0.5
    return [
        f"np.{rng.choice(UNARY)}(x)",
        f"np.{rng.choice(POSITIVE)}(np.abs(x) + 1)",
        f"np.{rng.choice(REDUCTIONS)}(x)",
        f"np.{rng.choice(REDUCTIONS[:7])}(x, axis={axis}, keepdims={keep})",
        f"np.sum(x, axis={axis}, dtype={rng.choice(('float64', 'float32', 'int64'))!r})",
        f"np.mean(x, dtype={rng.choice(('float64', 'float32'))!r})",
        f"x.{rng.choice(('sum', 'mean', 'max', 'min', 'prod', 'std', 'var'))}(axis={axis})",
        f"np.std(x, axis={axis}, ddof=1)",
        f"np.cumsum(x, axis={rng.choice(('None', axis))})",
        f"np.expand_dims(x, {axis})",
        "np.transpose(x)",
        "x.T",
        "np.ravel(x)",
        "x.flatten()",
        f"np.reshape(x, {rng.choice(('-1', '(-1, 1)', '(1, -1)', '(-1,)'))})",
        "np.squeeze(x)",
        f"np.flip(x, {axis})",
        "np.atleast_1d(x)",
        "np.atleast_2d(x)",
        "np.atleast_3d(x)",
        f"np.roll(x, {rng.choice((1, -1, 2))})",
        f"np.roll(x, 1, axis={axis})",
        f"np.repeat(x, 2, axis={rng.choice(('None', axis))})",
        f"np.tile(x, {rng.choice((2, (1, 2), (2, 1)))})",
        f"np.concatenate([x, x], axis={axis})",
        f"np.stack([x, x], axis={axis})",
        "np.vstack([x, x])",
        "np.hstack([x, x])",
        "np.dstack([x, x])",
        "np.column_stack([x, x])",
        f"np.append(x, x, axis={rng.choice(('None', axis))})",
        f"np.clip(x, {rng.choice((-1, -0.5, 0))}, {rng.choice((1, 0.5))})",
        f"np.where(x > 0, x, {rng.choice(('0', '1.5', 'x * 2'))})",
        f"np.swapaxes(x, 0, {axis})",
        f"np.moveaxis(x, 0, {axis})",
        "np.zeros_like(x)",
        f"np.ones_like(x, dtype={rng.choice(TYPES)!r})",
        f"np.full_like(x, {rng.choice((2, 1.5))})",
        f"x.astype({rng.choice(TYPES)!r})",
        f"np.around(x, {rng.choice((0, 1))})",
        "np.nan_to_num(x)",
        f"np.diff(x, axis={axis})",
        "np.unique(x)",
        "np.nonzero(x)",
        "np.tril(x)",
        f"np.triu(x, k={rng.choice((0, 1, -1))})",
        "np.diag(x)",
        "np.diagonal(x)",
        "np.trace(x)",
        "np.sort(x)",
        f"np.sort(x, axis={axis})",
        f"np.average(x, axis={rng.choice(('None', axis))})",
        f"np.median(x, axis={rng.choice(('None', axis))})",
        f"np.percentile(x, {rng.choice((25, 50, 90))}, interpolation={rng.choice(('linear', 'lower', 'nearest'))!r})",
        "np.quantile(x, 0.3)",
        "np.ediff1d(x)",
        "np.bincount(np.array([0, 1, 1, 3], dtype='int64'))",
        "np.histogram(x, bins=3, range=(0, 2))",
        "np.dot(x, x)",
        "np.inner(x, x)",
        "np.outer(x, x)",
        "np.vdot(x, x)",
        "np.tensordot(x, x, axes=0)",
        "np.kron(x, x)",
        "np.matmul(x, x.T)",
        "np.linalg.norm(x.astype('float32'))",
        "np.split(x, 1)",
        "np.array_split(x, 2)",
        "np.rot90(x)",
        "np.pad(x, 1, mode='constant')",
        "np.insert(x, 0, 1)",
        "np.delete(x, 0)",
        "np.take(x, np.array([0, 0], dtype='int32'), mode='clip')",
        "np.broadcast_to(x, (2,) + x.shape)",
        "np.broadcast_arrays(x, x)",
        "np.meshgrid(np.ravel(x), np.ravel(x))",
        "np.einsum('...->...', x)",
        "np.polyval(x, x)",
        "np.isposinf(x)",
        "np.flatnonzero(x)",
        "np.argwhere(x)",
        "npx.softmax(x)",
        f"npx.log_softmax(x, axis={axis})",
        "npx.relu(x)",
        "npx.sigmoid(x)",
        "npx.one_hot(np.array([0, 2]), 3)",
        "npx.topk(x, k=1, ret_typ='value')",
        "npx.reshape(x, (-2, -1))" if len(shape) == 2 else "npx.reshape(x, (-1,))",
        "npx.gamma(np.abs(x) + 1)",
        "npx.erf(x)",
        "x.item() if x.size == 1 else x.tolist()",
        "x.copy()",
        "(x.size, x.ndim, x.shape, str(x.dtype))",
        "len(x)",
        "bool(x.any())",
        "x == x",
        f"x > {rng.choice((0, 0.5))}",
        "float(x.sum())",
        "abs(-x)",
        "x.reshape(-1).tolist()",
        "np.may_share_memory(x, x)",
        "onp.asarray(x)",
        "onp.sum(x)",
        "onp.concatenate([x, x])",
        "np.hanning(4)",
        "np.indices((2, 2))",
        f"np.eye(2, 3, k={rng.choice((0, 1, -1))})",
        f"np.arange({rng.choice((3, 0, 2.5))})",
        f"np.arange(1, 4, {rng.choice((1, 0.5, 2))}, dtype={rng.choice(('float32', 'int32', 'float64'))!r})",
        f"np.linspace(0, 2, {rng.choice((1, 3, 5))}, {rng.choice(('endpoint=False', 'retstep=True', 'dtype=' + repr('float64')))})",
        "np.logspace(0, 1, 3)",
        f"np.full({rng.choice(((2,), (), (0, 2)))}, {rng.choice((1, 1.5, True))})",
        f"np.zeros({rng.choice(((2,), (), (0, 2)))}, dtype={rng.choice(TYPES)!r})",
        "np.identity(2)",
        "np.tril_indices(2)",
        "np.unravel_index(np.array([1, 5]), (2, 3))",
        "np.interp(np.array([0.5]), np.array([0.0, 1.0]), np.array([2.0, 4.0]))",
        "np.bitwise_not(x)",
        "np.invert(x)",
        "np.result_type(x, x)",
        "np.shares_memory(x, x)",
    ]


def _of_two(rng: Random, shape: tuple[int, ...], dtype: str) -> list[str]:
    small = tuple(1 if rng.random() < 0.3 else n for n in shape[rng.randint(0, len(shape)) :])
    other = array(rng, small, rng.choice(TYPES))
    real = dtype.startswith("float")  # integers and fractions are NumPy's here, cut in MXNet
    number = rng.choice(
        (
            "2",
            "-3",
            "0",
            "onp.int64(3)",
            *(("0.5", "1.5", "onp.float32(2)", "onp.float64(0.5)") if real else ()),
        )
    )
    return [
        f"np.{rng.choice(BINARY)}(x, {other})",
        f"np.{rng.choice(BINARY)}({number}, x)",
        f"np.{rng.choice(BINARY)}(x, {number})",
        f"x {rng.choice(('+', '-', '*', '/', '>', '=='))} {other}",
        f"x {rng.choice(('+', '-', '*', '/', '>', '==', '**', '%'))} {number}",
        f"{number} {rng.choice(('+', '-', '*', '/', '>', '=='))} x",
        f"np.{rng.choice(INTEGER)}(x, {array(rng, small, dtype, low=0, high=5)})",
        f"np.power(np.abs(x) + 1, {rng.choice(('2', '0.5', 'x') if real else ('2', 'x'))})",
        f"np.mod(x, {rng.choice(('2', '1.5', '-3') if real else ('2', '-3'))})",
        f"np.where({array(rng, small, 'bool')}, x, {other})",
        f"np.array_equal(x, {other})",
    ]  # fmt: skip


def functions(rng: Random) -> list[str]:
    """Functions of arrays of every type and shape, and a gradient."""
    shape, dtype = rng.choice(SHAPES), rng.choice(TYPES)
    steps = ["npx.set_np()", f"x = {array(rng, shape, dtype)}", "x"]
    steps += rng.sample(_of_shape(rng, shape), 10)
    steps += rng.sample(_of_two(rng, shape, dtype), 4)
    for text in rng.sample(_of_shape(rng, shape)[:60], 3):
        steps += [
            "",
            f"x = {array(rng, shape, rng.choice(('float32', 'float32', 'float64')), low=0.3, high=3)}",
            f"x.attach_grad({rng.choice(('', chr(39) + 'add' + chr(39)))})",
            f"with autograd.record():\n    y = {text}\n    y = sum((v.astype('float32') ** 2).sum() for v in (y if isinstance(y, (list, tuple)) else [y]))",
            "y.backward()",
            "x.grad",
        ]
    return steps


def _key(rng: Random, shape: tuple[int, ...], repeated: bool = True) -> str:
    if rng.random() < 0.3:
        return rng.choice(
            (
                "x > 0",
                "x[0] > 0"
                if len(shape) == 1
                else ":, x[0] > 0"
                if len(shape) == 2
                else "0, x[0] > 0",
                "()",
                "...",
            )
        )
    return index(rng, shape, repeated=repeated).replace("nd.array", "np.array")


def indexing(rng: Random) -> list[str]:
    """Reading, writing, and gradients of both."""
    shape, dtype = rng.choice(((4, 3), (2, 3, 4), (5,), (3, 2, 2))), rng.choice(TYPES)
    steps = ["npx.set_np()", f"x = {array(rng, shape, dtype)}"]
    for _ in range(4):
        steps.append(f"x[{_key(rng, shape)}]")
    for _ in range(3):
        key = _key(rng, shape, repeated=False)
        value = rng.choice(("5", "True", f"x[{key}]", "onp.float32(3)", "np.array(2)"))
        steps += [f"x[{key}] = {value}", "x"]
    for _ in range(2):
        steps += [
            "",
            f"x = {array(rng, shape, 'float32')}",
            "x.attach_grad()",
            f"with autograd.record():\n    y = ((x[{_key(rng, shape)}] * 2) ** 2).sum() + x[{_key(rng, shape)}].sum()",
            "y.backward()",
            "x.grad",
        ]
    return steps

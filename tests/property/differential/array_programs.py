# SPDX-License-Identifier: Apache-2.0
"""Programs of legacy arrays: types, broadcasting, indices, views."""

from __future__ import annotations

from random import Random

FLOATS = ("float32", "float32", "float32", "float64", "float16")
TYPES = (*FLOATS, "int32", "int64", "int8", "uint8")
UNARY = "abs sign round rint ceil floor trunc fix square tanh sigmoid relu softsign sin cos arctan exp negative erf logical_not expm1 cbrt sinh degrees".split()
POSITIVE = "sqrt rsqrt log log1p log2 log10 rcbrt reciprocal gammaln".split()
REDUCTIONS = "sum mean max min prod nansum nanprod norm".split()
BINARY = "broadcast_add broadcast_sub broadcast_mul broadcast_maximum broadcast_minimum broadcast_hypot broadcast_equal broadcast_lesser broadcast_greater_equal broadcast_logical_and broadcast_logical_xor".split()
SHAPES = ((3,), (2, 3), (3, 2), (1, 3), (2, 1, 3), (2, 3, 2), (1,), (4, 1), (2, 2, 2, 2))


def shape(rng: Random) -> tuple[int, ...]:
    """A shape without zeros."""
    return rng.choice(SHAPES)


def array(rng: Random, size: tuple[int, ...], dtype: str = "float32", **limits: float) -> str:
    """An expression that makes an array."""
    more = "".join(f", {k}={v}" for k, v in limits.items())
    drawn = f"data({size}, {dtype!r}, {rng.randrange(10**6)}{more})"
    return f"nd.array({drawn}, dtype={dtype!r})"


def beside(rng: Random, size: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with another."""
    return tuple(1 if rng.random() < 0.4 else n for n in size)


def axes(rng: Random, n: int) -> str:
    """An axis argument of a reduction."""
    if rng.random() < 0.5:
        return str(rng.randrange(-n, n))
    return str(tuple(sorted(rng.sample(range(n), rng.randint(1, n)))))


def _operators(rng: Random, x: str, size: tuple[int, ...], dtype: str) -> list[str]:
    number = rng.choice(("2", "-3", "0.5", "1.5", "True", "0"))
    sign = rng.choice("+ - * > < == != >= <=".split())
    other = array(rng, beside(rng, size), dtype)
    return [
        f"{x} {sign} {number}",
        f"{number} {sign} {x}",
        f"{x} {rng.choice('+ - * > == <='.split())} {other}",
        f"{x} / {rng.choice(('2', '4.0', '-0.5'))}",
        f"{x} % {rng.choice(('2', '3', '-2', '1.5'))}",
        f"{rng.choice(('2', '3', '1.5'))} ** {x}",
        f"{x} ** {rng.choice(('2', '3', '1'))}",
        f"abs({x})",
        f"-{x}",
    ]


def _functions(rng: Random, x: str, size: tuple[int, ...], dtype: str) -> list[str]:
    n = len(size)
    axis = rng.randrange(-n, n)
    turned = tuple(rng.sample(range(n), n))
    return [
        f"nd.{rng.choice(UNARY)}({x})",
        f"nd.{rng.choice(POSITIVE)}(nd.abs({x}) + 1)",
        f"nd.{rng.choice(REDUCTIONS)}({x}, axis={axes(rng, n)}, keepdims={rng.random() < 0.5})",
        f"nd.sum({x}, axis={axes(rng, n)}, exclude={rng.random() < 0.5})",
        f"nd.{rng.choice(BINARY)}({x}, {array(rng, beside(rng, size), dtype)})",
        f"{x}.reshape({rng.choice(('(-1,)', '(0, -1)', '(-1, 1)', '(-2,)', '(-3, -2)', '(1, -1)'))})",
        f"{x}.transpose({turned})",
        f"nd.expand_dims({x}, axis={axis})",
        f"nd.flip({x}, axis={axis})",
        f"nd.concat({x}, {x} * 2, dim={axis})",
        f"nd.stack({x}, {x} + 1, axis={axis})",
        f"nd.split({x}, num_outputs={size[axis]}, axis={axis}, squeeze_axis={rng.random() < 0.5})",
        f"nd.tile({x}, reps={rng.choice(((2,), (1, 2), (2, 1, 3)))})",
        f"nd.repeat({x}, repeats=2, axis={axis})",
        f"nd.slice_axis({x}, axis={axis}, begin={rng.choice((0, -1))}, end=None)",
        f"nd.clip({x}, {rng.choice((-1, -0.5, 0))}, {rng.choice((1, 0.75, 2))})",
        f"nd.argmax({x}, axis={axis})",
        f"nd.argmin({x}, axis={axis}, keepdims=True)",
        f"nd.sort(nd.arange(6).reshape((2, 3)) * -1 + {x}.sum(), axis={rng.choice((0, 1, -1))})",
        f"nd.topk({x}, axis={axis}, k=1, ret_typ={rng.choice(('value', 'mask'))!r})",
        f"nd.cumsum({x}, axis={axis % n})",
        f"nd.softmax({x}, axis={axis})",
        f"nd.log_softmax({x}, axis={axis}, temperature={rng.choice((0.5, 2.0))})",
        f"nd.where({x} > 0, {x}, {x} * 0.5)",
        f"nd.pick({x}, nd.zeros({tuple(s for i, s in enumerate(size) if i != axis % n) or (1,)}), axis={axis})",
        f"nd.one_hot({x}, depth=3)",
        f"nd.take({x}, nd.array([0, {rng.choice((1, -1, 7))}]), axis={axis}, mode={rng.choice(('clip', 'wrap'))!r})",
        f"nd.cast({x}, {rng.choice(TYPES)!r})",
        f"{x}.astype({rng.choice(TYPES)!r})",
        f"nd.broadcast_to({x}, {size})",
        f"nd.broadcast_like({x}, {x})",
        f"nd.shape_array({x})",
        f"nd.size_array({x})",
        f"nd.swapaxes({x}, {axis}, 0)",
        f"nd.squeeze({x})",
        f"nd.moments({x}, axes=({axis % n},))",
        f"nd.L2Normalization({x})",
        f"nd.smooth_l1({x}, scalar=1.0)",
        f"nd.diag({x})",
        f"nd.khatri_rao({x}, {x})",
        "nd.batch_take(nd.arange(6).reshape((3, 2)), nd.array([0, 1, 0]))",
        f"nd.argsort({x}, axis={axis}).shape",
        f"nd.zeros_like({x})",
        f"nd.ones_like({x})",
        f"nd.full({size}, {rng.choice((1, 2.5, -1))}, dtype={dtype!r})",
        f"nd.arange({rng.randint(-2, 1)}, {rng.randint(2, 5)}, {rng.choice((1, 0.5, 2))}, repeat={rng.randint(1, 2)}, dtype={dtype!r})",
        f"nd.linspace(0, {rng.randint(1, 5)}, {rng.randint(1, 5)})",
        f"nd.add_n({x}, {x}, {x})",
        f"nd.reshape_like({x}, {x}.reshape((-1,)))",
        f"nd.slice_like({x}, {x})",
        "nd.depth_to_space(nd.ones((1, 4, 1, 1)), 2)",
        f"nd.SequenceMask({x}.reshape((-1, 1)), value=-1)",
        f"nd.histogram({x}, bins=3, range=(0, 2))",
        "nd.unravel_index(nd.array([0, 3]), shape=(2, 3))",
        "nd.ravel_multi_index(nd.array([[0, 1], [2, 0]]), shape=(2, 3))",
        f"nd.dot({x}.reshape((-1, 1)), {x}.reshape((1, -1)))",
        f"nd.dot({x}.reshape((-1, 1)), {x}.reshape((-1, 1)), transpose_a=True)",
    ]


def arrays(rng: Random) -> list[str]:
    """Operators and functions of arrays of every type, and gradients of a few."""
    size, dtype = shape(rng), rng.choice(TYPES)
    steps = [f"x = {array(rng, size, dtype)}", "x"]
    steps += rng.sample(_operators(rng, "x", size, dtype), 4)
    steps += rng.sample(_functions(rng, "x", size, dtype), 8)
    real = rng.choice(FLOATS)
    chosen = rng.sample([s for s in _functions(rng, "w", size, real) if ".shape" not in s], 3)
    chosen += rng.sample(_operators(rng, "w", size, real), 2)
    for text in chosen:
        req = rng.choice(("write", "add"))
        steps += [
            "",
            f"w = {array(rng, size, real, low=0.2, high=3)}",
            f"w.attach_grad(grad_req={req!r})",
            f"with autograd.record():\n    y = {text}\n    y = sum((nd.cast(v, 'float32') ** 2).sum() for v in (y if isinstance(y, list) else [y]))",
            "y.backward()",
            "w.grad",
        ]
    return steps


# Indices ------------------------------------------------------------------------------------------


def basic_index(rng: Random, n: int) -> str:
    """An integer, a slice or None for an axis."""
    stop = rng.randint(1, n)
    return rng.choice(
        [
            str(rng.randrange(-n, n)),
            ":",
            f"{stop - 1}:{stop}",
            f":{stop}",
            "::-1",
            f"{-stop}:",
            "::2",
            f"{rng.randrange(n)}:",
        ]
    )


def index(rng: Random, size: tuple[int, ...], advanced: bool = True, repeated: bool = True) -> str:
    """What stands in the brackets; with `repeated`, it may name an element twice."""
    keys = [basic_index(rng, n) for n in size[: rng.randint(1, len(size))]]
    if advanced and rng.random() < 0.5:
        # Beside arrays, MXNet's gradients misread negative integers.
        keys = ["0" if key.startswith("-") and ":" not in key else key for key in keys]
        axes = rng.sample(range(len(keys)), rng.randint(1, len(keys)))
        length = rng.randint(1, min(size[i] for i in axes))
        for i in axes:
            pool = range(size[i])
            chosen = rng.choices(pool, k=length) if repeated else rng.sample(pool, length)
            texts = (str(chosen), f"nd.array({chosen}, dtype='int32')", f"onp.array({chosen})")
            keys[i] = rng.choice(texts)
    if rng.random() < 0.25:
        keys.insert(rng.randint(0, len(keys)), "None")
    if rng.random() < 0.2:
        keys.append("...")
    return ", ".join(keys)


def indexing(rng: Random) -> list[str]:
    """Reading, writing, and gradients of both."""
    size, dtype = rng.choice(((4, 3), (2, 3, 4), (5,), (3, 2, 2, 2))), rng.choice(TYPES)
    steps = [f"x = {array(rng, size, dtype)}"]
    for _ in range(4):
        steps.append(f"x[{index(rng, size)}]")
    for _ in range(4):
        key = index(rng, size, repeated=False)
        value = rng.choice(
            ("5", "-1.5", f"x[{key}] * 2", f"x[{key}].asnumpy() + 1", "onp.float32(3)")
        )
        steps += [f"x[{key}] = {value}", "x"]
    for _ in range(2):
        steps += [
            "",
            f"w = {array(rng, size)}",
            "w.attach_grad()",
            f"with autograd.record():\n    y = (w[{index(rng, size)}] * 2) ** 2 + w[{index(rng, size, False)}].sum()",
            "y.backward()",
            "w.grad",
        ]
    return steps


# Views --------------------------------------------------------------------------------------------


def views(rng: Random) -> list[str]:
    """Writing in place through views, with and without recording."""
    size = rng.choice(((4, 3), (2, 3, 2), (6,)))
    dtype = rng.choice(("float32", "float64", "int32"))
    steps = [f"x = {array(rng, size, dtype)}", "y = x"]
    for _ in range(6):
        steps += [
            rng.choice((
                f"y = x[{basic_index(rng, size[0])}]", f"y = x[{rng.randrange(size[0])}:{size[0]}]",
                "y = x.reshape((-1,))", "y = x.reshape((0, -1))", "y = x.T", "y = x.expand_dims(0)",
                "y = x.detach()", "y = x.copy()", "y = x.as_in_context(mx.cpu())",
                f"y = x.astype({dtype!r}, copy=False)", "y = x.flatten()", "y = x.slice_axis(axis=0, begin=0, end=1)",
            )),
            rng.choice((
                "y[:] = 7", "y += 1", "y *= 2", "y -= x.sum()", "y[0] = 3", "y[:] = y + 1", "x[:] = x * 2",
                "nd.square(y, out=y)", "x += 1", "y[-1:] = 0", "x[0] = y[-1] if y.shape[1:] == x.shape[1:] else 2",
                "y.copyto(y)", "nd.elemwise_add(y, y, out=y)", "y /= 2", "y **= 2", "y %= 3",
            )),
            "x", "y",
        ]  # fmt: skip
    steps += [
        "",
        f"w = {array(rng, size)}",
        f"v = {array(rng, size)}",
        "w.attach_grad()",
        "v.attach_grad()",
    ]
    body = rng.sample([
        "z[:] = 2", "z = z * v", "z += 1", "z = z.reshape((-1,)).reshape(w.shape)", "z = nd.square(z)",
        "z[0] = v[0]", "z *= 2", "z = z + z.detach()", "nd.square(v, out=z)", "z = z[::-1]", "z = nd.BlockGrad(z) * v",
        "w += 1", "q = z.copy(); q[:] = 3", "z = z.copy()", "q = nd.zeros(w.shape); q[:] = z; z = q * v", "with autograd.pause():\n        z = z * 3",
    ], 3)  # fmt: skip
    steps.append("z = w * 2")
    steps.append("with autograd.record():\n    z = w * 2\n    " + "\n    ".join(body))
    steps += ["z.backward()", "z", "w", "v", "w.grad", "v.grad"]
    return steps

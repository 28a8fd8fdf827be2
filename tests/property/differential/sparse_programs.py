# SPDX-License-Identifier: Apache-2.0
"""Programs of CSR and row_sparse arrays: arithmetic, products, retain, slices, casts, gradients."""

from __future__ import annotations

from random import Random

TYPES = ("float32", "float32", "float32", "float64")
KEEP_ZERO = "abs sign sqrt square sin tan arcsin sinh tanh arcsinh ceil floor round rint fix trunc expm1 log1p relu degrees radians".split()


def _dense(rng: Random, shape: tuple[int, int], dtype: str) -> str:
    seed = rng.randrange(10**6)
    mask = f"data({shape}, 'bool', {seed + 1})"
    if rng.random() < 0.4:
        mask = f"data(({shape[0]}, 1), 'bool', {seed + 1})"
    return f"nd.array(data({shape}, {dtype!r}, {seed}) * {mask}, dtype={dtype!r})"


def _made(rng: Random, shape: tuple[int, int], stype: str, dtype: str) -> str:
    if rng.random() < 0.6:
        return f"{_dense(rng, shape, dtype)}.tostype({stype!r})"
    count, seed = rng.randint(0, shape[0]), rng.randrange(10**6)
    if stype == "csr":
        indices, pointers = [], [0]
        for _ in range(shape[0]):
            row = sorted(rng.sample(range(shape[1]), rng.randint(0, shape[1])))
            indices += row
            pointers.append(len(indices))
        return f"nd.sparse.csr_matrix((data(({len(indices)},), {dtype!r}, {seed}), {indices}, {pointers}), shape={shape}, dtype={dtype!r})"
    rows = sorted(rng.sample(range(shape[0]), count))
    if not rows:
        return f"nd.sparse.zeros('row_sparse', {shape}, dtype={dtype!r})"
    return f"nd.sparse.row_sparse_array((data(({count}, {shape[1]}), {dtype!r}, {seed}), {rows}), shape={shape}, dtype={dtype!r})"


def _of_both(rng: Random, x: str, y: str, shape: tuple[int, int]) -> list[str]:
    return [
        f"{x} + {y}",
        f"{x} - {y}",
        f"{x} * {y}",
        f"{x} + nd.ones({shape})",
        f"{x} * nd.ones({shape})",
        f"nd.sparse.add({x}, {y})",
        f"nd.sparse.subtract({x}, {y})",
        f"nd.sparse.multiply({x}, {y})",
        f"nd.sparse.add_n({x}, {y})",
        f"nd.elemwise_add({x}, {y})",
        f"nd.elemwise_mul({x}, {y})",
        f"nd.elemwise_add({x}, nd.ones({shape}))",
        f"{x} == {y}",
        f"{x} > {y}",
    ]


def _of_one(rng: Random, x: str, shape: tuple[int, int]) -> list[str]:
    begin = rng.randrange(shape[0])
    return [
        f"{x}",
        f"{x}.shape, {x}.stype, str({x}.dtype)",
        f"{x} * {rng.choice((2, 0.5, -1, 0))}",
        f"{x} / {rng.choice((2, 0.5))}",
        f"{x} + {rng.choice((0, 1))}",
        f"{x} > {rng.choice((0, 1, -1))}",
        f"-{x}",
        f"nd.sparse.{rng.choice(KEEP_ZERO)}({x} * 0.25)",
        f"nd.{rng.choice(('cos', 'exp', 'sigmoid', 'negative', 'relu', 'square'))}({x})",
        f"{x}.tostype('default')",
        f"nd.cast_storage({x}, 'default')",
        f"nd.sparse.sum({x}, axis={rng.choice((0, 1))})",
        f"nd.sum({x}, axis={rng.choice((0, 1))}, keepdims=True)",
        f"nd.sparse.mean({x}, axis={rng.choice((0, 1))})",
        f"nd.sparse.norm({x})",
        f"nd.norm({x}, ord=2)",
        f"{x}.astype('float64')",
        f"{x}.copy()",
        f"{x}.copyto(nd.zeros({shape}, dtype={x}.dtype))",
        f"nd.sparse.zeros_like({x})",
        f"nd.sparse.clip({x}, -1, 1)",
        f"nd.sparse.where({x}, nd.ones({shape}, dtype={x}.dtype), nd.zeros({shape}, dtype={x}.dtype))",
        f"{x}[{begin}:{shape[0]}]",
        f"{x}[:]",
        f"{x}.asnumpy().sum()",
        f"{x}.indices",
        f"{x}.data",
        f"{x}.check_format()",
        f"nd.sparse.concat({x}, {x}, dim=0)",
        f"nd.sparse.slice({x}, begin=({begin}, 0), end=({shape[0]}, {shape[1]}))",
        f"nd.slice({x}, begin=({begin}, 1), end=({shape[0]}, {shape[1]}))",
        f"nd.slice_axis({x}, axis=1, begin=1, end=None)",
        f"{x}.transpose()",
        f"{x}.reshape((-1,))",
        f"nd.sparse.array({x})",
        f"nd.array({x})",
        f"{x}.asscipy().toarray()",
    ]


def _products(rng: Random, shape: tuple[int, int], dtype: str) -> list[str]:
    rows, columns = shape
    right, left = (
        f"nd.array(data(({columns}, 2), {dtype!r}, 5))",
        f"nd.array(data(({rows}, 2), {dtype!r}, 6))",
    )
    return [
        f"nd.sparse.dot(c, {right})",
        f"nd.sparse.dot(c, {left}, transpose_a=True)",
        f"nd.dot(c, {right}.tostype('row_sparse'))",
        f"nd.sparse.dot(c, {left}.tostype('row_sparse'), transpose_a=True)",
        f"nd.dot(c, {left}, transpose_a=True, forward_stype={rng.choice(('row_sparse', 'default'))!r})",
        f"nd.dot({left}.T, c)",
        f"nd.dot({right}.T, c, transpose_b=True)",
        f"nd.sparse.retain(r, nd.array({sorted(rng.sample(range(rows), rng.randint(1, rows)))}))",
        "nd.sparse.retain(r, nd.array([0]))",
        f"nd.take(r, nd.array([0, {rows - 1}]))",
        f"nd.Embedding(nd.array([0, 1]), r, input_dim={rows}, output_dim={columns})",
        "nd.sparse.elemwise_add(r, r)",
        "nd.sparse.elemwise_sub(c, c)",
        f"nd.sparse.broadcast_mul(c, nd.array(data((1, {columns if rows > 1 else 1}), {dtype!r}, 7)))",
        "nd.sparse.broadcast_div(c, nd.array([2.0]))",
        f"c * nd.array(data(({rows}, 1), {dtype!r}, 8))",
        f"nd.sparse.FullyConnected(c, nd.array(data((2, {columns}), 'float32', 9)), num_hidden=2, no_bias=True)",
    ]  # fmt: skip


def _gradients(rng: Random, shape: tuple[int, int]) -> list[str]:
    columns = shape[1]
    weight = f"w = nd.array(data(({columns}, 2), 'float32', {rng.randrange(100)}))"
    stype = rng.choice(("'row_sparse'", "None"))
    lookup = [rng.randrange(columns) for _ in range(3)]
    body = rng.choice((
        "nd.sparse.dot(c, w)", f"nd.sparse.Embedding(nd.array({lookup}), w, input_dim={columns}, output_dim=2, sparse_grad={stype != 'None'})",
        f"nd.take(w, nd.array({lookup}))", "nd.dot(c, w) * 2 + 1", "nd.sparse.dot(c, w).sum(axis=1) ** 2",
    ))  # fmt: skip
    return [
        f"c = {_made(rng, shape, 'csr', 'float32')}", weight, f"w.attach_grad(stype={stype})",
        f"with autograd.record():\n    y = {body}", "y.backward()", "w.grad", "w.grad.stype",
    ]  # fmt: skip


def sparse(rng: Random) -> list[str]:
    """Arithmetic, products, slices and gradients of both kinds of sparse arrays."""
    shape, dtype = rng.choice(((4, 3), (2, 5), (1, 3), (6, 2))), rng.choice(TYPES)
    steps = []
    for name, stype in (("c", "csr"), ("d", "csr"), ("r", "row_sparse"), ("s", "row_sparse")):
        steps.append(f"{name} = {_made(rng, shape, stype, dtype)}")
    for x, y in (("c", "d"), ("r", "s")):
        steps += rng.sample(_of_both(rng, x, y, shape), 3)
        steps += rng.sample(_of_one(rng, x, shape), 6)
        steps += [f"{x}[:] = {rng.choice((y, '2', f'nd.ones({shape})'))}", x]
    steps += rng.sample(_products(rng, shape, dtype), 5)
    return [*steps, "", *_gradients(rng, shape)]

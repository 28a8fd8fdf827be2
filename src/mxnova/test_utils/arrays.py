# SPDX-License-Identifier: Apache-2.0
"""Arrays and shapes to test with, and reductions to compare with.

All of them draw from `numpy.random`, whose seed tests set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, ArgumentTypeError
from ..core.nd.array import NDArray
from ..core.nd.creation import arange, array, eye

__all__ = [
    "assign_each",
    "assign_each2",
    "collapse_sum_like",
    "create_2d_tensor",
    "create_vector",
    "default_dtype",
    "get_identity_mat",
    "get_identity_mat_batch",
    "np_reduce",
    "rand_coord_2d",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
]

Shape = tuple[int, ...]


def default_dtype() -> type:
    """The element type of arrays that none is given for: float32."""
    return np.float32


def random_arrays(*shapes: Shape) -> Any:
    """Normally distributed NumPy arrays: one for one shape, a list of them otherwise."""
    made: list[np.ndarray] = [
        np.asarray(np.random.randn(*shape), default_dtype()) for shape in shapes
    ]
    return made[0] if len(made) == 1 else made


def random_uniform_arrays(*shapes: Shape, **kwargs: Any) -> list[Any]:
    """Uniformly distributed NumPy arrays, as a list.

    Args:
        shapes: a shape for each.
        kwargs: low= and high= bounds, 0 and 1 by default; dtype= element type.
    """
    low, high = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0)
    dtype = kwargs.pop("dtype", default_dtype())
    if kwargs:
        raise ArgumentTypeError(f"random_uniform_arrays: it has no argument {min(kwargs)!r}")
    return [np.random.uniform(low, high, shape).astype(dtype) for shape in shapes]


def random_sample(population: Sequence[Any], k: int) -> list[Any]:
    """`k` of the items of `population`, in random order."""
    order = np.random.permutation(len(population))
    return [population[i] for i in order[:k]]


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> Shape:
    """A random shape of two axes."""
    return _random_shape((dim0, dim1), allow_zero_size)


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> Shape:
    """A random shape of three axes."""
    return _random_shape((dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> Shape:
    """A random shape of `num_dim` axes.

    Args:
        num_dim: number of axes.
        dim: the greatest size of an axis.
        allow_zero_size: whether axes may be empty.
    """
    return _random_shape((dim,) * num_dim, allow_zero_size)


def _random_shape(greatest: Shape, allow_zero_size: bool) -> Shape:
    low = 0 if allow_zero_size else 1
    return tuple(int(n) for n in np.random.randint(low, np.asarray(greatest, np.int64) + 1))


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[int, int]:
    """A random point (x, y): ``x_low <= x < x_high`` and ``y_low <= y < y_high``."""
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


def create_vector(size: int, dtype: Any = np.int64) -> NDArray:
    """0, 1, … to `size` - 1."""
    return arange(0, size, dtype=dtype)


def create_2d_tensor(rows: int, columns: int, dtype: Any = np.int64) -> NDArray:
    """A matrix with each row's number in all its columns."""
    matrix: NDArray = create_vector(rows, dtype).reshape((rows, 1)).broadcast_to((rows, columns))
    return matrix


def get_identity_mat(size: int) -> NDArray:
    """The identity matrix of `size` rows, float32."""
    return eye(size)


def get_identity_mat_batch(size: int) -> NDArray:
    """Two identity matrices of `size` rows, float32, in one array."""
    return array(np.broadcast_to(np.eye(size, dtype=np.float32), (2, size, size)))


def np_reduce(
    dat: Any,
    axis: int | Sequence[int] | None,
    keepdims: bool,
    numpy_reduce_func: Callable[..., Any],
) -> Any:
    """`dat` reduced by a NumPy function that takes one axis at a time.

    Args:
        dat: a NumPy array.
        axis: axis or axes; None: all.
        keepdims: whether reduced axes stay, with size 1.
        numpy_reduce_func: such as ``numpy.sum``.
    """
    axes = range(dat.ndim) if axis is None else np.atleast_1d(np.asarray(axis, np.int64))
    for i in sorted((int(i) % dat.ndim for i in axes), reverse=True):
        dat = numpy_reduce_func(dat, axis=i)
        if keepdims:
            dat = np.expand_dims(dat, i)
    return dat


def collapse_sum_like(a: Any, shape: Shape) -> Any:
    """`a` summed over the axes along which `shape` would broadcast to its shape."""
    missing = np.ndim(a) - len(shape)
    pairs = list(zip(a.shape[missing:], shape, strict=True)) if missing >= 0 else [(0, 1)]
    if any(size not in (1, whole) for whole, size in pairs):
        raise ArgumentError(f"collapse_sum_like: {shape} does not broadcast to {a.shape}")
    stretched = [missing + i for i, (whole, size) in enumerate(pairs) if size != whole]
    return np.sum(a, axis=(*range(missing), *stretched)).reshape(shape)


def assign_each(the_input: Any, function: Callable[[Any], Any] | None) -> Any:
    """`function` of every element, as a NumPy array; without a function, a copy."""
    values = np.array(the_input)
    return np.vectorize(function)(values) if function is not None and values.size else values


def assign_each2(input1: Any, input2: Any, function: Callable[[Any, Any], Any] | None) -> Any:
    """`function` of every two elements, as a NumPy array; without one, a copy of `input1`."""
    values = np.array(input1)
    if function is None or not values.size:
        return values
    return np.vectorize(function)(values, np.array(input2))

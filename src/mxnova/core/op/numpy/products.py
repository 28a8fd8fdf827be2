# SPDX-License-Identifier: Apache-2.0
"""Products of the NumPy front end that sum over axes."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TypeAlias

import torch
from torch import Tensor

from ...base.params import Count, Shape
from ...base.shapes import UNKNOWN, Dim, shape_text
from ...kernels.onednn import matmul
from ..declaration import function_operator
from ..infer import Shapes
from ..promotion import promote, promote_floats, promote_numbers
from ..schema import Op

Axes = tuple[int, ...]


def _match(s: Shapes, a_axes: Axes, b_axes: Axes) -> None:
    """States that axes of `a` and `b` are as long, pair by pair."""
    a, b = list(s.a), list(s.b)
    for i, j in zip(a_axes, b_axes, strict=True):
        if {type(a[i]), type(b[j])} == {int} and a[i] != b[j]:
            raise s.fail(
                f"a {shape_text(s.a)} and b {shape_text(s.b)}: the summed axes differ, {a[i]} vs. "
                f"{b[j]}; .T and transpose() turn an array round"
            )
        a[i] = s.b[j]
        s.a = tuple(a)
        b[j] = s.a[i]
        s.b = tuple(b)


def _without(shape: tuple[Dim, ...], axes: Axes) -> tuple[Dim, ...]:
    return tuple(d for axis, d in enumerate(shape) if axis not in axes)


def _contracted(s: Shapes, a_axes: Axes, b_axes: Axes) -> None:
    """The shape rule of a sum of products over pairs of axes, counted from the front."""
    _match(s, a_axes, b_axes)
    s.output = (*_without(s.a, a_axes), *_without(s.b, b_axes))


# Products of two arrays ---------------------------------------------------------------------------


def _dot_axes(a_rank: int, b_rank: int) -> tuple[Axes, Axes]:
    if not a_rank or not b_rank:
        return (), ()
    return (a_rank - 1,), (max(b_rank - 2, 0),)


def _dot_shape(op: Op, s: Shapes) -> None:
    _contracted(s, *_dot_axes(len(s.a), len(s.b)))


@function_operator("_np_dot", shape=_dot_shape, dtype=promote_numbers, promotes=True)
def dot(a: Tensor, b: Tensor) -> Tensor:
    """Sum of products over the last axis of `a` and the last but one of `b`.

    Two vectors give their inner product, two matrices their matrix product, a scalar and an array
    the multiple of the array.

    Args:
        a: of any shape.
        b: of any shape; the axis of a vector is the one summed over.
    """
    if not a.ndim or not b.ndim:
        return a * b
    if a.ndim == b.ndim == 2:
        return matmul(a, b)
    return a @ b if b.ndim < 3 else torch.tensordot(a, b, _dot_axes(a.ndim, b.ndim))


def _matmul_shape(op: Op, s: Shapes) -> None:
    a, b = s.a, s.b
    if not a or not b:
        raise s.fail(f"a {shape_text(a)} and b {shape_text(b)} must not be scalars")
    _match(s, *_dot_axes(len(a), len(b)))
    a, b = s.a, s.b
    s.output = (*_batch(s, a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _batch(s: Shapes, a: tuple[Dim, ...], b: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The axes before the last two, broadcast."""
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    what = f"a {shape_text(s.a)} and b {shape_text(s.b)}: the axes before the last two"
    return tuple(_broadcast(s, m, n, what) for m, n in pairs)[::-1]


def _broadcast(s: Shapes, m: Dim, n: Dim, what: str) -> Dim:
    """The length of two axes together, of which one may be 1; `what` the error calls them."""
    if m is UNKNOWN or n is UNKNOWN:
        return UNKNOWN
    if m != n and 1 not in (m, n):
        raise s.fail(f"{what} cannot be broadcast together, {m} vs. {n}")
    return n if m == 1 else m


@function_operator(
    "_npi_matmul", shape=_matmul_shape, dtype=promote_floats, promotes=True, is_product=True
)
def matrix_product(a: Tensor, b: Tensor) -> Tensor:
    """Matrix products of the last two axes; the axes before them are broadcast.

    Args:
        a: (…, rows, summed), or (summed,) for a single row that vanishes from the result.
        b: (…, summed, columns), or (summed,) for a single column that vanishes from the result.
    """
    return matmul(a, b) if a.ndim == b.ndim == 2 else a @ b


def _tensordot_shape(op: Op, s: Shapes) -> None:
    a_axes, b_axes = op.attr("a_axes_summed"), op.attr("b_axes_summed")
    if len(a_axes) != len(b_axes):
        raise s.fail(f"a_axes_summed={a_axes} and b_axes_summed={b_axes} must be as many")
    chosen = (
        tuple(s.axis("a", i, "a_axes_summed") for i in a_axes),
        tuple(s.axis("b", i, "b_axes_summed") for i in b_axes),
    )
    if any(len(set(axes)) < len(axes) for axes in chosen):
        raise s.fail(f"a_axes_summed={a_axes}, b_axes_summed={b_axes}: an axis is given twice")
    _contracted(s, *chosen)


@function_operator("_npi_tensordot", shape=_tensordot_shape, dtype=promote_floats, promotes=True)
def tensordot(a: Tensor, b: Tensor, *, a_axes_summed: Shape, b_axes_summed: Shape) -> Tensor:
    """Sum of products over pairs of axes; the other axes of `a` come first, then those of `b`.

    Args:
        a: of any shape.
        b: of any shape.
        a_axes_summed: axes of `a`, negative ones counted from the last.
        b_axes_summed: the axes of `b` that they go with.
    """
    product: Tensor = torch.tensordot(a, b, (a_axes_summed, b_axes_summed))
    return product


def _tensordot_int_shape(op: Op, s: Shapes) -> None:
    a, b, n = s.a, s.b, max(op.attr("axes"), 0)
    if n > min(len(a), len(b)):
        raise s.fail(f"axes={n}: a {shape_text(a)} or b {shape_text(b)} has less than {n} axes")
    _contracted(s, tuple(range(len(a) - n, len(a))), tuple(range(n)))


@function_operator(
    "_npi_tensordot_int_axes", shape=_tensordot_int_shape, dtype=promote_floats, promotes=True
)
def tensordot_int_axes(a: Tensor, b: Tensor, *, axes: int) -> Tensor:
    """Sum of products over the last axes of `a` and the first axes of `b`.

    Args:
        a: of any shape.
        b: of any shape.
        axes: how many axes vanish; less than 0 is 0, which gives all products.
    """
    product: Tensor = torch.tensordot(a, b, max(axes, 0))
    return product


# Einstein summation -------------------------------------------------------------------------------


Label: TypeAlias = str | int  # a letter, or the place of an axis under `...`, counted from the last


def _einsum_shape(op: Op, s: Shapes) -> None:
    subscripts = op.attr("subscripts")
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if len(terms) != len(s.inputs):
        raise s.fail(f"subscripts={subscripts!r}: for {len(terms)} arrays, not {len(s.inputs)}")
    lengths: dict[Label, Dim] = {}
    for term, name in zip(terms, s.inputs, strict=True):
        for label, length in _lengths(s, term, name).items():
            what = f"subscripts={subscripts!r}: axes {label!r}"
            lengths[label] = _broadcast(s, lengths.get(label, 1), length, what)
    dots = sorted(label for label in lengths if isinstance(label, int))
    letters = given.replace("...", "").replace(",", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    front, has_dots, back = result.partition("...") if arrow else ("", "...", "".join(once))
    labels: list[Label] = [*front, *(dots if has_dots else ()), *back]
    for label in labels:
        if label not in lengths or labels.count(label) > 1:
            reason = "is in no array" if label not in lengths else "is there twice"
            raise s.fail(f"subscripts={subscripts!r}: {label!r} of the result {reason}")
    s.output = tuple(lengths[label] for label in labels)


def _lengths(s: Shapes, term: str, name: str) -> dict[Label, Dim]:
    """The lengths of an array's axes by their labels; axes of one label are a diagonal."""
    shape, (front, dots, back) = s[name], term.partition("...")
    rest = len(shape) - len(front) - len(back)
    if rest < 0 or (rest and not dots):
        raise s.fail(f"subscripts {term!r} do not fit {name} {shape_text(shape)}")
    if not re.fullmatch("[A-Za-z]*", front + back):
        raise s.fail(f"subscripts {term!r} of {name}: must be letters, and ... once")
    found: dict[Label, Dim] = {}
    for label, length in zip((*front, *range(-rest, 0), *back), shape, strict=True):
        before = found.setdefault(label, length)
        if before is not UNKNOWN and length is not UNKNOWN and before != length:
            what = f"{name} {shape_text(shape)}: axes {label!r}"
            raise s.fail(f"{what} differ, {before} vs. {length}")
    return found


@function_operator("_npi_einsum", shape=_einsum_shape, dtype=promote, promotes=True)
def einsum(*data: Tensor, num_args: Count, subscripts: str = "", optimize: int = 0) -> Tensor:
    """Einstein summation: ``ij,jk->ik`` is the matrix product.

    Args:
        data: the arrays that the subscripts name the axes of; axes of length 1 are broadcast.
        num_args: their number.
        subscripts: a letter for each axis, array by array, then the letters of the result. Without
            ``->`` these are the letters that occur once, in alphabetical order; ``...`` stands for
            axes without letters.
        optimize: read for compatibility; ATen chooses the order of the products.
    """
    dtype = data[0].dtype
    if dtype.is_floating_point:
        return torch.einsum(subscripts, *data)
    # ATen has integer products on the CPU only.
    wide = torch.float64 if data[0].is_cuda else torch.int64
    return torch.einsum(subscripts, *(x.to(wide) for x in data)).to(dtype)

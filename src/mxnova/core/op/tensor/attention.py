# SPDX-License-Identifier: Apache-2.0
"""Products of multi-head attention on interleaved projections.

The projections of one position stand together, head by head: query, key and value of the first
head, then those of the second, and so on (encoder-decoder attention: key and value). Results are
ordered batch by batch, in a batch head by head.
"""

from __future__ import annotations

from math import sqrt

from torch import Tensor

from ...base.shapes import Dim, shape_text
from ...runtime import tuning
from ..declaration import function_operator
from ..infer import Shapes
from ..schema import Op


def _split(projections: Tensor, heads: int, parts: int) -> list[Tensor]:
    """The `parts` projections, each (batch · heads, length, head size)."""
    length, batch, _ = projections.shape
    split = projections.reshape(length, batch, heads, parts, -1).permute(3, 1, 2, 0, 4)
    return list(split.flatten(1, 2).unbind(0))


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    return queries / sqrt(queries.shape[-1]) @ keys.transpose(-1, -2)


def _weighted(attention: Tensor, values: Tensor, heads: int) -> Tensor:
    """Attention-weighted sums of `values`, heads side by side: (length, batch, features)."""
    is_narrow = values.shape[-1] < tuning.ATTENTION_NARROW_HEAD
    sums = (values.mT @ attention.mT).mT if is_narrow else attention @ values
    outputs = sums.unflatten(0, (-1, heads))  # type: ignore[no-untyped-call]
    batch, _, length, _ = outputs.shape
    result: Tensor = outputs.permute(2, 0, 1, 3).reshape(length, batch, -1)
    return result


def _projections(op: Op, s: Shapes, name: str, parts: int) -> tuple[Dim, ...]:
    """Shape of the interleaved array `name`, checked."""
    s.rank(name, 3)
    heads, shape = op.attr("heads"), s[name]
    if heads < 1 or shape[2] % (heads * parts):
        raise s.fail(
            f"heads={heads}: the last axis of {name} {shape_text(shape)} must be a multiple of "
            f"{parts} · heads"
        )
    return shape


def _check_attention(op: Op, s: Shapes, batch: Dim, keys: Dim) -> None:
    s.rank("attention", 3)
    if s.attention[0] != batch * op.attr("heads") or s.attention[2] != keys:
        raise s.fail(
            f"attention {shape_text(s.attention)}: must be (batch · heads, queries, keys) with "
            f"batch={batch}, heads={op.attr('heads')}, keys={keys}"
        )


def _selfatt_qk_shape(op: Op, s: Shapes) -> None:
    length, batch, _ = _projections(op, s, "queries_keys_values", 3)
    s.output = (batch * op.attr("heads"), length, length)


def _selfatt_valatt_shape(op: Op, s: Shapes) -> None:
    length, batch, features = _projections(op, s, "queries_keys_values", 3)
    _check_attention(op, s, batch, length)
    s.output = (s.attention[1], batch, features // 3)


def _encdec_qk_shape(op: Op, s: Shapes) -> None:
    queries = _projections(op, s, "queries", 1)
    keys = _projections(op, s, "keys_values", 2)
    if keys[1:] != (queries[1], queries[2] * 2):
        raise s.fail(
            f"keys_values {shape_text(keys)} must have the batch of queries "
            f"{shape_text(queries)} and twice its last axis"
        )
    s.output = (queries[1] * op.attr("heads"), queries[0], keys[0])


def _encdec_valatt_shape(op: Op, s: Shapes) -> None:
    length, batch, features = _projections(op, s, "keys_values", 2)
    _check_attention(op, s, batch, length)
    s.output = (s.attention[1], batch, features // 2)


@function_operator("_contrib_interleaved_matmul_selfatt_qk", shape=_selfatt_qk_shape)
def selfatt_qk(queries_keys_values: Tensor, *, heads: int) -> Tensor:
    """Scores of self-attention: products of queries and keys over the root of the head size.

    Args:
        queries_keys_values: (length, batch, heads · 3 · head size), interleaved.
        heads: number of heads.
    """
    queries, keys, _ = _split(queries_keys_values, heads, 3)
    return _scores(queries, keys)


@function_operator("_contrib_interleaved_matmul_selfatt_valatt", shape=_selfatt_valatt_shape)
def selfatt_valatt(queries_keys_values: Tensor, attention: Tensor, *, heads: int) -> Tensor:
    """Values of self-attention, weighted by `attention`: (length, batch, heads · head size).

    Args:
        queries_keys_values: (length, batch, heads · 3 · head size), interleaved.
        attention: (batch · heads, length, length): the weights.
        heads: number of heads.
    """
    return _weighted(attention, _split(queries_keys_values, heads, 3)[2], heads)


@function_operator("_contrib_interleaved_matmul_encdec_qk", shape=_encdec_qk_shape)
def encdec_qk(queries: Tensor, keys_values: Tensor, *, heads: int) -> Tensor:
    """Scores of encoder-decoder attention, over the root of the head size.

    Args:
        queries: (queries, batch, heads · head size).
        keys_values: (keys, batch, heads · 2 · head size), interleaved.
        heads: number of heads.
    """
    return _scores(_split(queries, heads, 1)[0], _split(keys_values, heads, 2)[0])


@function_operator("_contrib_interleaved_matmul_encdec_valatt", shape=_encdec_valatt_shape)
def encdec_valatt(keys_values: Tensor, attention: Tensor, *, heads: int) -> Tensor:
    """Values of encoder-decoder attention, weighted: (queries, batch, heads · head size).

    Args:
        keys_values: (keys, batch, heads · 2 · head size), interleaved.
        attention: (batch · heads, queries, keys): the weights.
        heads: number of heads.
    """
    return _weighted(attention, _split(keys_values, heads, 2)[1], heads)


def _not_quantized(op: Op, s: Shapes) -> None:
    if op.attr("quantized"):
        raise s.fail("quantized=True: the quantized form is not implemented")


def _fused_qk_shape(op: Op, s: Shapes) -> None:
    _not_quantized(op, s)
    _selfatt_qk_shape(op, s)


def _fused_valatt_shape(op: Op, s: Shapes) -> None:
    _not_quantized(op, s)
    _selfatt_valatt_shape(op, s)


@function_operator("_sg_mkldnn_selfatt_qk", shape=_fused_qk_shape)
def fused_selfatt_qk(
    queries_keys_values: Tensor,
    *,
    heads: int,
    quantized: bool = False,
    enable_float_output: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Tensor:
    """`_contrib_interleaved_matmul_selfatt_qk` as MXNet's oneDNN backend writes it into graphs.

    Args:
        queries_keys_values: (length, batch, heads · 3 · head size), interleaved.
        heads: number of heads.
        quantized: only False is possible.
        enable_float_output: for the quantized form.
        min_calib_range: for the quantized form.
        max_calib_range: for the quantized form.
    """
    return selfatt_qk(queries_keys_values, heads=heads)


@function_operator("_sg_mkldnn_selfatt_valatt", shape=_fused_valatt_shape)
def fused_selfatt_valatt(
    queries_keys_values: Tensor,
    attention: Tensor,
    *,
    heads: int,
    quantized: bool = False,
    enable_float_output: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Tensor:
    """`_contrib_interleaved_matmul_selfatt_valatt` as MXNet's oneDNN backend writes it into graphs.

    Args:
        queries_keys_values: (length, batch, heads · 3 · head size), interleaved.
        attention: (batch · heads, length, length): the weights.
        heads: number of heads.
        quantized: only False is possible.
        enable_float_output: for the quantized form.
        min_calib_range: for the quantized form.
        max_calib_range: for the quantized form.
    """
    return selfatt_valatt(queries_keys_values, attention, heads=heads)

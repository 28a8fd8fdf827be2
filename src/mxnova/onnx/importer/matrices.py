# SPDX-License-Identifier: Apache-2.0
"""ONNX's products of matrices."""

from __future__ import annotations

import numpy as np

from .elementwise import binary
from .site import REQUIRED, RefusalError, Site, translator
from .values import Value

__all__: list[str] = []


@translator("MatMul")
def _matmul(site: Site) -> Value:
    x, y = site.x, site.input(1)
    if not x.rank or not y.rank:
        raise RefusalError("an input has no axes")
    if y.rank <= 2:
        found = site.op("dot", x, y)
    elif x.shape[:-2] == y.shape[:-2] and x.is_float:
        kind = "batch_dot" if x.rank == 3 else "linalg_gemm2"
        found = site.op(kind, x, y)
    else:
        found = site.op("_npi_matmul", x, y)
    return found if x.rank + y.rank > 2 else found.as_scalar()


@translator("Gemm")
def _gemm(site: Site) -> Value:
    x, y, bias = site.x, site.input(1), site.optional(2)
    alpha, beta = site.attribute("alpha", 1.0), site.attribute("beta", 1.0)
    site.ignore("broadcast")  # before version 7
    turn_x, turn_y = bool(site.attribute("transA", 0)), bool(site.attribute("transB", 0))
    if x.rank != 2 or y.rank != 2:
        raise RefusalError(f"shapes {x.shape} and {y.shape} are no matrices")
    is_layer = alpha == 1 and turn_y and not turn_x and x.is_float
    units = y.shape[0]
    if is_layer and (bias is None or (beta == 1 and bias.shape == (units,))):
        given = (x, y) if bias is None else (x, y, bias)
        return site.op(
            "FullyConnected", *given, num_hidden=units, no_bias=bias is None, flatten=False
        )
    found = site.op("dot", x, y, transpose_a=turn_x, transpose_b=turn_y)
    found = found if alpha == 1 else site.op("_mul_scalar", found, scalar=alpha)
    if bias is None or not beta:
        return found
    bias = bias if beta == 1 else site.op("_mul_scalar", bias, scalar=beta)
    return binary(site, "Add", found, bias)


@translator("FC")
def _fully_connected(site: Site) -> Value:
    """As files have it that Caffe2 wrote."""
    site.only("axis", 1)
    site.only("axis_w", 1)
    given = (site.x, site.input(1), site.input(2))
    return site.op("FullyConnected", *given, num_hidden=site.input(1).shape[0])


@translator("Einsum")
def _einsum(site: Site) -> Value:
    equation = "".join(site.attribute("equation", REQUIRED).split())
    if "->" not in equation:
        letters = "".join(equation.split(","))
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        equation = f"{equation}->{''.join(once)}"
    found = site.op("_npi_einsum", *site.given, subscripts=equation)
    if not equation.endswith("->"):
        return found
    return site.op("Reshape", found, shape=(1,)).as_scalar()


@translator("Det")
def _det(site: Site) -> Value:
    found = site.op("linalg_det", site.x)
    return found if site.x.rank > 2 else found.as_scalar()


@translator("Attention")
def _attention(site: Site) -> Value:
    """Queries, keys and values, of which each head's are (batch, heads, items, units)."""
    q, k, v = site.x, site.input(1), site.input(2)
    if q.rank != 4 or k.rank != 4 or q.shape[1] != k.shape[1]:
        raise RefusalError("queries and keys must have 4 axes, and as many heads")
    if any(site.optional(i) is not None for i in (4, 5)) or site.n_outputs > 1:
        raise RefusalError("keys and values of the past: MXNet has no operator for that")
    for name in ("is_causal", "softcap", "qk_matmul_output_mode"):
        site.only(name, 0)
    site.ignore("q_num_heads", "kv_num_heads", "softmax_precision")
    scale = site.attribute("scale", 1 / float(np.sqrt(q.shape[-1])))
    scores = site.op("linalg_gemm2", q, k, transpose_b=True, alpha=scale)
    mask = site.optional(3)
    if mask is not None:
        if mask.is_truth:
            raise RefusalError("a mask of truth values: MXNet has no operator for that")
        scores = binary(site, "Add", scores, mask)
    return site.op("linalg_gemm2", site.op("softmax", scores, axis=-1), v)

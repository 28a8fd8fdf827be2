# SPDX-License-Identifier: Apache-2.0
"""The tuning table: kernels at the size from which they are used, and without them.

`n` is the constant: each case runs where it first decides, and `FACTOR` beyond where sizes grow.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.subject import Case, Options, Subject

FACTOR = 16
OFF = 1 << 62


class Contrast(NamedTuple):
    """What shows a constant.

    Attributes:
        off: its value where what it decides does not happen.
        setup: source that makes arrays, of size `n`.
        statement: what is timed.
        grows: whether `n` also runs `FACTOR` times as large.
    """

    off: int
    setup: str
    statement: str
    grows: bool = True


IMAGES = "x = torch.rand(1, n // 1024, 32, 32)"
ROWS = "x = torch.rand(n // 8, 8)"
HISTOGRAM = "x = mx.nd.random.uniform(shape=(n,))"
BOXES = "x = torch.rand(4096, 4); x[:, 2:] = x[:, :2] + 0.1; g = torch.arange(4096) // 16"

# fmt: off
CONTRASTS = {
    "PRODUCT_MIN_MULTIPLICATIONS": Contrast(
        OFF, "a = torch.rand(n // 65536, 256); b = torch.rand(256, 256)", "onednn.matmul(a, b)"),
    "PRODUCT_MIN_ROWS": Contrast(
        OFF, "a = torch.rand(n, 1024); b = torch.rand(1024, 1024)", "onednn.matmul(a, b)", False),
    "PRODUCT_MIN_COLUMNS": Contrast(
        OFF, "a = torch.rand(1024, 1024); b = torch.rand(1024, n)", "onednn.matmul(a, b)", False),
    "PRODUCT_WIDE_RATIO": Contrast(
        OFF, "a = torch.rand(2048, 256 * n); b = torch.rand(2048, 256)",
        "onednn._for_weight(a, b)", False),
    "COLUMN_SPLIT_MIN_WEIGHTS": Contrast(
        OFF, "a = torch.rand(32, 256); b = torch.rand(n // 256, 256)", "onednn.linear(a, b)"),
    "COLUMN_SPLIT_MIN_ROWS": Contrast(
        OFF, "a = torch.rand(n, 784); b = torch.rand(512, 784)", "onednn.linear(a, b)", False),
    "COLUMN_SPLIT_MAX_ROWS": Contrast(
        0, "a = torch.rand(n, 784); b = torch.rand(512, 784)", "onednn.linear(a, b)", False),
    "ATTENTION_NARROW_HEAD": Contrast(
        0, "q = mx.nd.ones((64, 8, 3 * 4 * (n // 2))); a = mx.nd.ones((32, 64, 64))",
        "mx.nd.contrib.interleaved_matmul_selfatt_valatt(q, a, heads=4).wait_to_read()", False),
    "TRIANGULAR_MIN_SIDE": Contrast(
        OFF, "x = mx.nd.array(np.eye(n) * n + np.random.rand(n, n))",
        "mx.nd.linalg.inverse(x).wait_to_read()", False),
    "CONV3D_MIN_SIZE": Contrast(
        OFF, "x = torch.rand(1, n // 512, 8, 8, 8); w = torch.rand(16, n // 512, 3, 3, 3)",
        "onednn.conv3d(x, w, None, 1, 1, 1, 1)"),
    "POOLING_MIN_SIZE": Contrast(
        OFF, IMAGES, "onednn.fast_pool(F.avg_pool2d, x, 3, 2, 1)"),
    "POOLING_MIN_CHANNELS": Contrast(
        OFF, "x = torch.rand(1, n, 56, 56)", "onednn.fast_pool(F.avg_pool2d, x, 3, 2, 1)", False),
    "MAX_POOLING_MIN_SIZE": Contrast(
        OFF, "x = mx.nd.random.uniform(shape=(1, n // 1024, 32, 32))",
        "mx.nd.Pooling(x, kernel=(3, 3), stride=(2, 2)).wait_to_read()"),
    "MAX_POOLING_BLOCK": Contrast(
        OFF, "x = mx.nd.random.uniform(shape=(8, n // 4096, 64, 64))",
        "mx.nd.Pooling(x, kernel=(3, 3), stride=(2, 2)).wait_to_read()", False),
    "TANH_MIN_SIZE": Contrast(OFF, "x = torch.rand(n)", "vectorized.tanh_(x)"),
    "TANH_MAX_SIZE": Contrast(0, "x = torch.rand(n)", "vectorized.tanh_(x)", False),
    "SHORT_ROWS_MIN_SIZE": Contrast(
        OFF, "x = torch.rand(n // 4, 5)", "vectorized.softmax(x, -1)"),
    "LAYER_NORM_MIN_SIZE": Contrast(
        OFF, "x = torch.rand(n // 4, 5); g = torch.rand(5)",
        "vectorized.layer_norm(x, g, g, 1e-5)"),
    "LAYER_NORM_SHORT_ROW": Contrast(
        0, "x = torch.rand(8000, n); g = torch.rand(n)", "vectorized.layer_norm(x, g, g, 1e-5)",
        False),
    "EXTREMES_MIN_SIZE": Contrast(
        OFF, "x = torch.rand(n // 64, 8, 8)", "vectorized.argmax(x, 1)"),
    "EXTREMES_MIN_ROW": Contrast(
        OFF, "x = torch.rand(2048, n)", "vectorized.argmax(x, 1)"),
    "LOSS_MASK_MAX_SIZE": Contrast(
        0, "x = mx.nd.ones((n // 16, 16)); y = mx.nd.zeros(n // 16); x.attach_grad()\n"
        "def step():\n with mx.autograd.record():\n  z = mx.nd.SoftmaxOutput(x, y)\n z.backward()",
        "step()", False),
    "LRN_BLOCK": Contrast(
        OFF, "x = mx.nd.ones((8, n // 1024, 32, 32))",
        "mx.nd.LRN(x, nsize=5).wait_to_read()", False),
    "RESIZE_MIN_CHANNELS": Contrast(
        OFF, "x = mx.nd.ones((1, n, 28, 28))",
        "mx.nd.contrib.BilinearResize2D(x, height=56, width=56).wait_to_read()", False),
    "RESIZE_MIN_SIZE": Contrast(
        OFF, "x = mx.nd.ones((1, n // 256, 16, 16))",
        "mx.nd.UpSampling(x, scale=2, sample_type='nearest').wait_to_read()"),
    "ONE_HOT_MAX_DEPTH": Contrast(
        0, "x = mx.nd.zeros(4096)", "mx.nd.one_hot(x, depth=n).wait_to_read()", False),
    "HISTOGRAM_MAX_LIMITS": Contrast(
        0, "x = mx.nd.random.uniform(shape=(100000,)); b = mx.nd.arange(n) / n",
        "mx.nd.histogram(x, b)", False),
    "HISTOGRAM_MIN_VALUES": Contrast(
        OFF, "x = mx.nd.random.uniform(shape=(12 * n,)); b = mx.nd.arange(11) / 10",
        "mx.nd.histogram(x, b)"),
    "HISTOGRAM_SORTED_BLOCK": Contrast(
        OFF, HISTOGRAM + "; b = mx.nd.arange(101) / 100", "mx.nd.histogram(x, b)"),
    "TRANSPOSE_MIN_SIZE": Contrast(
        OFF, "x = torch.rand(64, n // 64).T", "transpose.contiguous(x)"),
    "TRANSPOSE_MIN_SIDE": Contrast(
        OFF, "x = torch.rand(4096, n).T", "transpose._Matrices.of.cache_clear(); "
        "transpose.contiguous(x)", False),
    "COLUMNS_MIN_ROW": Contrast(
        OFF, "x = mx.nd.ones((16, 3, n + 2, n + 2))",
        "mx.nd.im2col(x, kernel=(3, 3), stride=(1, 1)).wait_to_read()", False),
    "SORT_MIN_SIZE": Contrast(OFF, ROWS, "sorting.sort_values(x, 0, False)"),
    "ARGSORT_MIN_SIZE": Contrast(OFF, ROWS, "sorting.sort(x, 0, False)"),
    "SORT_MAX_THREADS": Contrast(0, "x = torch.rand(64, 1024)", "sorting.sort(x, 1, False)", False),
    "TOPK_BLOCK": Contrast(1 << 20, "x = torch.rand(n << 12)", "sorting.topk(x, 10, 0)", False),
    "TOPK_MIN_BLOCKS": Contrast(OFF, "x = torch.rand(n * 256)", "sorting.topk(x, 1, 0)"),
    "PARTIAL_SORT_MIN_ROW": Contrast(
        OFF, "x = mx.nd.random.uniform(shape=(1024, n + 1))",
        "mx.nd.topk(x, k=5).wait_to_read()"),
    "REGION_MAX_BINS": Contrast(
        0, "x = mx.nd.ones((1, 9, 32, 32)); r = mx.nd.array([[0, 0, 0, 20, 20]] * (n // 9))",
        "mx.nd.contrib.PSROIPooling(x, r, spatial_scale=1, output_dim=1, pooled_size=3)"
        ".wait_to_read()", False),
    "NMS_BLOCK": Contrast(1 << 20, BOXES, "boxes.suppress(x, 0.5)", False),
    "NMS_SMALL_GROUP": Contrast(
        511, BOXES, "boxes.suppress(x, 0.5, torch.arange(4096) // n)", False),
    "PUT_ROWS_MIN_BYTES": Contrast(
        OFF, "x = torch.zeros(4000, 64); y = torch.ones(n // 256, 64); r = torch.arange(len(y))",
        "indices.put_rows(x, r, y)"),
    "NMS_PAIRS_AT_ONCE": Contrast(1, BOXES, "boxes.suppress(x, 0.5, g)", False),
}
# fmt: on


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    factors = (1,) if options.smoke else (1, FACTOR)
    return {
        f"{name} at {factor} n" if factor > 1 else name: functools.partial(
            _case, peer, name, factor
        )
        for name, contrast in CONTRASTS.items()
        for factor in (factors if contrast.grows else (1,))
    }


def _case(peer: str, name: str, factor: int) -> Case:
    import numpy as np
    import torch
    import torch.nn.functional as F

    import mxnova as mx
    from mxnova.core.kernels import onednn, sorting, transpose, vectorized
    from mxnova.core.op.contrib import boxes
    from mxnova.core.op.sparse import indices
    from mxnova.core.runtime import tuning

    defaults = _DEFAULTS or {key: value for key, (value, _) in tuning.rows().items()}
    _DEFAULTS.update(defaults)
    vars(tuning).update(defaults)
    modules = (np, torch, F, mx, onednn, sorting, transpose, vectorized, boxes, indices, tuning)
    names = (
        "np",
        "torch",
        "F",
        "mx",
        "onednn",
        "sorting",
        "transpose",
        "vectorized",
        "boxes",
        "indices",
        "tuning",
    )
    known: dict[str, Any] = dict(zip(names, modules, strict=True), n=defaults[name] * factor)
    torch.manual_seed(0)
    mx.random.seed(0)
    contrast = CONTRASTS[name]
    exec(contrast.setup, known)
    if peer != "mxnova":
        setattr(tuning, name, contrast.off)
    return Case(contrast.statement, known)


_DEFAULTS: dict[str, int] = {}

SUBJECT = Subject("The tuning table", ("mxnova-without", "mxnova"), cases, rounds=5)

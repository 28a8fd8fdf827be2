# SPDX-License-Identifier: Apache-2.0
"""Differences of random programs that are meant, each with its row of docs/deviations.md."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["DEVIATIONS", "row_of"]


class _Deviation(NamedTuple):
    row: str  # the beginning of the row
    kind: str  # of the difference: "value", "error" or "kind"
    step: str  # pattern of the step that differs
    program: tuple[str, ...] = ()  # patterns that each stand in some step of the program
    text: str = ""  # pattern of what the difference tells


DEVIATIONS = [
    _Deviation(
        "`Embedding`, `contrib.SparseEmbedding` of a row_sparse weight without rows",
        "kind",
        r"Embedding\(",
        text="OutOfRangeError",
    ),
    _Deviation(
        "`mx.np.where` of arrays of which one has no elements and another one element",
        "value",
        r"^np\.where\(",
        text=r"\[(\d+, )*0(, \d+)*\], \[\]\]\]$",
    ),
    _Deviation(
        "`SoftmaxOutput` of four axes without `multi_output` or `preserve_shape`, in inference",
        "value",
        r"is_train=False|^made$",
        (r"sym\.SoftmaxOutput\(",),
        r"\[\d+, \d+, \d+, \d+\]",
    ),
    _Deviation(
        "`mx.np.where` of an integer array and a fraction", "value", r"np\.where\(.*\b1\.5\)"
    ),
    _Deviation(
        "`mx.np.prod`, `mean` of no elements",
        "value",
        r"\b(prod|mean)\(",
        (r"data\(\((\d, )?0,",),
        text=r"\[(0|0\.0)(, (0|0\.0))*\]\]\] \[",
    ),
    _Deviation("`mx.np.deg2rad`, `rad2deg`", "error", r"^np\.(deg2rad|rad2deg)\("),
    _Deviation("`norm` of integers, ord 2", "value", r"\bnorm\(", text=r"'u?int\d+'"),
    _Deviation(
        "Executors without gradients: `FullyConnected` that is an output",
        "value",
        r"e\.forward\(|^made$",
        (r"grad_req='null'", r"^s = sym\.Group\(", r"sym\.FullyConnected\("),
    ),
    _Deviation(
        'Gradient of gamma of `LeakyReLU(act_type="prelu")` in executors and hybridized blocks',
        "value",
        r"\.grad|^\[grads",
        (r"act_type='prelu'", r"hybridize\(|s\.bind\("),
    ),
    _Deviation(
        '`grad_req="add"`: `BatchNorm` (gamma), `clip`, `mean`',
        "value",
        r"\.grad|^\[grads",
        (r"grad_req='add'|: 'add'",),
    ),
    _Deviation(
        "Gradients at NaN, infinities and -0 of activations and powers",
        "value",
        r"\.grad|^\[grads",
        (r"F\.(Activation|relu|LeakyReLU|softsign|hypot|abs|broadcast_power)|1 / x", r"edges\("),
        text=r"\b(nan|inf)\b",
    ),
    _Deviation(
        "`softmax`, `log_softmax`, `SoftmaxOutput` of a row with NaN",
        "value",
        "",
        (r"F\.(softmax|log_softmax|softmin|SoftmaxOutput)\(",),
        text=r"\bnan\b",
    ),
    _Deviation(
        "Order of equal elements in `sort`, `argsort`, `topk` of long rows; NaN in sorting",
        "value",
        "",
        (r"F\.sort\(",),
        text=r"\bnan\b",
    ),
    _Deviation(
        '`LeakyReLU(act_type="prelu")` of float64 numbers beyond float32',
        "value",
        "",
        (r"act_type='prelu'", r"edges\(.*'float64', \d+, 'large'"),
    ),
    _Deviation(
        "`bfloat16`: results of operators that oneDNN does not compute; numbers below",
        "value",
        "",
        ("bfloat16", r"edges\(.*'tiny'"),
    ),
    _Deviation(
        "`bfloat16`: `maximum`, `minimum` of NaN",
        "value",
        "",
        (r"F\.(broadcast_)?(maximum|minimum)\(", "bfloat16", "nonfinite"),
    ),
    _Deviation(
        "Gradients through operators whose outputs nothing needs, at infinities and NaN",
        "value",
        r"\.grad|^\[grads",
        (r"argmax|BlockGrad|one_hot|zeros_like", "nonfinite"),
    ),
    _Deviation("Arrays of a wrong type and a wrong shape", "error", r"^np\.polyval\("),
    *(
        _Deviation(row, "", "", (r"^from numpy import inf", rf'"op": "_?\w*?({operators})"'))
        for row, operators in (
            ("`softmax`, `log_softmax`, `SoftmaxOutput` of a row", "softmax|Softmax|SoftmaxOutput"),
            (
                "Matrices with NaN or infinities",
                "linalg_\\w+|cholesky|inv|eig\\w*|solve|svd|pinv\\w*",
            ),
            ("`box_iou`, `box_encode`", "box_\\w+|bipartite_matching|ultibox_\\w+|MultiBox\\w+"),
            ("`CTCLoss`: gradient", "CTCLoss|ctc_loss"),
            ("`random_pdf_*`: parameters", "random_pdf_\\w+"),
            ("Optimizers: infinite weights", "update\\w*"),
            ("`_contrib_quantize_v2` of NaN", "quantize_v2"),
            ("`_contrib_hawkesll`, `_npi_polyval`", "hawkesll|polyval|IdentityAttachKLSparseReg"),
            ("Sums of products", "dot|matmul\\w*|Convolution|BatchNorm|RNN|rnn"),
            ("Gradients of quotients", "[dD]iv|divide|det|prod"),
            ("`sum`, `nansum`, `mean`, `average`", "sum|mean|average|std|var|moments"),
            ("Regions with NaN or infinite numbers", "ROI\\w+|roi_\\w+"),
            ("Order of equal elements", "sort|argsort|topk"),
        )
    ),
]


def row_of(steps: list[str], step: int, difference: str) -> str | None:
    """The row that a difference is listed in; None: in no row, so it is a defect."""
    for deviation in DEVIATIONS:
        if (
            difference.startswith(deviation.kind)
            and re.search(deviation.step, steps[step])
            and re.search(deviation.text, difference)
            and all(any(re.search(p, s) for s in steps) for p in deviation.program)
        ):
            return deviation.row
    return None

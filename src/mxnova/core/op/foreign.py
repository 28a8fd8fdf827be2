# SPDX-License-Identifier: Apache-2.0
"""Explanations of operators that MXNet 1.9.1 lacks: their origin, and how to replace them."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..base.errors import candidates

__all__ = ["explain_unknown"]

_REPLACE = (
    "Replace the node in the JSON file by operators of MXNet 1.9.1, or by Custom with an op_type "
    "whose code mx.operator.register registers"
)
_EXPORT = "Save the symbol as it was before"
_RULES = [  # (names, explanation); the first rule that matches a whole name holds
    (r"_TensorRT", "a TensorRT engine in place of a part of the network, whose operators the file "
     f"does not contain. {_EXPORT} the TensorRT backend was applied"),
    (r"_(CustomFunction|FusedOp|FusedOpHelper|NoGradient)",
     "made while MXNet runs and not meant for files. Save the symbol of the network itself"),
    (r"_(Native|NDArray)", "a Python object of the program that wrote the model (NumpyOp, "
     "NDArrayOp), of which the file contains only the address in memory. Write it as a CustomOp "
     "and save the model again"),
    (r"_(sg|contrib_quantized)_onednn_.*",
     f"made by the oneDNN backend of MXNet 2. {_EXPORT} the backend or quantization was applied, "
     "or convert it to ONNX there"),
    (r"_sg_.*|_?\w*_?subgraph_op\w*|_(ngraph|neuron|eia|tvm)\w*",
     f"a part of a network that a backend compiled. {_EXPORT} the backend was applied"),
    (r"WarpCTC", "from MXNet's plugin warpctc. For inference, replace the node in the JSON file by "
     "softmax of its first input: that is its output. For training, use CTCLoss"),
    (r"Caffe(Op|Loss|DataIter)",
     f"from MXNet's plugin caffe, which runs layers of Caffe. {_REPLACE}"),
    (r"Torch(Module|Criterion)|_th_.*",
     f"from MXNet's plugin torch, which runs modules of Lua Torch. {_REPLACE}"),
    (r"Q(Convolution|FullyConnected|Activation)(_v1)?|Binary\w+|(_contrib_)?(det_sign|approx_sign|"
     r"gradcancel)",
     f"from BMXNet, a fork of MXNet for binary networks. {_REPLACE}"),
    (r"ROIAlign_v2|(_contrib_)?(Proposal_?[Tt]arget|Proposal_v[23]|MultiProposalTarget(Mask)?|"
     r"ProposalMaskTarget|DecodeBBox|BBoxNorm|FocalLoss|GenAnchor|GenProposal|GetTop|NMS|"
     r"Quantization_int8|SigmoidCrossEntropy|BBoxOverlaps?|PostDetection|BroadcastScale)",
     f"from a fork for detection (SimpleDet, SNIPER, mx-rcnn and others). {_REPLACE}"),
    (r"(_contrib_)?inplace_abn|InplaceABN",
     f"BatchNorm and LeakyReLU in one, of a fork. {_REPLACE}"),
    (r"(LargeMargin|L|A|Am|AM)Softmax(Output|Loss)?",
     "a margin loss of a fork for face recognition. For inference, remove the node from the JSON "
     "file or take the embedding before it as the output"),
    (r"Correlation1D|Permutohedral|ChannelOperator|WarpRNNT|(_contrib_)?KLDiv\w*",
     f"from a fork of MXNet. {_REPLACE}"),
    (r"[Hh]orovod\w*|byteps\w*", "an operator of distributed training. Save the symbol without it"),
]  # fmt: skip
_CLOSE = 0.75  # One letter in four may differ: "WarpCTC" is not similar to "arctan".


def explain_unknown(name: str, known: Collection[str]) -> str:
    """Return the part of an error that explains the unknown operator `name`.

    Args:
        name: the operator, as a file or a program spells it.
        known: names of the registered operators.
    """
    contrib = f"_contrib_{name}"
    if contrib in known:
        return f": MXNet 1.9.1 calls it {contrib!r}; rename it in the JSON file"
    for pattern, text in _RULES:
        if re.fullmatch(pattern, name):
            return f": it is {text}"
    hint = candidates(name, known, similarity=_CLOSE)
    origin = "MXNet 2" if name.startswith("_np") else "another version, a fork or a plugin"
    return hint or f"; it may be from {origin}. {_REPLACE}"

# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova quantize``."""

from __future__ import annotations

import argparse
from argparse import BooleanOptionalAction
from pathlib import Path

from .preprocessing_options import add_preprocessing

__all__ = ["add_quantize"]


def add_quantize(parser: argparse.ArgumentParser) -> None:
    """Adds the options; `act` quantizes."""
    parser.epilog = (
        "Ranges are found on some of the data, accuracy is measured on the rest: of labels, which "
        "are folders of classes, labels of records, or an array `label`; else of the classes that "
        "the model in float finds."
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="prefix of a checkpoint, archive or folder (see open)")
    add("--data", required=True, metavar="DATA",
        help="folder of images, one folder for each class, .rec file, or .npz file with an array "
        "of the input's name and one called label")  # fmt: skip
    add("--with", dest="method", metavar="METHOD",
        help="mxnet (MXNet's own), nncf (for OpenVINO), ort (ONNX Runtime's); default: by -o, else "
        "mxnet")  # fmt: skip
    add("-o", "--output", metavar="FILE",
        help="a prefix, .onnx, .xml or .mxnova (default: MODEL-quantized)")  # fmt: skip
    add("--epoch", type=int, help="of a checkpoint (default: the newest)")
    add("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="of the input, such as data=N,3,224,224, where neither model nor data tell "
        "it")  # fmt: skip
    add("--force", action="store_true", help="replace files that are there")
    add("--json", action="store_true", help="one JSON object")
    add("--html", type=Path, metavar="FILE", help="also write a page with all of it")
    _how(parser.add_argument_group("how"))
    _samples(parser.add_argument_group("samples"))
    add_preprocessing(parser.add_argument_group("what the model's files do not tell of images"))
    parser.set_defaults(act=_act)


def _how(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--calibration", metavar="KIND",
        help="mxnet: entropy, naive, none; ort: naive, entropy; nncf: mean, naive (default: the "
        "first)")  # fmt: skip
    add("--per-channel", action=BooleanOptionalAction, default=None,
        help="a range for each channel of weights (default: not for mxnet, whose layers that have "
        "them keep float weights in the file)")  # fmt: skip
    add("--asymmetric", action=BooleanOptionalAction, default=None,
        help="activations whose zero is not the middle (default: yes; mxnet has none)")  # fmt: skip
    add("--exclude", action="append", default=[], metavar="NAME", help="a node that stays in float")
    add("--max-drop", type=float, metavar="POINTS",
        help="leave layers with the largest errors in float until accuracy is lower by no more, in "
        "percentage points")  # fmt: skip
    add("--metric", metavar="NAME",
        help="accuracy, or agreement with the model in float (default: accuracy if there are "
        "labels)")  # fmt: skip


def _samples(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    bounds = group.add_mutually_exclusive_group().add_argument
    bounds("--samples", type=int, default=320, metavar="N",
        help="ranges are found on so many, and never on more than half (default: 320)")  # fmt: skip
    bounds("--batches", type=int, metavar="N", help="the same, in batches")
    add("--measured", type=int, default=2000, metavar="N",
        help="accuracy is measured on so many (default: 2000)")  # fmt: skip
    add("--batch", type=int, metavar="N", help="samples that are run at once (default: 8)")
    add("--seed", type=int, default=0, help="of the samples that are taken (default: 0)")


def _act(options: argparse.Namespace) -> None:
    from .quantize import quantize

    quantize(options)

# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that turn models into others, compile and compare them."""

from __future__ import annotations

import argparse
from pathlib import Path

from .preprocessing_options import add_preprocessing

__all__ = ["add_compile", "add_convert", "add_diff", "add_verify"]


def add_diff(parser: argparse.ArgumentParser) -> None:
    """``mxnova diff``."""
    parser.epilog = "The status is 0 if they are equal, 1 if they differ, 2 if that cannot be said."
    add = parser.add_argument
    add("a", type=Path, metavar="A", help=".params, .safetensors, or the prefix of a checkpoint")
    add("b", type=Path, metavar="B", help="the same")
    add("--epoch", type=int, help="of checkpoints (default: the newest)")
    add("--tolerance", type=float, default=0.0, metavar="X",
        help="let values differ by so much (default: 0)")  # fmt: skip
    add("--json", action="store_true", help="one JSON object")
    parser.set_defaults(act=_act_diff, failed=2)


def _act_diff(options: argparse.Namespace) -> int:
    from .diff import diff

    return diff(options)


def add_convert(parser: argparse.ArgumentParser) -> None:
    """``mxnova convert``."""
    parser.epilog = (
        "Endings: .onnx .safetensors .params .xml .pt2 .py .mxnova; a prefix: --to mxnet."
    )
    add = parser.add_argument
    _source(parser)
    add("target", metavar="TARGET", help="the file to write; its ending tells the kind")
    add("--to", metavar="KIND",
        help="mxnet, params, safetensors, onnx, openvino, export, python or compiled")  # fmt: skip
    add("--dtype", metavar="TYPE", help="float16 or bfloat16, for what is float32")
    add("--opset", type=int, metavar="N", help="of an ONNX file: 13 to 21 (default: 13)")
    _writing(parser)
    parser.set_defaults(act=_act_convert)


def _act_convert(options: argparse.Namespace) -> None:
    from .convert import convert

    convert(options)


def _source(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="SOURCE",
        help="prefix of a checkpoint, an archive or folder (see open), .onnx, .safetensors or "
        ".params")  # fmt: skip
    add("--epoch", type=int, help="of a checkpoint (default: the newest)")
    add("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="shape of an input, such as data=1,3,224,224; a word, as N: any size")  # fmt: skip


def _writing(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_preprocessing(parser.add_argument_group("what .py, .onnx and .mxnova files note of images"))
    add("--force", action="store_true",
        help="replace files that are there, and keep what does not compute the same")  # fmt: skip
    add("--prove", action=argparse.BooleanOptionalAction, default=True,
        help="run both on random inputs and compare (default: yes)")  # fmt: skip
    add("--json", action="store_true", help="one JSON object")


def add_compile(parser: argparse.ArgumentParser) -> None:
    """``mxnova compile``."""
    parser.epilog = (
        "`mxnova predict` and `serve`, and Predictor.load in Python, run the file with NumPy and "
        "its runtime alone. What an archive notes of labels and preprocessing is kept."
    )
    _source(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="default: SOURCE.mxnova")
    add("--runtime", default="onnxruntime", metavar="NAME",
        help="onnxruntime or openvino (default: onnxruntime)")  # fmt: skip
    _writing(parser)
    parser.set_defaults(act=_act_compile)


def _act_compile(options: argparse.Namespace) -> None:
    from .compile import compile_model

    compile_model(options)


def add_verify(parser: argparse.ArgumentParser) -> None:
    """``mxnova verify``."""
    parser.epilog = "The status is 0 if they are equal, 1 if they differ, 2 if that cannot be said."
    add = parser.add_argument
    add("a", metavar="A", help="prefix of a checkpoint, .onnx, .pt2, .xml, .py or .mxnova")
    add("b", metavar="B", help="the same")
    add("--epoch", type=int, help="of checkpoints (default: the newest)")
    add("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="shape of an input, such as data=1,3,224,224; a word, as N: any size")  # fmt: skip
    add("--range", action="append", default=[], metavar="NAME=LOW,HIGH",
        help="random numbers of an input (default: from -1 to 1); 0,9,int: integers")  # fmt: skip
    add("-i", "--input", action="append", default=[], metavar="NAME=FILE",
        help="feed .npy, .npz or an image in place of random numbers")  # fmt: skip
    add("--batch", default="1,3", metavar="SIZES",
        help="what sizes that are left open are, one after the other (default: 1,3)")  # fmt: skip
    add("--tolerance", type=float, default=1e-5, metavar="X",
        help="how far values may be apart, of the largest in an array (default: 1e-5)")  # fmt: skip
    add("--seed", type=int, default=0, help="of random numbers (default: 0)")
    add("--json", action="store_true", help="one JSON object")
    add("--html", type=Path, metavar="FILE", help="also write a page with all of it")
    parser.set_defaults(act=_act_verify, failed=2)


def _act_verify(options: argparse.Namespace) -> int:
    from .verify import verify

    return verify(options)

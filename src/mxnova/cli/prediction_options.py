# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova predict``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .preprocessing_options import add_preprocessing

__all__ = ["add_predict"]


def add_predict(parser: Any) -> None:
    """Adds the options; `act` predicts."""
    parser.is_intermixed = True
    parser.epilog = (
        "With FILES, the status is 1 if any failed; they are listed at the end. The largest scores "
        "are written of each item, to .npz files the whole outputs."
    )
    add = parser.add_argument
    add("model", metavar="MODEL",
        help="prefix of a checkpoint, .mxnova file, archive or folder (see open)")  # fmt: skip
    add("files", nargs="*", metavar="FILES",
        help="images, .npy, .npz and .rec files, folders, globs; -: names on standard "
        "input")  # fmt: skip
    add("--epoch", type=int, help="number of the .params file (default: the newest)")
    add("-i", "--input", action="append", default=[], metavar="NAME=FILE",
        help="one run: an input of the model: .npy, .npz or an image")  # fmt: skip
    add_preprocessing(parser)
    add("--top", type=int, default=5, help="how many of the largest scores to show (default: 5)")
    add("-o", "--output", type=Path, metavar="FILE",
        help="write the outputs: .npz; of FILES .jsonl, .csv or .npz")  # fmt: skip
    add("--backend", metavar="NAME",
        help="aten, openvino, onnxruntime, inductor, cudagraph, or auto, which measures them once "
        "(default where onnxruntime or openvino is installed; else aten)")  # fmt: skip
    add("--precision", choices=("float32", "bfloat16"),
        help="what products may be computed in (default: float32)")  # fmt: skip
    add("--explain", action="store_true", help="also where each node runs, and why")
    _add_many(parser.add_argument_group("FILES"))
    parser.set_defaults(act=_act)


def _add_many(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="of the input, such as data=N,3,224,224, where the model does not tell it (default: "
        "that of the files)")  # fmt: skip
    add("--batch", type=int, metavar="N", help="files that are run at once (default: 8)")
    add("--threads", type=int, default=2, help="that read and decode files (default: 2)")
    add("--resume", action="store_true",
        help="go on with a .jsonl or .csv file: skip what is in it")  # fmt: skip


def _act(options: argparse.Namespace) -> int:
    if bool(options.files) == bool(options.input):
        options.parser.error("which files? Either FILES, or --input NAME=FILE for each input")
    if options.files:
        from .predict_files import predict_files

        return predict_files(options)
    from .predict import predict

    predict(options)
    return 0

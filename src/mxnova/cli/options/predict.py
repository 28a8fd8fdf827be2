# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova predict``."""

from __future__ import annotations

from types import SimpleNamespace

import click

from ..command import FILE, PATH, Argument, Command, Model, Option
from .shared import EPOCH, preprocessing


def _check(options: SimpleNamespace) -> str | None:
    if bool(options.files) == bool(options.input):
        return "which files? Either FILES, or --input NAME=FILE for each input"
    return None


command = Command(
    "predict",
    "predict:predict",
    [
        Model("model", " or .mxnova", metavar="MODEL"),
        Argument("files", "images, .npy, .npz and .rec files, folders, globs; -: names on standard "
                 "input", nargs=-1, type=PATH, metavar="[FILES]..."),
        EPOCH,
        Option("-i", "--input", multiple=True, metavar="NAME=FILE",
               help="One run: an input of the model: .npy, .npz or an image."),
        *preprocessing("Options"),
        Option("--top", type=int, default=5,
               help="How many of the largest scores to show (default: 5)."),
        Option("-o", "--output", type=FILE, metavar="FILE",
               help="Write the outputs: .npz; of FILES .jsonl, .csv or .npz."),
        Option("--backend", metavar="NAME",
               help="aten, openvino, onnxruntime, inductor, cudagraph, or auto, which measures "
               "them once (default where onnxruntime or openvino is installed; else aten)."),
        Option("--precision", type=click.Choice(["float32", "bfloat16"]),
               help="What products may be computed in (default: float32)."),
        Option("--explain", is_flag=True, help="Also where each node runs, and why."),
        Option("-s", "--shape", multiple=True, metavar="NAME=SIZES", group="FILES",
               help="Of the input, such as data=N,3,224,224, where the model does not tell it "
               "(default: that of the files)."),
        Option("--batch", type=int, metavar="N", group="FILES",
               help="Files that are run at once (default: 8)."),
        Option("--threads", type=int, default=2, group="FILES",
               help="That read and decode files (default: 2)."),
        Option("--resume", is_flag=True, group="FILES",
               help="Go on with a .jsonl or .csv file: skip what is in it."),
        Option("--json", is_flag=True, help="One JSON object; of FILES one a line, for each."),
    ],
    [
        "mxnova predict net -i data=x.npy",
        "mxnova predict net photos/ --labels synset.txt --top 3",
        "mxnova predict net 'photos/*.jpg' -o scores.csv --resume",
        "mxnova predict net -i data=x.npy --explain --json",
    ],
    check=_check,
    epilog="With FILES, the status is 1 if any failed; they are listed at the end. The largest "
    "scores are written of each item, to .npz files the whole outputs.",
)  # fmt: skip

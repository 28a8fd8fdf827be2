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
        Argument("files", "images, .npy, .npz and .rec files, folders or globs; - reads names "
                 "from standard input", nargs=-1, type=PATH, metavar="[FILES]..."),
        EPOCH,
        Option("-i", "--input", multiple=True, metavar="NAME=FILE",
               help="Run once: file of an input, .npy, .npz or an image; one for each input."),
        *preprocessing("Options"),
        Option("--top", type=int, default=5,
               help="Number of classes to show, best first (default: 5)."),
        Option("-o", "--output", type=FILE, metavar="FILE",
               help="File to write outputs to: .npz; with FILES .jsonl, .csv or .npz."),
        Option("--backend", metavar="NAME",
               help="aten, openvino, onnxruntime, inductor, cudagraph, or auto, which measures "
               "them and selects the fastest (default: auto on a GPU and where onnxruntime or "
               "openvino is installed, else aten)."),
        Option("--ctx", metavar="DEVICE",
               help="cpu, gpu, or 'gpu(1)' for another GPU than the first (default: cpu)."),
        Option("--precision", type=click.Choice(["float32", "bfloat16"]),
               help="Type for matrix products and convolutions (default: float32)."),
        Option("--allow-missing", is_flag=True,
               help="Compute with zeros for parameters that the model's files lack."),
        Option("--explain", is_flag=True, help="Also show which backend runs each node, and why."),
        Option("-s", "--shape", multiple=True, metavar="NAME=SIZES", group="FILES",
               help="Shape of the input, such as data=N,3,224,224, if the model does not state it "
               "(default: that of the files); data:uint8=N,4 also states its dtype."),
        Option("--batch", type=int, metavar="N", group="FILES",
               help="Batch size (default: 8)."),
        Option("--threads", type=int, default=2, group="FILES",
               help="Threads that read and decode files (default: 2)."),
        Option("--resume", is_flag=True, group="FILES",
               help="Continue a .jsonl or .csv file: skip the files that it lists."),
        Option("--json", is_flag=True,
               help="Print one JSON object; with FILES one per file, each on its own line."),
    ],
    [
        "mxnova predict net -i data=x.npy",
        "mxnova predict net photos/ --labels synset.txt --top 3",
        "mxnova predict net 'photos/*.jpg' -o scores.csv --resume",
        "mxnova predict net -i data=x.npy --explain --json",
    ],
    check=_check,
    epilog="With FILES, failed files are listed at the end and the exit status is 1. A .jsonl or "
    ".csv file gets the largest scores of each file, a .npz file the whole outputs.",
)  # fmt: skip

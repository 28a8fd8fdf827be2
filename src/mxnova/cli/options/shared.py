# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from ..command import FILE, Model, Option

__all__ = ["EPOCH", "FORCE", "JSON", "PAGE", "SOURCE", "WRITING", "preprocessing", "shape"]

EPOCH = Option("--epoch", type=int, help="Epoch of a checkpoint (default: the newest).")
JSON = Option("--json", is_flag=True, help="Print one JSON object.")
FORCE = Option("--force", is_flag=True, help="Overwrite existing files.")
PAGE = Option(
    "--html", type=FILE, metavar="FILE", help="Also write the full report as an HTML page."
)


def shape(text: str, required: bool = False) -> Option:
    """Return the option ``--shape``, which may be given any number of times."""
    return Option(
        "-s", "--shape", multiple=True, required=required, metavar="NAME=SIZES", help=text
    )


def preprocessing(group: str) -> list[Option]:
    """What a model's files may not say of images and scores; None: what they note."""
    return [
        Option("--labels", type=FILE, metavar="FILE", group=group,
               help="File of class names, one per line."),
        Option("--size", metavar="HxW", group=group,
               help="Images: size to resize to (default: that of the input)."),
        Option("--mean", group=group, help="Images: mean to subtract, one number or R,G,B."),
        Option("--scale", type=float, group=group,
               help="Images: factor, applied after the mean is subtracted."),
        Option("--bgr/--no-bgr", default=None, group=group,
               help="Images: order the channels blue, green, red."),
    ]  # fmt: skip


SOURCE = [
    Model("source", ", .safetensors or .params", metavar="SOURCE"),
    EPOCH,
    shape("Shape of an input, such as data=N,3,224,224; a word such as N leaves a size open; "
          "data:uint8=N,4 also states its dtype."),
]  # fmt: skip
WRITING = [
    *preprocessing("Preprocessing of images, stored in .py, .onnx and .mxnova files"),
    Option("--force", is_flag=True,
           help="Overwrite existing files, and keep a result that does not compute the same "
           "values."),
    Option("--prove/--no-prove", default=True,
           help="Run both models on random inputs and compare them (default: yes)."),
    JSON,
]  # fmt: skip

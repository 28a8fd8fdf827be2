# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from ..command import FILE, Model, Option

__all__ = ["EPOCH", "FORCE", "JSON", "PAGE", "SOURCE", "WRITING", "preprocessing", "shape"]

EPOCH = Option("--epoch", type=int, help="Of a checkpoint (default: the newest).")
JSON = Option("--json", is_flag=True, help="One JSON object.")
FORCE = Option("--force", is_flag=True, help="Replace files that are there.")
PAGE = Option("--html", type=FILE, metavar="FILE", help="Also write a page with all of it.")


def shape(text: str) -> Option:
    """``--shape``, any number of times."""
    return Option("-s", "--shape", multiple=True, metavar="NAME=SIZES", help=text)


def preprocessing(group: str) -> list[Option]:
    """What a model's files may not say of images and scores; None: what they note."""
    return [
        Option("--labels", type=FILE, metavar="FILE", group=group,
               help="Names of the scores, one a line."),
        Option("--size", metavar="HxW", group=group,
               help="Images: resize to (default: what the input has)."),
        Option("--mean", group=group, help="Images: subtract, one number or R,G,B."),
        Option("--scale", type=float, group=group, help="Images: multiply after subtracting."),
        Option("--bgr/--no-bgr", default=None, group=group,
               help="Images: channels in the order blue, green, red."),
    ]  # fmt: skip


SOURCE = [
    Model("source", ", .safetensors or .params", metavar="SOURCE"),
    EPOCH,
    shape("Of an input, such as data=1,3,224,224; a word, as N: any size."),
]  # fmt: skip
WRITING = [
    *preprocessing("What .py, .onnx and .mxnova files note of images"),
    Option("--force", is_flag=True,
           help="Replace files that are there, and keep what does not compute the same."),
    Option("--prove/--no-prove", default=True,
           help="Run both on random inputs and compare (default: yes)."),
    JSON,
]  # fmt: skip

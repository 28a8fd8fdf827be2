# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova quantize``."""

from __future__ import annotations

from types import SimpleNamespace

from ..command import PATH, Command, Model, Option
from .shared import EPOCH, FORCE, JSON, PAGE, preprocessing, shape


def _check(options: SimpleNamespace) -> str | None:
    if options.samples is not None and options.batches is not None:
        return "--samples and --batches do not go together"
    return None


command = Command(
    "quantize",
    "quantize:quantize",
    [
        Model("model", metavar="MODEL"),
        Option("--data", required=True, type=PATH, metavar="DATA",
               help="Folder of images, one folder for each class, .rec file, or .npz file with an "
               "array of the input's name and one called label."),
        Option("--with", "method", metavar="METHOD",
               help="mxnet (MXNet's own), nncf (for OpenVINO), ort (ONNX Runtime's); default: by "
               "-o, else mxnet."),
        Option("-o", "--output", type=PATH, metavar="FILE",
               help="A prefix, .onnx, .xml or .mxnova (default: MODEL-quantized)."),
        EPOCH,
        shape("Of the input, such as data=N,3,224,224, where neither model nor data tell it."),
        FORCE,
        JSON,
        PAGE,
        Option("--calibration", metavar="KIND", group="How",
               help="mxnet: entropy, naive, none; ort: naive, entropy; nncf: mean, naive (default: "
               "the first)."),
        Option("--per-channel/--no-per-channel", default=None, group="How",
               help="A range for each channel of weights (default: not for mxnet, whose layers "
               "that have them keep float weights in the file)."),
        Option("--asymmetric/--no-asymmetric", default=None, group="How",
               help="Activations whose zero is not the middle (default: yes; mxnet has none)."),
        Option("--exclude", multiple=True, metavar="NAME", group="How",
               help="A node that stays in float."),
        Option("--max-drop", type=float, metavar="POINTS", group="How",
               help="Leave layers with the largest errors in float until accuracy is lower by no "
               "more, in percentage points."),
        Option("--metric", metavar="NAME", group="How",
               help="accuracy, or agreement with the model in float (default: accuracy if there "
               "are labels)."),
        Option("--samples", type=int, metavar="N", group="Samples",
               help="Ranges are found on so many, and never on more than half (default: 320)."),
        Option("--batches", type=int, metavar="N", group="Samples", help="The same, in batches."),
        Option("--measured", type=int, default=2000, metavar="N", group="Samples",
               help="Accuracy is measured on so many (default: 2000)."),
        Option("--batch", type=int, metavar="N", group="Samples",
               help="Samples that are run at once (default: 8)."),
        Option("--seed", type=int, default=0, group="Samples",
               help="Of the samples that are taken (default: 0)."),
        *preprocessing("What the model's files do not tell of images"),
    ],
    [
        "mxnova quantize net --data photos/ --html quantized.html",
        "mxnova quantize net --data train.rec --with ort -o net-int8.onnx --max-drop 0.5",
    ],
    check=_check,
    epilog="Ranges are found on some of the data, accuracy is measured on the rest: of labels, "
    "which are folders of classes, labels of records, or an array `label`; else of the classes "
    "that the model in float finds.",
)  # fmt: skip

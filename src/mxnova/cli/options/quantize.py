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
               help="Samples: a folder with one folder of images per class, a .rec file, or an "
               ".npz file with arrays named like the input and `label`."),
        Option("--with", "method", metavar="METHOD",
               help="Algorithm: mxnet (MXNet's), ort (ONNX Runtime's) or nncf (NNCF's, for "
               "OpenVINO) (default: by the ending of -o, else mxnet)."),
        Option("-o", "--output", type=PATH, metavar="FILE",
               help="Prefix, or .onnx, .xml or .mxnova file, to write (default: MODEL-quantized)."),
        EPOCH,
        shape("Shape of the input, such as data=N,3,224,224, if neither model nor data state it; "
              "data:uint8=N,4 also states its dtype."),
        FORCE,
        JSON,
        PAGE,
        Option("--calibration", metavar="KIND", group="Quantization",
               help="Calibration method. mxnet: entropy, naive or none; ort: naive or entropy; "
               "nncf: mean or naive (default: the first)."),
        Option("--per-channel/--no-per-channel", default=None, group="Quantization",
               help="Quantize weights with one range per channel (default: yes, except for mxnet, "
               "where such layers keep float weights in the file)."),
        Option("--asymmetric/--no-asymmetric", default=None, group="Quantization",
               help="Quantize activations with a zero point (default: yes; not available with "
               "mxnet)."),
        Option("--exclude", multiple=True, metavar="NAME", group="Quantization",
               help="Node to leave in float; repeatable."),
        Option("--max-drop", type=float, metavar="POINTS", group="Quantization",
               help="Largest loss of accuracy, in percentage points: layers with the largest "
               "errors are left in float until it is met."),
        Option("--metric", metavar="NAME", group="Quantization",
               help="accuracy, or agreement with the float model (default: accuracy if there are "
               "labels, else agreement)."),
        Option("--samples", type=int, metavar="N", group="Samples",
               help="Samples for calibration, at most half of all (default: 320)."),
        Option("--batches", type=int, metavar="N", group="Samples",
               help="Samples for calibration, as a number of batches."),
        Option("--measured", type=int, default=2000, metavar="N", group="Samples",
               help="Samples for measuring accuracy (default: 2000)."),
        Option("--batch", type=int, metavar="N", group="Samples",
               help="Batch size (default: 8)."),
        Option("--seed", type=int, default=0, group="Samples",
               help="Seed of the choice of samples (default: 0)."),
        *preprocessing("Preprocessing of images, if the model's files do not state it"),
    ],
    [
        "mxnova quantize net --data photos/ --html quantized.html",
        "mxnova quantize net --data train.rec --with ort -o net-int8.onnx --max-drop 0.5",
    ],
    check=_check,
    epilog="Some samples calibrate ranges; accuracy is measured on the others. Labels are the "
    "folders of classes, the labels of records, or the array `label`.",
)  # fmt: skip

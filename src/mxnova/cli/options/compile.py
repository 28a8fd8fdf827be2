# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova compile``."""

from __future__ import annotations

from ..command import PATH, Command, Option
from .shared import SOURCE, WRITING

command = Command(
    "compile",
    "compile:compile_model",
    [
        *SOURCE,
        Option("-o", "--output", type=PATH, metavar="FILE",
               help="File to write (default: SOURCE.mxnova)."),
        Option("--runtime", default="onnxruntime", metavar="NAME",
               help="onnxruntime or openvino (default: onnxruntime)."),
        *WRITING,
    ],
    [
        "mxnova compile net -s data=N,2",
        "mxnova compile net -s data=N,3,224,224 --labels synset.txt -o cats.mxnova",
    ],
    epilog="`mxnova predict`, `mxnova serve` and Predictor.load run the file with NumPy and its "
    "runtime only. Labels and preprocessing that the source states are kept.",
)  # fmt: skip

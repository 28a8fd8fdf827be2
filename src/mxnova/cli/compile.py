# SPDX-License-Identifier: Apache-2.0
"""``mxnova compile``: a model as one file for ONNX Runtime or OpenVINO, run without PyTorch."""

from __future__ import annotations

from types import SimpleNamespace

from .convert import write_and_report
from .models import stem_of

__all__ = ["compile_model"]


def compile_model(options: SimpleNamespace) -> None:
    """Writes the file, and prints its path and the proof.

    Args:
        options: source, output, runtime, epoch, shape, labels, size, mean, scale, bgr, force,
            prove, json.
    """
    write_and_report(
        options,
        options.output or f"{stem_of(options.source)}.mxnova",
        to="compiled",
        runtime=options.runtime,
    )

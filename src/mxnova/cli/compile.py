# SPDX-License-Identifier: Apache-2.0
"""``mxnova compile``: a model as one file for ONNX Runtime or OpenVINO, run without PyTorch."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..artefacts import is_artefact, open_model
from ..predictor.picture import Picture
from .convert import write_and_report
from .inputs import labels_of, preprocessing_of

__all__ = ["compile_model"]


def compile_model(options: argparse.Namespace) -> None:
    """Writes the file, and prints its path and the proof.

    Args:
        options: source, output, runtime, epoch, shape, labels, size, mean, scale, bgr, force,
            prove, json.
    """
    preprocessing = preprocessing_of(options)
    labels: Sequence[str] = () if options.labels is None else labels_of(options.labels)
    if is_artefact(options.source):
        opened = open_model(options.source, options.epoch)
        noted = {} if opened.preprocessing is None else asdict(opened.preprocessing)
        preprocessing = {**noted, **preprocessing}
        labels = labels or opened.labels or ()
    write_and_report(
        options,
        options.output or f"{options.source.rstrip('/')}.mxnova",
        to="compiled",
        runtime=options.runtime,
        preprocessing=_document(preprocessing),
        labels=labels,
    )


def _document(preprocessing: dict[str, Any]) -> dict[str, Any]:
    """All fields of `Picture`, or nothing if none is told."""
    return asdict(Picture.of_mapping(preprocessing)) if preprocessing else {}

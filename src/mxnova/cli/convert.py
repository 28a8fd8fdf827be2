# SPDX-License-Identifier: Apache-2.0
"""``mxnova convert``: models as files of other programs, and back."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from ..core.base.gc_pause import loading
from ..core.base.printable import printable
from ..core.base.progress import progress
from .inputs import labels_of, preprocessing_of
from .report import write_json
from .shapes import inputs_of
from .verify import document

__all__ = ["convert", "write_and_report"]


def convert(options: SimpleNamespace) -> None:
    """Writes the files, and prints their paths and the proof.

    Args:
        options: source, target, to, epoch, shape, dtype, opset, labels, size, mean, scale, bgr,
            force, prove, json.
    """
    told = {name: getattr(options, name) for name in ("to", "dtype", "opset")}
    write_and_report(options, options.target, **told)


def write_and_report(options: SimpleNamespace, target: str, **told: Any) -> None:
    """The same for a command with more options.

    Args:
        options: source, epoch, shape, labels, size, mean, scale, bgr, force, prove, json.
        target: the path of the file to write.
        **told: other arguments of `mxnova.convert.convert`.
    """
    inputs, preprocessing = inputs_of(options.shape), preprocessing_of(options)
    labels = () if options.labels is None else labels_of(options.labels)
    with progress() as tell:
        tell("start")
        with loading():
            from ..convert import convert as convert_model
        done = convert_model(
            options.source,
            target,
            epoch=options.epoch,
            shapes=inputs.shapes,
            types=inputs.types,
            force=options.force,
            prove=options.prove,
            preprocessing=preprocessing,
            labels=labels,
            tell=tell,
            **told,
        )
    if options.json:
        found = done.proof and document(done.proof)
        write_json({**done._asdict(), "proof": found})
        return
    sys.stdout.write("".join(f"{printable(text)}\n" for text in (*done.files, done.line)))

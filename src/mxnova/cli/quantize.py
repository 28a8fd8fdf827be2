# SPDX-License-Identifier: Apache-2.0
"""``mxnova quantize``: a model on 8-bit integers, and what that costs."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ..core.base.errors import ArgumentError
from ..core.base.gc_pause import loading
from ..core.base.printable import printable
from ..core.base.progress import progress
from .inputs import labels_of, preprocessing_of
from .report import print_table, write_json
from .shapes import inputs_of
from .verify import check_page, document, write_page

if TYPE_CHECKING:
    from ..quantization import Quantization

__all__ = ["quantize"]

_BATCH, _SAMPLES = 8, 320


def quantize(options: SimpleNamespace) -> None:
    """Writes the files, and shows accuracy, sizes, times and errors before and after.

    Args:
        options: model, data, method, output, calibration, per_channel, asymmetric, exclude,
            max_drop, metric, samples, batches, measured, batch, seed, epoch, shape, labels, size,
            mean, scale, bgr, force, json, html.

    Raises:
        MXNetError: an option, the model or the data cannot be used.
        OSError: a file cannot be read or written.
    """
    check_page(options.html, "quantize")
    names = ("output", "method", "calibration", "per_channel", "asymmetric", "exclude")
    further = ("max_drop", "metric", "measured", "batch", "epoch", "seed", "force")
    inputs = inputs_of(options.shape)
    with progress() as tell:
        tell("start")
        with loading():
            from ..quantization import quantize as quantize_model
        found = quantize_model(
            options.model,
            options.data,
            **{name: getattr(options, name) for name in (*names, *further)},
            samples=_samples(options),
            shapes=inputs.shapes,
            types=inputs.types,
            preprocessing=preprocessing_of(options),
            labels=None if options.labels is None else labels_of(options.labels),
            tell=tell,
        )
    if options.html is not None:
        _write_page(options, found)
    if options.json:
        whole = {**found.document, "proof": document(found.proof)}
        write_json(whole)
    else:
        _show(found)


def _samples(options: SimpleNamespace) -> int:
    """How many samples ranges are found on."""
    if options.batches is None:
        return _SAMPLES if options.samples is None else int(options.samples)
    if options.batches < 1:
        raise ArgumentError(f"quantize: --batches {options.batches}: must be 1 or more")
    return int(options.batches * (options.batch or _BATCH))


def _write_page(options: SimpleNamespace, found: Quantization) -> None:
    from ..convert.proof.page import page

    names = str(options.model), found.files[0]
    write_page(options.html, page(*names, found.proof, (True, found.line), found.facts))


def _show(found: Quantization) -> None:
    columns = ("name", "shape", "max_abs", "max_rel", "cosine")
    rows = [{column: getattr(row, column) for column in columns} for row in found.proof.nodes]
    print_table("nodes, in float and on integers", rows)
    if len(found.trials) > 1:
        measure = str(found.measure)
        trials = [{"layers": len(t.in_float), measure: t.value} for t in found.trials]
        print_table("layers in float", trials)
    print_table("quantization", [{"what": name, "is": text} for name, text in found.facts])
    for name, reason in found.failures.items():
        sys.stderr.write(printable(f"left out: {name}: {reason}") + "\n")
    sys.stdout.write("".join(f"{printable(text)}\n" for text in (*found.files, found.line)))

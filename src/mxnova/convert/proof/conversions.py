# SPDX-License-Identifier: Apache-2.0
"""The proof of a conversion: its target against its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..request import Request
from .inputs import feeds, ranges_of
from .mxnet import MXNetRunner
from .runner import CannotRunError
from .runners import runner_of
from .verification import BATCHES, TOLERANCE, Verification, compared

__all__ = ["NETWORKLESS", "UNASKED", "proved"]

NETWORKLESS = "nothing to prove: parameters only"
UNASKED = "not proved: nobody asked for it"
_TOLERANCES = {None: TOLERANCE, "float16": 1e-2, "bfloat16": 6e-2}


def proved(
    request: Request, path: str, tell: Callable[[str], Any]
) -> tuple[Verification | None, str]:
    """What comparing the target at `path` with the request's model found, and that in a line."""
    try:
        found = _compared(request, path, tell)
    except CannotRunError as error:
        return None, f"not proved: {error}"
    return found, found.line


def _compared(request: Request, path: str, tell: Callable[[str], Any]) -> Verification:
    model = request.model
    second = runner_of(path, model.epoch, optimized=False)
    source = model.files[0]
    first = runner_of(source, optimized=False) if source.endswith(".onnx") else MXNetRunner(model)
    ranges = ranges_of(model.graph, list(request.shapes), {})
    fed = feeds(request.fed(BATCHES), ranges, seed=0)
    tolerance = _TOLERANCES[request.dtype]
    return compared(first, second, fed, model, tolerance, is_brief=True, tell=tell)

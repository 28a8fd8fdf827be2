# SPDX-License-Identifier: Apache-2.0
"""The proof of a conversion: its target against its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from ..request import Request
from .inputs import feeds, ranges_of
from .mxnet import MXNetRunner
from .runner import CannotRunError
from .runners import CheckpointRunner, runner_of
from .verification import BATCHES, TOLERANCE, Verification, compared

__all__ = ["NETWORKLESS", "UNASKED", "proved"]

NETWORKLESS = "nothing to prove: parameters only"
UNASKED = "not proved: nobody asked for it"
_SATURATES = (
    "not proved for x86 processors without VNNI, where OpenVINO saturates sums of 8-bit products "
    "unless its property LP_TRANSFORMS_MODE is NO"
)
_TOLERANCES = {torch.float16: 1e-2, torch.bfloat16: 6e-2}


def proved(
    request: Request, path: str, kind: str, tell: Callable[[str], Any]
) -> tuple[Verification | None, str]:
    """Compare the target at `path`, which is of a kind, with the request's model.

    Returns:
        The comparison, and a line about it; None if there is no way to run the target.
    """
    try:
        found = _compare(request, path, kind, tell)
    except CannotRunError as error:
        return None, f"not proved: {error}"
    return found, found.line


def _compare(request: Request, path: str, kind: str, tell: Callable[[str], Any]) -> Verification:
    model = request.model
    is_checkpoint = kind == "mxnet"
    # The target was written just now: it may run its code.
    second = CheckpointRunner(path, model.epoch) if is_checkpoint else runner_of(path, trust=True)
    source = model.files[0]
    first = runner_of(source) if source.endswith(".onnx") else MXNetRunner(model)
    ranges = ranges_of(model.graph, request.source_types, {})
    fed = feeds(request.fed(BATCHES), ranges, request.source_types, seed=0)
    dtypes = {array._tensor.dtype for array in request.typed[0].values()}
    tolerance = max((_TOLERANCES.get(dtype, TOLERANCE) for dtype in dtypes), default=TOLERANCE)
    found = compared(first, second, fed, model, tolerance, is_brief=True, tell=tell)
    return replace(found, caveat=_SATURATES) if _saturates(path) else found


def _saturates(path: str) -> bool:
    """Return True for models with which OpenVINO multiplies 8-bit integers."""
    if not path.endswith(".xml"):
        return False
    with open(path, "rb") as file:
        return any(b'type="FakeQuantize"' in line for line in file)

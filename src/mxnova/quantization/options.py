# SPDX-License-Identifier: Apache-2.0
"""How a model is quantized, checked against what each method knows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.base.errors import ArgumentError, argument_error, candidates
from ..formats.checkpoint_files import prefix_of

__all__ = ["METHODS", "METRICS", "Options", "kind_and_method"]


@dataclass(frozen=True)
class _Facts:
    """What a method knows.

    Attributes:
        calibrations: how it finds ranges; the first is the default.
        kinds: of files that it writes; the first is the default.
        per_channel: whether weights have a range for each channel by default.
        has_asymmetric: whether activations may have a zero that is not the middle, and then do by
            default.
    """

    calibrations: Sequence[str]
    kinds: Sequence[str]
    per_channel: bool
    has_asymmetric: bool


METHODS = {
    "mxnet": _Facts(("entropy", "naive", "none"), ("mxnet",), False, False),
    "nncf": _Facts(("mean", "naive"), ("openvino", "compiled"), True, True),
    "ort": _Facts(("naive", "entropy"), ("onnx", "compiled"), True, True),
}
_ENDINGS = {".onnx": "onnx", ".xml": "openvino", ".mxnova": "compiled"}
_DEFAULT = {"": "mxnet", "onnx": "ort", "openvino": "nncf", "compiled": "ort"}
_TARGETS = {"mxnet": "", "onnx": ".onnx", "openvino": ".xml", "compiled": ".mxnova"}
METRICS = ("accuracy", "agreement")
_MOST = 1 << 24  # samples


def kind_and_method(output: str | None, method: str | None, source: str) -> tuple[str, str, str]:
    """The path to write to, its kind, and what writes it.

    Args:
        output: the path; None: beside `source`.
        method: mxnet, nncf or ort; None: by the ending of `output`.
        source: path of the model.

    Raises:
        ArgumentError: no such method, or it writes no such files.
    """
    if method is not None and method not in METHODS:
        raise ArgumentError(
            f"quantize: --with {method}{candidates(method, METHODS)} (there are "
            f"{', '.join(METHODS)})"
        )
    ending = "" if output is None else os.path.splitext(output)[1]
    kind = _ENDINGS.get(ending, "")
    method = method or _DEFAULT[kind]
    kinds = METHODS[method].kinds
    if output is None:
        stem = prefix_of(source.rstrip("/")).removesuffix(".onnx")
        return f"{stem}-quantized{_TARGETS[kinds[0]]}", kinds[0], method
    if (kind or "mxnet") not in kinds:
        known = " or ".join(_TARGETS[k] or "a prefix" for k in kinds)
        raise ArgumentError(f"quantize: -o {output}: --with {method} writes {known}")
    return output, kind or "mxnet", method


@dataclass(frozen=True)
class Options:
    """How to quantize; None where the method decides.

    Attributes:
        method: mxnet, nncf or ort.
        calibration: how ranges are found.
        per_channel: a range for each channel of weights.
        asymmetric: activations whose zero is not the middle of the integers.
        samples: for ranges, at most.
        measured: samples for accuracy, at most.
        batch: samples that are run at once.
        max_drop: how many percentage points of accuracy may be lost; None: any.
        metric: accuracy or agreement; None: accuracy where labels are known.
        seed: of the samples that are taken.

    Raises:
        ArgumentError: a value that cannot be used, or that the method does not have.
    """

    method: str
    calibration: str
    per_channel: bool
    asymmetric: bool
    samples: int
    measured: int
    batch: int | None
    max_drop: float | None
    metric: str | None
    seed: int

    @classmethod
    def checked(
        cls,
        *,
        method: str,
        calibration: str | None,
        per_channel: bool | None,
        asymmetric: bool | None,
        samples: int,
        measured: int,
        batch: int | None,
        max_drop: float | None,
        metric: str | None,
        seed: int,
    ) -> Options:
        """With the method's defaults for what is None."""
        facts = METHODS[method]
        known = facts.calibrations
        calibration = calibration or known[0]
        if calibration not in known:
            raise ArgumentError(
                f"quantize: --calibration {calibration}{candidates(calibration, known)} "
                f"(--with {method} has {', '.join(known)})"
            )
        if asymmetric and not facts.has_asymmetric:
            raise ArgumentError(f"quantize: --asymmetric: --with {method} has symmetric ranges")
        for name, value in (("samples", samples), ("measured", measured), ("batch", batch)):
            if value is not None and not 1 <= value <= _MOST:
                raise argument_error("quantize", f"--{name}", value, "must be 1 or more")
        if max_drop is not None and not 0 <= max_drop <= 100:
            raise argument_error("quantize", "--max-drop", max_drop, "must be from 0 to 100 points")
        if metric not in (None, *METRICS):
            raise ArgumentError(f"quantize: --metric {metric}{candidates(metric, METRICS)}")
        return cls(
            method,
            calibration,
            facts.per_channel if per_channel is None else per_channel,
            facts.has_asymmetric if asymmetric is None else asymmetric,
            samples,
            measured,
            batch,
            max_drop,
            metric,
            seed,
        )

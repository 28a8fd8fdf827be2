# SPDX-License-Identifier: Apache-2.0
"""Gradients of two bits each, and what is left of them for the next time.

Strom, "Scalable distributed DNN training using commodity GPU cloud computing" (2015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..core.base.errors import ArgumentError, argument_error, shown
from ..core.nd.array import NDArray
from ..core.op.dtypes import mx_dtype
from .bit_packing import Digits

__all__ = ["TwoBitCompression", "compression_of"]

_CALL = "KVStore.set_gradient_compression"


class Levels:
    """Codec of small multiples of a step: quantized gradients, or their sums, as packed bytes.

    Args:
        step: the step, above 0.
        most: the largest multiple, to either side.
    """

    def __init__(self, step: float, most: int) -> None:
        self._step, self._most = step, most
        self._digits = Digits(2 * most + 1)

    def of_sums(self, n_terms: int) -> Levels:
        """Return the codec of sums of `n_terms` such multiples."""
        return Levels(self._step, self._most * n_terms)

    def n_bytes(self, n_elements: int) -> int:
        """Return the size of the code of `n_elements` values."""
        return self._digits.n_bytes(n_elements)

    def encode(self, values: Tensor) -> Tensor:
        """Return the code of a vector of multiples as uint8; other values are rounded."""
        numbers = values.div(self._step).add_(self._most).round_().to(torch.int16)
        return self._digits.packed(numbers)

    def decode(self, code: Tensor, n_elements: int) -> Tensor:
        """Return the `n_elements` multiples that `encode` got, float32."""
        return (self._digits.unpacked(code, n_elements) - self._most) * self._step


class TwoBitCompression:
    """Makes of each element -threshold, 0 or threshold, and adds the rest to the next one.

    What a device pushes is known by its place among the values of a key.

    Attributes:
        threshold: size of the elements that are passed on.
    """

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self._residuals: dict[tuple[Any, int], Tensor] = {}

    def __call__(self, key: Any, place: int, gradient: Tensor) -> Tensor:
        """What `gradient` is to whoever gets it."""
        residual = self._residuals.get((key, place))
        residual = gradient.clone() if residual is None else residual.to(gradient.device) + gradient
        passed = (residual >= self.threshold).to(gradient.dtype)
        passed -= (residual <= -self.threshold).to(gradient.dtype)
        passed *= self.threshold
        self._residuals[key, place] = residual.sub_(passed)
        return passed

    @property
    def levels(self) -> Levels:
        """What calls give, as bytes: at most 1.6 bits an element."""
        return Levels(self.threshold, 1)

    def check(self, key: Any, values: Sequence[NDArray]) -> None:
        """Raises ArgumentError where dense values are not float32."""
        for value in values:
            if value.stype == "default" and value._raw.dtype is not torch.float32:
                raise ArgumentError(
                    f"KVStore.push: value of key {key!r}: gradients that are compressed must be "
                    f"float32, not {mx_dtype(value._raw.dtype).name}"
                )

    def continued(self, before: TwoBitCompression | None) -> TwoBitCompression:
        """Itself, with what another one had left."""
        if before is not None:
            self._residuals = before._residuals
        return self


def compression_of(params: Mapping[str, Any]) -> TwoBitCompression:
    """The compression that `params` describe: ``{"type": "2bit", "threshold": 0.5}``.

    Raises:
        ArgumentError: there is no such compression.
    """
    if not isinstance(params, Mapping) or "type" not in params:
        raise argument_error(_CALL, "compression_params", params, "must be a dict with a type")
    if params["type"] != "2bit":
        raise argument_error(_CALL, "type", params["type"], "must be '2bit'")
    threshold = params.get("threshold", 0.5)
    try:
        number = float(torch.tensor(float(threshold), dtype=torch.float32))
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number < float("inf"):
        raise ArgumentError(f"{_CALL}: threshold={shown(threshold)}: must be a number above 0")
    return TwoBitCompression(number)

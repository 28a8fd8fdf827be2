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

__all__ = ["TwoBitCompression", "compression_of"]

_CALL = "KVStore.set_gradient_compression"


_SHIFTS = torch.tensor([0, 2, 4, 6], dtype=torch.uint8)
# The signs of four elements for each byte; 3 is no code and stands for 0.
_VALUES = torch.tensor([0.0, 1.0, -1.0, 0.0])[(torch.arange(256)[:, None] >> _SHIFTS.int()) & 3]


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
        if residual is None:
            residual = torch.zeros_like(gradient)
        residual = residual.to(gradient.device) + gradient
        sign = (residual >= self.threshold).float() - (residual <= -self.threshold).float()
        passed = sign * self.threshold
        self._residuals[key, place] = residual - passed
        return passed

    # On the wire ---------------------------------------------------------------------------------

    def n_bytes(self, n_elements: int) -> int:
        """How long the code of so many elements is: 2 bits each."""
        return -(-n_elements // 4)

    def encoded(self, passed: Tensor) -> Tensor:
        """The code, in bytes, of what a call gave, in one row: 0, 1 or, for negative ones, 2."""
        digits = torch.zeros(4 * self.n_bytes(passed.numel()), dtype=torch.uint8)
        digits[: passed.numel()] = (passed > 0).byte() + (passed < 0).byte() * 2
        return (digits.view(-1, 4) << _SHIFTS).sum(1, dtype=torch.uint8)

    def decoded(self, code: Tensor, n_elements: int) -> Tensor:
        """What `encoded` was given."""
        return (_VALUES * self.threshold)[code.int()].view(-1)[:n_elements]

    def check(self, key: Any, values: Sequence[NDArray]) -> None:
        """Raises ArgumentError where dense values are not float32."""
        for value in values:
            if value.stype == "default" and value._raw.dtype is not torch.float32:
                raise ArgumentError(
                    f"KVStore.push: value of key {key!r}: gradients that are compressed must be "
                    f"float32, not {value.dtype.__name__}"
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

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
from .entropy_coding import lengthened, shortened

__all__ = ["TwoBitCompression", "compression_of"]

_HEAD = 2  # bytes: the kind of a code, twice, so that words of two bytes stand evenly
_PLAIN, _SHORT = 0, 1
_BYTE = 256

_CALL = "KVStore.set_gradient_compression"


class Levels:
    """Multiples of a number as bytes: what gradients of two bits, or their sums, are made of.

    Two bytes tell how; then come digits, or where that is less a Huffman code of them.

    Args:
        step: the number.
        most: the largest multiple, to either side.
    """

    def __init__(self, step: float, most: int) -> None:
        self._step, self._most = step, most
        self._digits = Digits(2 * most + 1)
        self._symbols = Digits(2 * most + 1, widths=(1,) if most < _BYTE // 2 else (2,))

    def of_sums(self, n_terms: int) -> Levels:
        """The code of sums of so many."""
        return Levels(self._step, self._most * n_terms)

    def n_bytes(self, n_elements: int) -> int:
        """How long the code of so many elements may be."""
        return _HEAD + self._digits.n_bytes(n_elements)

    def encoded(self, values: Tensor) -> Tensor:
        """The code, in bytes, of multiples in one row, or of what is about such."""
        numbers = values.div(self._step).add_(self._most).round_().to(torch.int16)
        n_bytes = self._digits.n_bytes(len(numbers))
        short = None
        if values.device.type == "cpu":
            short = shortened(self._symbols.packed(numbers), n_bytes)
        body = self._digits.packed(numbers) if short is None else short
        code = torch.empty(_HEAD + len(body), dtype=torch.uint8, device=values.device)
        code[:_HEAD] = _PLAIN if short is None else _SHORT
        code[_HEAD:] = body
        return code

    def decoded(self, code: Tensor, n_elements: int) -> Tensor:
        """The multiples, float32.

        Args:
            code: which `encoded` gave, and maybe more after it.
            n_elements: how many there are.

        Raises:
            ValueError: it is none.
        """
        kind, body = int(code[0]), code[_HEAD:]
        if kind == _PLAIN:
            numbers = self._digits.unpacked(body[: self._digits.n_bytes(n_elements)], n_elements)
        else:
            symbols = lengthened(body, self._symbols.n_bytes(n_elements))
            numbers = self._symbols.unpacked(symbols, n_elements)
        return (numbers - self._most) * self._step


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

# SPDX-License-Identifier: Apache-2.0
"""Constant: a parameter that nothing learns."""

from __future__ import annotations

from typing import Any

from ... import initializer
from ... import ndarray as nd
from ...core.base.user_warnings import warn_user
from ...core.nd.array import NDArray
from .parameter import Parameter

__all__ = ["Constant"]


class Constant(Parameter):
    """A parameter with a given value and no gradient.

    Args:
        name: its name.
        value: an array, or what makes one.

    Example:
        >>> two = mx.gluon.Constant("two", [2.0])
        >>> two.initialize()
        >>> two.data().asnumpy()
        array([2.], dtype=float32)
    """

    def __init__(self, name: str, value: Any) -> None:
        self.value: NDArray = value if isinstance(value, NDArray) else nd.array(value)
        super().__init__(
            name,
            grad_req="null",
            shape=self.value.shape,
            dtype=self.value.dtype,
            init=_Value(self.value),
        )

    @property
    def grad_req(self) -> str | None:
        """Always null."""
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req != "null":
            warn_user(
                f"Constant {self.name!r}: grad_req={req!r} is ignored: constants have no gradient",
            )


class _Value(initializer.Initializer):
    """Copies an array."""

    def __init__(self, value: NDArray) -> None:
        super().__init__()
        self._value = value

    def dumps(self) -> str:
        """Return the initializer attribute of the variable; the parameters hold the value."""
        return '["zeros", {}]'

    def _init_weight(self, _: Any, arr: NDArray) -> None:
        arr[:] = self._value

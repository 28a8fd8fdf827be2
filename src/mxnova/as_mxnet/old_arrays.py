# SPDX-License-Identifier: Apache-2.0
"""Arrays that do what NumPy's did in MXNet's time, for programs that cannot be changed.

``MXNOVA_NUMPY_COMPAT=1`` (``mxnova run --numpy-compat``) makes `asnumpy` give them. Without it
nothing here is imported.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["activate"]


class OldArray(np.ndarray[Any, Any]):
    """An array that is a number where it has one element of any shape.

    Slices, ufuncs and concatenations of it are such arrays, too; ``np.array(x)`` is a plain one,
    and pickles are of plain ones.
    """

    __array_priority__ = 0.1  # above plain arrays, which concatenations then follow

    def __float__(self) -> float:
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def _number(self) -> Any:
        if self.size != 1:
            raise TypeError("only size-1 arrays can be converted to Python scalars")
        return self.item()

    def tostring(self, order: Any = "C") -> bytes:
        """The elements' bytes."""
        return self.tobytes(order)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if array.ndim == 0 else array.view(type(self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def activate(module: ModuleType) -> None:
    """Lets `asnumpy` of the class of arrays in `module` give old arrays, and `np.array` copy."""
    if _refuses(lambda: float(np.ones(1))):
        _replace(module.NDArray, "asnumpy", lambda plain, x: plain(x).view(OldArray))
    if _refuses(lambda: np.array([1], copy=False)):
        _replace(np, "array", _copy_where_it_must)


def _copy_where_it_must(plain: Any, *args: Any, copy: Any = True, **options: Any) -> Any:
    return plain(*args, copy=None if copy is False else copy, **options)


def _refuses(act: Callable[[], Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            act()
        except (TypeError, ValueError):
            return True
    return False


def _replace(owner: Any, name: str, function: Callable[..., Any]) -> None:
    """Puts `function` of the plain one and its arguments in its place."""
    plain = getattr(owner, name)

    @functools.wraps(plain)
    def replaced(*args: Any, **options: Any) -> Any:
        return function(plain, *args, **options)

    setattr(owner, name, replaced)

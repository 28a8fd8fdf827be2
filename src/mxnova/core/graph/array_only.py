# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that symbols refuse, since they have no data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..base.doors import door
from ..base.errors import MissingAttributeError, NotImplementedForSymbol, candidates

__all__ = ["ArrayOnly"]


def _refused(name: str, alias: str | None = None) -> Callable[[Any], NoReturn]:
    def method(self: Any) -> NoReturn:
        raise NotImplementedForSymbol(name, alias)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "For arrays only: raises NotImplementedForSymbol."
    return method


def _refused_with(name: str, alias: str) -> Callable[[Any, Any], NoReturn]:
    def method(self: Any, other: Any) -> NoReturn:
        raise NotImplementedForSymbol(name, alias, other)

    method.__name__ = method.__qualname__ = name
    return method


_FACTS = {  # attributes of arrays -> what a program of symbols writes
    "shape": "F.shape_array(x), x.reshape((0, -1)), F.zeros_like(x) and the like need none, and "
    "infer_shape tells it",
    "size": "F.size_array(x) is one of the graph",
    "ndim": "infer_shape tells it",
    "dtype": "infer_type tells it, and F.cast makes one sure",
    "context": "an executor has one, and so have its arrays",
    "ctx": "an executor has one, and so have its arrays",
    "grad": "an executor has it in grad_dict",
    "stype": "infer_storage_type tells it",
}


class UnknownAttributeError(MissingAttributeError):
    """An attribute that nothing has; the hint is made when shown: most only want to know."""

    def __init__(self, text: str, attribute: str = "", kind: type = object) -> None:
        super().__init__(text)
        self.name = attribute  # or Python adds a suggestion of its own
        self._sought = attribute, kind

    def __str__(self) -> str:
        attribute, kind = self._sought
        is_public = bool(attribute) and not attribute.startswith("_")
        return super().__str__() + (candidates(attribute, dir(kind)) if is_public else "")

    def __reduce__(self) -> Any:
        return MissingAttributeError, (str(self),)


@door
def _missing(self: Any, name: str) -> NoReturn:
    text = f"{type(self).__name__!r} object has no attribute {name!r}"
    if name in _FACTS:
        text += (
            f": a Symbol is not known to have any {name} until it is bound; in hybrid_forward "
            f"{_FACTS[name]}; a block that is not hybridized gets arrays"
        )
        raise MissingAttributeError(text)
    raise UnknownAttributeError(text, name, type(self))


class ArrayOnly:
    """Gives a class the methods of arrays that need data, as errors that say so."""

    __slots__ = ()

    __bool__ = _refused("__bool__", "bool")
    __nonzero__ = _refused("__nonzero__", "bool")
    __iadd__ = _refused_with("__iadd__", "+=")
    __isub__ = _refused_with("__isub__", "-=")
    __imul__ = _refused_with("__imul__", "*=")
    __idiv__ = _refused_with("__idiv__", "/=")
    __itruediv__ = _refused_with("__itruediv__", "/=")
    as_in_context = _refused("as_in_context")
    asnumpy = _refused("asnumpy")
    asscalar = _refused("asscalar")
    backward = _refused("backward")
    copy = _refused("copy")
    detach = _refused("detach")
    wait_to_read = _refused("wait_to_read")


# Not in the class, where checkers of types would take every attribute for one that there is.
setattr(ArrayOnly, "__getattr__", _missing)  # noqa: B010

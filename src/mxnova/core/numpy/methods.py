# SPDX-License-Identifier: Apache-2.0
"""NumPy's methods and Python's operators, for arrays and symbols with NumPy's semantics."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from ..base.doors import leave
from ..base.errors import shown
from ..op import library  # noqa: F401 - registers the operators
from ..op.schema import REGISTRY
from . import (
    creation,
    elementwise,
    extension_random,
    linalg,
    products,
    random,
    reductions,
    selection,
    shaping,
)
from .namespaces import World, bound, listed

__all__ = ["FUNCTIONS", "PYTHON_OPERATORS", "NumpyMethods", "functions", "operator_functions"]

_ROOMS = {  # module that shows them -> rooms of their implementations
    "": (elementwise, reductions, selection, shaping, creation, products),
    "linalg": (linalg,),
    "random": (random,),
    "extension random": (extension_random,),
}
FUNCTIONS = {
    shown: {n: f for room in rooms for n, f in listed(room.__name__).items()}
    for shown, rooms in _ROOMS.items()
}

FUNCTIONS[""]["round_"] = elementwise.round_


@cache
def functions(world: World, shown: str = "") -> dict[str, Callable[..., Any]]:
    """The functions of ``np``, ``np.linalg`` or ``np.random`` for `world`."""
    return {name: bound(f, world, name) for name, f in FUNCTIONS[shown].items()}


def operator_functions(function_of: Callable[[str, str], Any]) -> dict[str, Callable[..., Any]]:
    """The functions of ``F.np`` that are one operator each, with its arguments as they are.

    Args:
        function_of: the function of an operator, called by another name.
    """
    names = (n.removeprefix("_np_") for n in REGISTRY if n.startswith("_np_"))
    return {n: function_of(f"_np_{n}", n) for n in names if n in FUNCTIONS[""]}


def _method_signature(implementation: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function whose first argument is the world, as a method."""
    _, array, *others = inspect.signature(implementation).parameters.values()
    return inspect.Signature([array.replace(name="self"), *others])


class NumpyMethods:
    """Add the methods of NumPy arrays to a class, through its `_world`."""

    __slots__ = ()
    _world: World

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """Return the transpose: the axes in reverse order."""
        return self._world._np_transpose(self)

    def reshape(self, *args: Any, order: str = "C", **kwargs: Any) -> Any:
        """Return the elements in another shape, given as integers or a tuple; -1 is inferred."""
        if "newshape" in kwargs or "shape" in kwargs:
            args = (kwargs.pop("newshape", None) or kwargs.pop("shape", None),)
        if kwargs:
            raise TypeError(f"reshape: unexpected arguments: {', '.join(kwargs)}")
        if order != "C":
            raise NotImplementedError(f"reshape: order={shown(order)}: must be C")
        sizes = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
        return self._world._np_reshape(self, newshape=sizes, order=order)

    def reshape_view(self, *shape: Any, **kwargs: Any) -> Any:
        """Like `reshape`; the result of an array shares its memory."""
        return self.reshape(*shape, **kwargs)

    def transpose(self, *axes: Any) -> Any:
        """Permute the axes, by default into reverse order."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return self._world._np_transpose(self, axes=order or None)

    def flatten(self, order: str = "C", **kwargs: Any) -> Any:
        """Return the flattened array."""
        return self.reshape(-1, order=order)

    def ravel(self, order: str = "C") -> Any:
        """Return the flattened array."""
        return self.reshape(-1, order=order)

    def round(self, decimals: int = 0, out: Any = None, **kwargs: Any) -> Any:
        """Round to the given number of decimals."""
        return elementwise.around(self._world, self, decimals, out)

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Any:
        """Clip the elements to ``[min, max]``."""
        return elementwise.clip(self._world, self, min, max, out)

    def dot(self, b: Any, out: Any = None) -> Any:
        """See `np.dot`."""
        return products.dot(self._world, self, b, out)

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """See `np.sum`."""
        return reductions.sum_(self._world, self, axis, dtype, keepdims, None, out)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """See `np.all`."""
        return FUNCTIONS[""]["all"](self._world, self, axis, keepdims, out)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """See `np.any`."""
        return FUNCTIONS[""]["any"](self._world, self, axis, keepdims, out)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """See `np.max`."""
        return FUNCTIONS[""]["max"](self._world, self, axis, keepdims, out)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """See `np.min`."""
        return FUNCTIONS[""]["min"](self._world, self, axis, keepdims, out)

    def broadcast_like(self, other: Any) -> Any:
        """Broadcast to the shape of `other`."""
        return shaping.broadcast_to(self._world, self, other.shape)


def _method(name: str, implementation: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: NumpyMethods, *args: Any, **kwargs: Any) -> Any:
        return implementation(self._world, self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"NumpyMethods.{name}"
    method.__signature__ = _method_signature(implementation)  # type: ignore[attr-defined]
    method.__doc__ = implementation.__doc__
    return method


_AS_FUNCTIONS = (
    "mean", "std", "var", "prod", "cumsum", "argmax", "argmin", "argsort", "sort", "take",
    "repeat", "swapaxes", "squeeze", "broadcast_to", "nonzero", "diag", "expand_dims", "flip",
    "tile", "split", "diagonal", "trace", "unique",
    *(n for n in elementwise.UNARY if n not in ("bitwise_not", "logical_not", "negative")),
)  # fmt: skip
for _name in _AS_FUNCTIONS:
    setattr(NumpyMethods, _name, _method(_name, FUNCTIONS[""][_name]))

# fmt: off
PYTHON_OPERATORS = {  # Python's operator -> the function
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "div": "divide",
    "mod": "mod", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "matmul": "matmul",
    "eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal", "lt": "less",
    "le": "less_equal",
}
# fmt: on
_COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")


def _operator(name: str, implementation: Callable[..., Any], is_turned: bool) -> Callable[..., Any]:
    is_equality = name in ("__eq__", "__ne__")

    def method(self: NumpyMethods, other: Any) -> Any:
        if is_equality and (other is None or isinstance(other, str)):
            return NotImplemented
        try:
            if is_turned:
                return implementation(self._world, other, self)
            return implementation(self._world, self, other)
        except Exception as error:
            leave(error)
            raise

    method.__name__ = method.__qualname__ = name
    return method


for _name, _function in PYTHON_OPERATORS.items():
    _implementation = FUNCTIONS[""][_function]
    setattr(NumpyMethods, f"__{_name}__", _operator(f"__{_name}__", _implementation, False))
    if _name not in _COMPARISONS:
        setattr(NumpyMethods, f"__r{_name}__", _operator(f"__r{_name}__", _implementation, True))
for _name, _function in (
    ("neg", "negative"), ("abs", "abs"), ("invert", "bitwise_not"), ("ceil", "ceil"),
    ("floor", "floor"), ("trunc", "trunc"),
):  # fmt: skip
    setattr(NumpyMethods, f"__{_name}__", _method(f"__{_name}__", FUNCTIONS[""][_function]))

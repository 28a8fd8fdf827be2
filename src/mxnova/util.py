# SPDX-License-Identifier: Apache-2.0
"""Semantics of this thread (shapes, arrays), environment variables, GPUs.

Shapes have legacy semantics, where () and 0 mean "unknown", or NumPy's.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
from collections import ChainMap
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch

from .core.base.doors import facade
from .core.base.errors import ArgumentError, ArgumentTypeError
from .core.base.scopes import is_np_array, is_np_shape, set_np_array, set_np_shape
from .core.numpy.ufunc_options import np_ufunc_legal_option, refuse_changes
from .core.runtime import process
from .core.runtime.context import Context, context_of, gpu_memory_info, num_gpus

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_array",
    "np_shape",
    "np_ufunc_legal_option",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "tune_process",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "wrap_np_binary_func",
    "wrap_np_unary_func",
]

F = TypeVar("F", bound=Callable[..., Any])


@contextlib.contextmanager
def np_shape(active: bool = True) -> Iterator[None]:
    """NumPy's shape semantics inside the block (or legacy ones, with False).

    Args:
        active: whether they are used inside of the block.

    Example:
        >>> with mx.util.np_shape(True): shape = mx.nd.zeros(()).shape
        >>> shape
        ()
    """
    before = set_np_shape(active)
    try:
        yield
    finally:
        set_np_shape(before)


@contextlib.contextmanager
def np_array(active: bool = True) -> Iterator[None]:
    """NumPy-like arrays inside the block (or legacy ones, with False).

    Args:
        active: whether they are used inside of the block.

    Example:
        >>> with mx.util.np_array(True): active = mx.util.is_np_array()
        >>> active
        True
    """
    before = set_np_array(active)
    try:
        yield
    finally:
        set_np_array(before)


class _CurrentArrays:
    """What `_NumpyArrayScope._current` is: the semantics of the thread that asks, as `value`."""

    @property
    def value(self) -> _NumpyArrayScope:
        return _NumpyArrayScope(is_np_array())

    @value.setter
    def value(self, scope: _NumpyArrayScope) -> None:
        set_np_array(scope._is_np_array)


class _NumpyArrayScope:
    """`np_array` as the class that programs of MXNet's time ask for the current semantics."""

    _current = _CurrentArrays()

    def __init__(self, is_np_array: bool) -> None:
        self._is_np_array = is_np_array
        self._outer: list[bool] = []

    def __enter__(self) -> _NumpyArrayScope:
        self._outer.append(set_np_array(self._is_np_array))
        return self

    def __exit__(self, *_exception: object) -> None:
        set_np_array(self._outer.pop())


def set_np(shape: bool = True, array: bool = True) -> None:
    """Turns NumPy's shape semantics and NumPy-like arrays on or off in this thread.

    Args:
        shape: whether shapes have NumPy's meaning.
        array: whether arrays are NumPy-like.

    Raises:
        ArgumentError: NumPy-like arrays with legacy shapes.

    Example:
        >>> mx.npx.set_np()
        >>> mx.npx.is_np_array()
        True
        >>> mx.npx.reset_np()
    """
    if array and not shape:
        raise ArgumentError("set_np: array=True: NumPy-like arrays need NumPy's shape semantics")
    set_np_array(array)
    set_np_shape(shape)


def reset_np() -> None:
    """Back to legacy shapes and arrays.

    Example:
        >>> mx.npx.reset_np()
        >>> mx.npx.is_np_array()
        False
    """
    set_np(shape=False, array=False)


def use_np_shape(func: F) -> F:
    """A function, or a class's methods and properties, run under NumPy's shape semantics.

    Those that the class inherits are run so, too, when they are called on it.

    Args:
        func: the function, or the class.

    Example:
        >>> active = mx.util.use_np_shape(lambda: (mx.util.is_np_array(), mx.util.is_np_shape()))
        >>> active()
        (False, True)
    """
    return _run_under(np_shape, func)


def use_np_array(func: F) -> F:
    """A function, or a class's methods and properties, run with NumPy-like arrays.

    Those that the class inherits are run so, too, when they are called on it.

    Args:
        func: the function, or the class.

    Example:
        >>> active = mx.util.use_np_array(lambda: (mx.util.is_np_array(), mx.util.is_np_shape()))
        >>> active()
        (True, False)
    """
    return _run_under(np_array, func)


def use_np(func: F) -> F:
    """A function, or a class's methods and properties, run as NumPy-like code.

    Those that the class inherits are run so, too, when they are called on it.

    Args:
        func: the function, or the class.

    Example:
        >>> active = mx.util.use_np(lambda: (mx.util.is_np_array(), mx.util.is_np_shape()))
        >>> active()
        (True, True)
    """
    return use_np_shape(use_np_array(func))


_Scope = Callable[[], contextlib.AbstractContextManager[None]]


def _run_under(scope: _Scope, func: F) -> F:
    if inspect.isclass(func):
        members: dict[str, Any] = dict(ChainMap(*map(dict, map(vars, func.__mro__[:-1]))))
        for name, member in members.items():
            if _is_code(member):
                setattr(func, name, _member_under(scope, member))
        return func
    if not callable(func):
        raise ArgumentTypeError(f"use_np: a {type(func).__name__} is neither function nor class")

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        with scope():
            return func(*args, **kwargs)

    return run  # type: ignore[return-value]


def _is_code(member: Any) -> bool:
    return inspect.isfunction(member) or isinstance(member, (staticmethod, classmethod, property))


def _member_under(scope: _Scope, member: Any) -> Any:
    """A method, static or of the class too, or a property, run under `scope`."""
    if isinstance(member, (staticmethod, classmethod)):
        return type(member)(_run_under(scope, member.__func__))
    if isinstance(member, property):
        functions: tuple[Any, ...] = (member.fget, member.fset, member.fdel)
        fget, fset, fdel = (f and _run_under(scope, f) for f in functions)
        return property(fget, fset, fdel, member.__doc__)
    return _run_under(scope, member)


def set_module(module: str | None) -> Callable[[F], F]:
    """Decorates what is to say that it is of `module`."""

    def decorate(func: F) -> F:
        if module is not None:
            func.__module__ = module
        return func

    return decorate


# Arguments that NumPy's functions have ------------------------------------------------------------


def wrap_np_unary_func(func: F) -> F:
    """A function of one array that takes NumPy's further arguments, as far as they change nothing.

    What it makes raises NotImplementedError for a value that would change something, TypeError
    for a name that NumPy does not know.
    """

    @functools.wraps(func)
    def call(x: Any, out: Any = None, **kwargs: Any) -> Any:
        refuse_changes(func.__name__, kwargs)
        return func(x, out=out)

    return call  # type: ignore[return-value]


def wrap_np_binary_func(func: F) -> F:
    """`wrap_np_unary_func` for a function of two arrays."""

    @functools.wraps(func)
    def call(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        refuse_changes(func.__name__, kwargs)
        return func(x1, x2, out=out)

    return call  # type: ignore[return-value]


# Environment and GPUs ----------------------------------------------------------------------------


def getenv(name: str) -> str | None:
    """The value of an environment variable, None where it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Sets an environment variable; None unsets it."""
    if value is None:
        os.environ.pop(name, None)
    elif isinstance(value, str):
        os.environ[name] = value
    else:
        raise ArgumentTypeError(f"setenv: {name}={value!r}: must be text or None")


def get_gpu_count() -> int:
    """The number of GPUs that PyTorch can drive."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """(free, total) bytes of a GPU's memory."""
    return gpu_memory_info(gpu_dev_id)


def get_cuda_compute_capability(ctx: Context) -> int:
    """The compute capability of a GPU: 75 for 7.5.

    Args:
        ctx: the context; None: the current one.

    Raises:
        ArgumentError: `ctx` is no GPU's.

    Example:
        >>> gpus = [mx.gpu(i) for i in range(mx.num_gpus())]
        >>> all(mx.util.get_cuda_compute_capability(gpu) >= 50 for gpu in gpus)
        True
    """
    if context_of(ctx).device_type != "gpu":
        raise ArgumentError(f"get_cuda_compute_capability: ctx={ctx}: must be a GPU's")
    major, minor = torch.cuda.get_device_capability(ctx.device)
    return 10 * major + minor


def tune_process() -> None:
    """Tunes the whole process for computing; importing mxnova never does.

    glibc's allocator keeps large blocks that were freed instead of returning them to the system,
    and while threads of the process wait for cores, OpenMP's idle ones sleep at once; a background
    thread watches for that. ``MXNOVA_TUNE_PROCESS=1`` in the environment does it at import, as
    ``mxnova run``, ``predict`` and ``launch`` do. Other calls than the first have no effect.
    """
    process.tune()


facade(__name__)

# SPDX-License-Identifier: Apache-2.0
"""Doors: public functions that errors leave through, without the frames inside mxnova.

A traceback shows the lines of the program; those of mxnova between and below are left out where the
error says itself what is wrong: every MXNetError, and whatever was raised by code of the program's
own that mxnova called. Python's other exceptions from inside mxnova are faults of mxnova's and keep
all frames, as does everything with ``MXNOVA_TRACEBACK=full``.

Nothing of the process is changed for that: a door is an ``except`` clause, which costs nothing
while nothing is raised. It cuts the traceback that the error has so far, and a bare ``raise`` adds
no line for the function that it stands in.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from . import env
from .errors import ArgumentTypeError, MXNetError, candidates
from .mxnet_names import MissingName, missing_name
from .user_warnings import is_inner

__all__ = ["cut", "door", "doors", "facade", "leave", "refuse_name", "visible", "wants_all_frames"]

F = TypeVar("F", bound=Callable[..., Any])
_PYTHON = os.path.dirname(os.__file__) + os.sep
_LIBRARIES = frozenset(
    {
        "PIL",
        "aiohttp",
        "cv2",
        "fsspec",
        "google",
        "numpy",
        "onnx",
        "onnxruntime",
        "scipy",
        "torch",
    }
)
_DUNDERS = frozenset(
    """
    __init__ __call__ __getitem__ __setitem__ __delitem__ __len__ __iter__ __next__ __enter__
    __exit__ __contains__
    """.split()  # noqa: SIM905 - a table to read
)
_UNFIT = re.compile(r"\(\) (missing|takes|got) ")
_UNEXPECTED = re.compile(r"(\w+\(\)|[\w.]+\(\)) got an unexpected keyword argument '(\w+)'")


def wants_all_frames() -> bool:
    """Whether the environment asks for them."""
    try:
        return bool(env.get("MXNOVA_TRACEBACK") == "full")
    except MXNetError:
        return True  # set to something


def leave(error: BaseException) -> None:
    """Cuts what is inside mxnova from the traceback of `error`, and of what it came from.

    For the ``except`` clause of a function that programs call; a bare ``raise`` follows.
    """
    trace = error.__traceback__
    if trace is None or wants_all_frames() or not _tells_enough(error, trace):
        return
    cut(error, trace)
    trace.tb_next = error.__traceback__  # 3.10 raises again with the traceback of its own


def cut(error: BaseException, start: TracebackType | None) -> None:
    """Gives `error` its traceback from `start` on without what is inside mxnova."""
    error.__traceback__ = visible(start)
    _clean(error, {id(error)})


def _tells_enough(error: BaseException, trace: TracebackType) -> bool:
    if isinstance(error, (MXNetError, MissingName)):
        return True
    if trace.tb_next is None and isinstance(error, TypeError) and _UNFIT.search(str(error)):
        return True  # arguments that do not fit what the door leads to
    inner = False
    for one in _frames(trace):
        inner = is_inner(one.tb_frame) or (inner and _is_of_library(one))
    return not inner


def _is_of_library(trace: TracebackType) -> bool:
    """Whether a line is of what mxnova calls, unless a program's own code called it."""
    module = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    file = trace.tb_frame.f_code.co_filename
    is_python = file.startswith(("<frozen ", "<__array_function__")) or (
        file.startswith(_PYTHON) and "-packages" not in file
    )
    return module in _LIBRARIES or is_python


def _frames(trace: TracebackType | None) -> Iterable[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def visible(trace: TracebackType | None, below_us: bool = True) -> TracebackType | None:
    """`trace` without lines of mxnova and of the libraries that it called.

    Args:
        trace: a traceback.
        below_us: whether mxnova called what its first line is in.
    """
    kept = []
    for one in _frames(trace):
        below_us = is_inner(one.tb_frame) or (below_us and _is_of_library(one))
        if not below_us:
            kept.append(one)
    below = None
    for one in reversed(kept):
        below = TracebackType(below, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return below


def _clean(error: BaseException, seen: set[int]) -> None:
    """Cuts what `error` came from, too; what is inside mxnova alone is left out."""
    for origin in (error.__cause__, error.__context__):
        if origin is None or id(origin) in seen:
            continue
        seen.add(id(origin))
        origin.__traceback__ = visible(origin.__traceback__, False)
        _clean(origin, seen)
    context = error.__context__
    if isinstance(error, MXNetError) and context is not None and context.__traceback__ is None:
        said = str(error.__cause__).partition("\n")[0]
        if error.__cause__ is context and said in str(error):
            error.__cause__ = None
        error.__suppress_context__ = True


def door(function: F) -> F:
    """`function` as a door, which also says what a misspelled keyword argument may mean."""

    @functools.wraps(function)
    def enter(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                refuse_name(function, args, kwargs, error)
                raise
        except Exception as error:
            leave(error)
            raise

    return enter  # type: ignore[return-value]


def refuse_name(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Iterable[str], error: TypeError
) -> None:
    """Raises what is to be said where `function` could not even be called, for `kwargs`.

    Args:
        function: what was called.
        args: what it was given by position.
        kwargs: what it was given by name.
        error: what Python raised.

    Raises:
        ArgumentTypeError: a name among `kwargs` is none of its parameters'.
    """
    trace = error.__traceback__
    if not kwargs or trace is None or trace.tb_next is not None:
        return
    called = function.__qualname__
    if function.__name__ == "__init__" and args:
        taker, known = _taker(type(args[0]), function)
        called = f"{taker.__name__}.__init__"
    else:
        known = _arguments(function)
    unexpected = _UNEXPECTED.match(str(error))
    if unexpected is None and "required" not in str(error):
        return
    name = unexpected[2] if unexpected else next((n for n in kwargs if n not in known), None)
    if name is None:
        return
    raise ArgumentTypeError(
        f"{called}() got an unexpected keyword argument {name!r}{candidates(name, known)} "
        f"(it takes {', '.join(known[:24])}{', ...' if len(known) > 24 else ''})"
    ) from None


def _arguments(function: Callable[..., Any]) -> list[str]:
    """What may be given by name."""
    kinds = inspect.Parameter
    by_name = (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in by_name and p.name != "self"]


def _taker(kind: type, function: Callable[..., Any]) -> tuple[type, list[str]]:
    """Whose ``__init__`` took what reached `function`, and what it and its bases take by name.

    A class hands on to its bases what it does not know, unless it has no ``**kwargs``.
    """
    taker, is_reached = kind, False
    known: list[str] = []
    for base in kind.__mro__:
        method = vars(base).get("__init__")
        if method is None:
            continue
        taker = taker if known else base
        known += [name for name in _arguments(method) if name not in known]
        is_reached = is_reached or inspect.unwrap(method) is inspect.unwrap(function)
        parameters = inspect.signature(method).parameters.values()
        if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
            if is_reached:
                break
            known = []
    return taker, known


def doors(cls: type) -> None:
    """Makes the public methods that a class defines doors, in place.

    Those that mxnova calls again and again call `leave` in ``except`` clauses of their own. A class
    has in `_no_doors` the names of those, its subclasses' too, that only mxnova calls; None: all.
    """
    inner = getattr(cls, "_no_doors", ())
    if inner is None:
        return
    for name, method in list(vars(cls).items()):
        is_public = not name.startswith("_") or name in _DUNDERS
        if type(method) is property and is_public and name not in inner:
            setattr(cls, name, _property_door(cls, method))
            continue
        plain = method.__func__ if isinstance(method, (staticmethod, classmethod)) else method
        if is_public and not _is_door(plain) and name not in inner:
            setattr(cls, name, door(plain) if plain is method else type(method)(door(plain)))


def _property_door(cls: type, found: property) -> property:
    """A property whose changes are doors; of modules, its value too, which nothing reads often."""
    get = found.fget
    if get is not None and cls.__module__.startswith("mxnova.module."):
        get = _as_door(get)
    return property(get, _as_door(found.fset), _as_door(found.fdel), found.__doc__)


def _as_door(function: F | None) -> F | None:
    if function is None or _is_door(function):
        return function
    return door(function)


def _is_door(function: Any) -> bool:
    """Whether it is one already, or no function that could be made one."""
    return type(function) is not FunctionType or "leave" in function.__code__.co_names


def facade(name: str) -> None:
    """Makes the classes of a module doors, and says what a name may mean that the module lacks.

    Args:
        name: of the module, at whose end the call stands.
    """
    module = sys.modules[name]
    names = vars(module)
    for public in names.get("__all__") or [n for n in names if not n.startswith("_")]:
        value = names.get(public)
        for cls in value.__mro__ if isinstance(value, type) else ():
            if cls.__module__.startswith("mxnova."):
                doors(cls)
    if "__getattr__" not in names:
        module.__getattr__ = _missing_names(name)  # type: ignore[method-assign]


def _missing_names(module: str) -> Callable[[str], Any]:
    @door
    def find(name: str) -> Any:
        raise missing_name(module, name)

    return find

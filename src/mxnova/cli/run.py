# SPDX-License-Identifier: Apache-2.0
"""``mxnova run``: what ``python script.py`` does, where ``import mxnet`` finds mxnova."""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import sys
import zipfile
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import mxnova

from ..core.base.errors import MXNetError
from .environment import PACKAGE
from .traceback import hide_frames

__all__ = ["CannotStartError", "run"]


class _Program(NamedTuple):
    """What runs as `__main__`."""

    code: CodeType
    file: str
    loader: Any
    spec: ModuleSpec | None = None


class CannotStartError(Exception):
    """There is no such program, or a variable of the environment cannot be read."""


def run(options: SimpleNamespace) -> None:
    """Runs a file, a folder with a `__main__.py` or standard input (``-``), or else a module.

    What the program raises passes through, and is shown without the frames of mxnova.

    Args:
        options: script, module, args, numpy_names, numpy_compat.

    Raises:
        CannotStartError: there is no such script or module, or the environment is wrong.
    """
    if not options.numpy_names:
        os.environ["MXNOVA_NUMPY_NAMES"] = "0"
    if options.numpy_compat:
        os.environ["MXNOVA_NUMPY_COMPAT"] = "1"
    script, module = options.script, options.module
    sys.argv = [script or "-m", *options.args]
    _set_path(os.getcwd() if script is None else _folder_of(script))
    try:
        importlib.import_module("mxnova.as_mxnet")
    except MXNetError as error:
        raise CannotStartError(str(error)) from None
    with hide_frames(__name__):
        program = _module(module) if module is not None else _script(script or "")
        if module is not None:
            sys.argv[0] = program.file
        sys.modules["__main__"] = main = _main_module(program)
        exec(program.code, vars(main))


def _folder_of(script: str) -> str:
    """What Python puts in front of the path for a script."""
    if script == "-":
        return ""
    return script if os.path.isdir(script) else os.path.dirname(os.path.realpath(script))


def _set_path(first: str) -> None:
    """`first` where Python has it, and the package `mxnet` for this process and its children."""
    at = 0
    if not getattr(sys.flags, "safe_path", False):
        sys.path[:1] = [first]
        at = 1
    sys.path.insert(at, str(PACKAGE))
    ours = os.path.dirname(os.path.dirname(os.path.realpath(mxnova.__file__)))
    last = [] if ours in map(os.path.realpath, sys.path) else [ours]
    sys.path += last
    inherited = os.environ.get("PYTHONPATH")
    places = [str(PACKAGE), *([inherited] if inherited else []), *last]
    os.environ["PYTHONPATH"] = os.pathsep.join(places)


def _script(script: str) -> _Program:
    if script == "-":
        code = compile(sys.stdin.buffer.read(), "<stdin>", "exec", dont_inherit=True)
        return _Program(code, "<stdin>", None)
    if os.path.isdir(script) or zipfile.is_zipfile(script):
        return _found(PathFinder.find_spec("__main__", [script]), script)
    path = os.path.abspath(script)
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        raise CannotStartError(f"{script}: {error.strerror}") from None
    code = compile(source, path, "exec", dont_inherit=True)
    return _Program(code, path, SourceFileLoader("__main__", path))


def _module(name: str) -> _Program:
    """The module `name`, or the `__main__` of the package."""
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise CannotStartError(f"-m {name}: {error}") from None
    return _found(spec, f"-m {name}")


def _found(spec: ModuleSpec | None, asked: str) -> _Program:
    if spec is None or spec.loader is None:
        raise CannotStartError(f"{asked}: there is no such module, or no __main__ in it")
    loader: Any = spec.loader
    code = loader.get_code(spec.name)
    if code is None:
        raise CannotStartError(f"{asked}: is not written in Python")
    return _Program(code, spec.origin or spec.name, loader, spec)


def _main_module(program: _Program) -> ModuleType:
    """`__main__` with what Python gives it."""
    main = ModuleType("__main__")
    spec = program.spec
    vars(main).update(
        __builtins__=builtins,
        __cached__=None if spec is None else spec.cached,
        __file__=program.file,
        __loader__=program.loader,
        __package__=None if spec is None else spec.parent,
        __spec__=spec,
    )
    return main

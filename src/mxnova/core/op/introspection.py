# SPDX-License-Identifier: Apache-2.0
"""Reading the schema of arrays and parameters from an operator's declaration, class or function.

A class inherits what it does not say itself from its bases, up to a `root` that all operators have.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.params import Field, doc_of_arguments, fields_of
from .kernel import Signature

__all__ = ["annotated", "argument_docs", "declared_fields", "declaring", "full_doc"]


def annotated(cls: type) -> tuple[str, ...]:
    """The names that a class itself annotates, but for private ones."""
    return tuple(n for n in inspect.get_annotations(cls) if not n.startswith("_"))


def declaring(cls: type, root: type, name: str = "") -> type:
    """The nearest class that annotates anything, or `name`."""
    bases = _bases(cls, root)
    return next((c for c in bases if name in annotated(c) or (not name and annotated(c))), cls)


def _bases(cls: type, root: type) -> tuple[type, ...]:
    """A class, and its bases before `root`."""
    return cls.__mro__[: cls.__mro__.index(root)]


# Parameters ---------------------------------------------------------------------------------------


def declared_fields(declaration: Any, root: type, signature: Signature) -> tuple[Field, ...]:
    """The parameters of a declaration, whose forward has this signature."""
    if isinstance(declaration, type):
        names: Sequence[str] = getattr(declaration, "_parameters", ())
        where = {n: declaring(declaration, root, n) for n in names}
        defaults = {n: vars(cls)[n] for n, cls in where.items() if n in vars(cls)}
    else:
        names = signature.parameters
        where = dict.fromkeys(names, declaration)
        defaults = declaration.__kwdefaults__ or {}
    return fields_of({n: _hint(found, n) for n, found in where.items()}, defaults, names)


def _hint(declaration: Any, name: str) -> Any:
    annotation = inspect.get_annotations(declaration)[name]
    namespace = vars(sys.modules[declaration.__module__])
    return eval(annotation, namespace) if isinstance(annotation, str) else annotation


# Docstrings ---------------------------------------------------------------------------------------

_ARGS = "\nArgs:\n"


def argument_docs(declaration: Any, root: type) -> dict[str, str]:
    """Return the docs of arrays and parameters, by name, from a declaration and its bases."""
    classes = _bases(declaration, root) if isinstance(declaration, type) else (declaration,)
    said: dict[str, str] = {}
    for part in reversed(classes):
        said.update(doc_of_arguments(_doc(part)))
    return said


def full_doc(declaration: Any, arguments: Mapping[str, str]) -> str:
    """The docstring of a declaration, with all its `arguments` where bases say some of them."""
    own = _doc(declaration)
    if arguments.keys() <= doc_of_arguments(own).keys():
        return own
    listing = "\n".join(f"    {name}: {text}" for name, text in arguments.items())
    return f"{own.partition(_ARGS)[0].rstrip()}\n{_ARGS}{listing}"


def _doc(declaration: Any) -> str:
    return inspect.cleandoc(declaration.__doc__ or "")

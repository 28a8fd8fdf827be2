# SPDX-License-Identifier: Apache-2.0
"""Python identifiers for names from files: they never contain code."""

from __future__ import annotations

import builtins
import keyword
import re

from torch import nn

__all__ = [
    "IN_FUNCTIONS", "IN_MODULES", "argument_name", "class_name", "function_name", "identifier",
    "quoted",
]  # fmt: skip

_LONGEST = 60
IN_MODULES = frozenset(dir(nn.Module())) | {"self"}
IN_FUNCTIONS = frozenset({"self", "torch", "nn", "F", *dir(builtins)})


def identifier(name: str) -> str:
    """Return a short name that resembles `name`: ASCII letters, digits and single underscores."""
    text = re.sub(r"[^A-Za-z0-9]+", "_", name)[:_LONGEST].strip("_")
    text = text.removesuffix("_fwd") or "value"
    if text[0].isdigit():
        text = f"n{text}"
    return f"{text}_" if keyword.iskeyword(text) else text


def argument_name(name: str) -> str:
    """Return `name` if an argument of a method can have it, else an identifier that resembles it.

    Python normalizes identifiers that are not ASCII, and replaces those that begin with two
    underscores in a class: callers could not use such names as keywords.
    """
    is_usable = name.isascii() and name.isidentifier() and not name.startswith("__")
    return name if is_usable and not keyword.iskeyword(name) else identifier(name)


def class_name(name: str) -> str:
    """`name` as the name of a class."""
    return "".join(word[:1].upper() + word[1:] for word in identifier(name).split("_"))


def function_name(operator: str) -> str:
    """A name for what an operator computes."""
    plain = re.sub(r"^_?(contrib|npi|np|npx|image|internal)_+", "", operator)
    return identifier(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain).lower())


def quoted(text: str) -> str:
    """`text` for a docstring: nothing in it ends the docstring or is an escape."""
    return re.sub(r"[^\w .,:;/()+=@-]", "?", text, flags=re.ASCII)[:200]

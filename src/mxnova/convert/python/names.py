# SPDX-License-Identifier: Apache-2.0
"""Names of files become names of Python's: identifiers, never code."""

from __future__ import annotations

import builtins
import keyword
import re

from torch import nn

__all__ = ["IN_FUNCTIONS", "IN_MODULES", "class_name", "function_name", "identifier", "quoted"]

_LONGEST = 60
IN_MODULES = frozenset(dir(nn.Module())) | {"self"}
IN_FUNCTIONS = frozenset({"self", "torch", "nn", "F", *dir(builtins)})


def identifier(name: str) -> str:
    """`name`, or what resembles it, of ASCII letters, digits and underscores."""
    text = re.sub(r"[^A-Za-z0-9]+", "_", name)[:_LONGEST].strip("_")
    text = text.removesuffix("_fwd") or "value"
    if text[0].isdigit():
        text = f"n{text}"
    return f"{text}_" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else text


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

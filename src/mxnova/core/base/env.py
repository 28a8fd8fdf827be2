# SPDX-License-Identifier: Apache-2.0
"""Every environment variable mxnova reads: type, default, meaning."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from .errors import argument_error
from .params import Kind, kind_of

__all__ = ["VARIABLES", "Variable", "describe_variables", "get"]


class Variable(NamedTuple):
    """One environment variable."""

    kind: Kind
    default: Any
    doc: str


# fmt: off
VARIABLES: dict[str, Variable] = {
    "MXNOVA_TUNE_HEAP": Variable(kind_of(bool), True,
        "Whether the runtime tells glibc to keep large freed blocks instead of unmapping them."),
    "MXNOVA_FUSE": Variable(kind_of(bool), True,
        "Whether inference graphs are rewritten: BatchNorm folded, activations and sums fused."),
}
# fmt: on


def get(name: str) -> Any:
    """The typed value of variable `name`: as set in the environment, or its default.

    Raises:
        ArgumentError: it is set to something that cannot be read.
    """
    variable = VARIABLES[name]
    text = os.environ.get(name)
    if text is None:
        return variable.default
    try:
        return variable.kind.parse(text)
    except ValueError as error:
        raise argument_error("environment", name, text, str(error)) from None


def describe_variables() -> str:
    """A printable list of all variables."""
    return "\n".join(
        f"{name} ({v.kind.label}, default {v.default}): {v.doc}" for name, v in VARIABLES.items()
    )

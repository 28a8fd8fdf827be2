# SPDX-License-Identifier: Apache-2.0
"""What a mistake is, and the rule by which what programs say of it is compared.

`clarity` is the rule that compares what programs say of a mistake: one point each for the argument,
what was given, what was expected, and a way out. A row has one pattern for each of the four, which
decides alike for mxnova, MXNet and PyTorch; no error is no point. What counts is what the
interpreter prints below the traceback, with what Python itself adds to it.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from typing import Any, NamedTuple

__all__ = [
    "QUESTIONS",
    "Mistake",
    "clarity",
    "mxnet_names",
    "printed",
    "raised",
    "told",
    "torch_names",
]

QUESTIONS = ("argument", "given", "expected", "remedy")


class Mistake(NamedTuple):
    """One mistake.

    Attributes:
        code: lines that make it in mxnova and MXNet.
        torch: lines that make it in PyTorch; empty where PyTorch has nothing of the kind, or takes
            it for no mistake.
        says: patterns of the argument, what was given, what was expected, and a way out.
        checked: whether mxnova tells it with ``MXNOVA_CHECK=1`` only.
    """

    code: str
    torch: str
    says: tuple[str, str, str, str]
    checked: bool = False


def raised(code: str, names: dict[str, Any]) -> Exception | None:
    """What `code` raises; None: nothing."""
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(code, "<program>", "exec"), names)
        except Exception as error:  # noqa: BLE001 - it is asked for
            return error
    return None


def told(code: str, names: dict[str, Any], checked: bool = False) -> str:
    """What the interpreter prints of the error that `code` raises; empty: nothing is raised.

    Args:
        code: what is run.
        names: what it uses.
        checked: whether it runs as with ``MXNOVA_CHECK=1``.
    """
    if not checked:
        return printed(raised(code, names))
    from mxnova.core.op.range_check import CHECKS

    CHECKS.on = True
    try:
        return printed(raised(code, names))
    finally:
        CHECKS.on = False


def printed(error: Exception | None) -> str:
    """What the interpreter prints below the traceback, without the module of the error's class."""
    if error is None:
        return ""
    error.__cause__, error.__suppress_context__ = None, True
    with contextlib.redirect_stderr(io.StringIO()) as text:
        sys.__excepthook__(type(error), error.with_traceback(None), None)
    return text.getvalue().rstrip("\n").removeprefix(f"{type(error).__module__}.")


def clarity(says: tuple[str, str, str, str], text: str) -> int:
    """How many of `QUESTIONS` the text of an error answers."""
    return sum(re.search(pattern, text) is not None for pattern in says)


def mxnet_names(mx: Any) -> dict[str, Any]:
    """The names that `Mistake.code` uses; `mx` is mxnova, or MXNet."""
    return {
        "__name__": "program",
        "mx": mx,
        "autograd": mx.autograd,
        "gluon": mx.gluon,
        "nn": mx.gluon.nn,
    }


def torch_names() -> dict[str, Any]:
    """The names that `Mistake.torch` uses."""
    import torch

    return {"__name__": "program", "torch": torch}

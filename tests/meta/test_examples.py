# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings: how many there are, and that each prints what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.examples import _examples
from tests.pages.output import NumbersChecker

MODULES = {
    "ndarray": (0.9, 0.95),
    "numpy": (0.95, 0.95),
    "numpy_extension": (0.9, 0.7),
    "gluon": (0.95, 0.85),
    "gluon.nn": (0.95, 0.95),
    "gluon.rnn": (0.95, 0.8),
    "gluon.loss": (0.95, 0.95),
    "gluon.data": (0.95, 0.85),
    "gluon.utils": (0.95, 0.6),
    "optimizer": (0.95, 0.85),
    "metric": (0.85, 0.85),
    "io": (0.95, 0.75),
    "image": (0.95, 0.9),
    "kvstore": (0.75, 0.75),
    "module": (0.95, 0.8),
}  # fmt: skip - module -> least share of public callables with Args, and with an example


def public(module):
    """Name -> function or class of ours."""
    module = importlib.import_module(f"mxnova.{module}")
    names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
    found = {name: getattr(module, name, None) for name in names}
    return {n: v for n, v in found.items() if callable(v) and is_ours(v)}


def is_ours(value):
    return str(getattr(value, "__module__", "")).startswith("mxnova")


def has_arguments(value):
    """Whether the arguments are described, or there are none."""
    try:
        parameters = inspect.signature(value).parameters
    except (TypeError, ValueError):
        parameters = {"?": None}
    return not parameters or "Args:" in (inspect.getdoc(value) or "")


def has_example(value):
    return ">>>" in (inspect.getdoc(value) or "")


@pytest.mark.parametrize("module", MODULES)
def test_enough_is_documented(module):
    members = public(module)
    least = dict(zip((has_arguments, has_example), MODULES[module], strict=True))
    for has, share in least.items():
        without = [name for name, value in members.items() if not has(value)]
        assert len(without) <= (1 - share) * len(members), f"{has.__name__}: {without}"


@pytest.mark.parametrize("package", ["op", "nd", "numpy"])
def test_stored_examples_print_what_they_say(package):
    """Those of functions that are made at run time, and of operators without a public name."""
    report = io.StringIO()
    runner = doctest.DocTestRunner(checker=NumbersChecker(), verbose=False)
    for name, text in _examples(package).items():
        names = {"mx": mx, "np": mx.np}
        test = doctest.DocTestParser().get_doctest(text + "\n", names, name, None, 0)
        runner.run(test, out=report.write)
    assert runner.failures == 0, report.getvalue()
    assert runner.tries > 15


@pytest.mark.parametrize("module", [m for m in MODULES if m not in ("ndarray", "numpy")])
def test_examples_print_what_they_say(module):
    report = io.StringIO()
    runner = doctest.DocTestRunner(checker=NumbersChecker(), verbose=False)
    for name, value in public(module).items():
        names = {"mx": mx, "np": np}
        doc = inspect.getdoc(value) or ""
        test = doctest.DocTestParser().get_doctest(doc, names, name, None, 0)
        runner.run(test, out=report.write)
        mx.npx.reset_np()
        mx.np.set_printoptions(precision=8)
    assert runner.failures == 0, report.getvalue()

# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings: how many there are, and that each prints what it says."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import io

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.examples import _examples
from mxnova.core.op.schema import REGISTRY
from tests.pages.output import NumbersChecker

MODULES = (
    "ndarray",
    "numpy",
    "numpy_extension",
    "gluon",
    "gluon.nn",
    "gluon.rnn",
    "gluon.loss",
    "gluon.data",
    "gluon.utils",
    "optimizer",
    "metric",
    "io",
    "image",
    "kvstore",
    "module",
)
HAS_OPENCV = importlib.util.find_spec("cv2") is not None
LEAST = 0.95  # of the public callables of each module have arguments, and an example


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


@pytest.mark.parametrize("has", [has_arguments, has_example])
@pytest.mark.parametrize("module", MODULES)
def test_enough_is_documented(module, has):
    members = public(module)
    without = [name for name, value in members.items() if not has(value)]
    assert len(without) <= (1 - LEAST) * len(members), without


def test_every_operator_has_an_example():
    assert _examples("op").keys() == {type_.name for type_ in REGISTRY.values()}


def failed(name, text, names):
    """What a session printed otherwise than it says; empty where it lacks OpenCV."""
    report = io.StringIO()
    runner = doctest.DocTestRunner(checker=NumbersChecker(), verbose=False)
    runner.run(doctest.DocTestParser().get_doctest(text, names, name, None, 0), out=report.write)
    said = report.getvalue()
    return "" if not HAS_OPENCV and "images need OpenCV" in said else said


@pytest.mark.parametrize("package", ["op", "nd", "numpy"])
def test_stored_examples_print_what_they_say(package):
    """Those of functions that are made at run time, and of operators without a public name."""
    stored = _examples(package)
    said = [failed(name, text + "\n", {"mx": mx, "np": mx.np}) for name, text in stored.items()]
    assert "".join(said) == ""
    assert len(stored) > 15


@pytest.mark.parametrize("module", MODULES)
def test_examples_print_what_they_say(module):
    names = {"mx": mx, "np": mx.np if module == "numpy" else np}
    said = []
    for name, value in public(module).items():
        said.append(failed(name, inspect.getdoc(value) or "", {**names}))
        mx.npx.reset_np()
        mx.np.set_printoptions(precision=8)
    assert "".join(said) == ""

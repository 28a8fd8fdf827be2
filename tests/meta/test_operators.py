# SPDX-License-Identifier: Apache-2.0
"""The registry as a whole: everything is in it, and documented."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mxnova.core.methods import METHODS
from mxnova.core.op import library
from mxnova.core.op.kernel import FACTS
from mxnova.core.op.schema import REGISTRY

ROOMS = Path(library.__file__).parent
TYPES = {type_.name: type_ for type_ in REGISTRY.values()}
# Variadic operators whose inputs have names, which depend on parameters.
NAMED_INPUTS = {"CTCLoss": ("data_lengths", "label_lengths")}


def arguments(type_):
    """Names of the arrays and parameters that a caller can give."""
    signature = type_.signature
    variadic = () if signature.variadic is None else (signature.variadic,)
    arrays = *signature.inputs, *NAMED_INPUTS.get(type_.name, variadic)
    return {*arrays, *(field.name for field in type_.fields)}


def test_docstrings_describe_what_an_operator_is():
    assert TYPES
    assert [name for name, type_ in TYPES.items() if not type_.doc.strip()] == []


def test_docstrings_describe_each_array_and_parameter():
    gaps = {n: arguments(t) - t.argument_docs.keys() for n, t in TYPES.items()}
    assert {name: gap for name, gap in gaps.items() if gap} == {}


def test_docstrings_describe_nothing_else():
    extras = {n: t.argument_docs.keys() - arguments(t) - {*FACTS} for n, t in TYPES.items()}
    assert {name: extra for name, extra in extras.items() if extra} == {}


def test_methods_are_operators():
    assert [name for name in METHODS if name not in REGISTRY] == []


@pytest.mark.slow
def test_the_library_imports_every_module_of_operators():
    code = "import sys, mxnova.core.op.library; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    files = [path.relative_to(ROOMS).with_suffix("") for path in ROOMS.glob("*/*.py")]
    modules = {".".join(("mxnova.core.op", *file.parts)) for file in files}
    modules.remove("mxnova.core.op.random.exact_loops")  # compiled at the first draw that needs it
    assert {m.removesuffix(".__init__") for m in modules} - set(loaded.stdout.split()) == set()

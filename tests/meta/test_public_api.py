# SPDX-License-Identifier: Apache-2.0
"""Every public name resolves and is documented."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

import mxnova

ROOT = Path(mxnova.__file__).parent
SIDE_EFFECTS = {"mxnova.as_mxnet"}  # importing it changes what `import mxnet` means


def module_names():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name not in SIDE_EFFECTS:
            yield name


def needs_docstring(value):
    return inspect.isroutine(value) or inspect.isclass(value)


@pytest.mark.parametrize("module_name", list(module_names()))
def test_names_resolve_and_are_documented(module_name):
    module = importlib.import_module(module_name)
    names = getattr(module, "__all__", ())
    missing = [name for name in names if not hasattr(module, name)]
    assert missing == []
    assert len(set(names)) == len(names)
    values = {name: getattr(module, name) for name in names}
    assert [n for n, v in values.items() if needs_docstring(v) and not v.__doc__] == []


def public_classes():
    facades = [importlib.import_module(f"mxnova.{name}") for name in ("ndarray", "symbol")]
    found = [getattr(m, name) for m in facades for name in m.__all__]
    found += [getattr(mxnova, name) for name in mxnova._NAMES]
    return sorted({c for c in found if inspect.isclass(c)}, key=lambda c: c.__name__)


def test_methods_are_documented():
    """Also those that are not written in the class: operators, `bind`."""
    classes = public_classes()
    assert {"Context", "Executor", "NDArray", "Predictor", "Symbol"} <= {
        c.__name__ for c in classes
    }
    undocumented = [
        f"{c.__name__}.{name}"
        for c in classes
        for name, member in inspect.getmembers(c)
        if not name.startswith("_")
        and (inspect.isroutine(member) or isinstance(member, property))
        and not inspect.getdoc(member)
    ]
    assert undocumented == []


def test_names_of_the_package_resolve():
    for name in dir(mxnova):
        assert getattr(mxnova, name) is not None or name == "__cached__"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'mxnova' has no attribute 'ndarrray'"):
        mxnova.ndarrray  # noqa: B018

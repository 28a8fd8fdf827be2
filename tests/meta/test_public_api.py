# SPDX-License-Identifier: Apache-2.0
"""Every public name resolves and is documented."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path

import pytest

import mxnova

ROOT = Path(mxnova.__file__).parent
EXTRAS = ("onnx", "onnxruntime", "openvino")  # what some modules cannot be imported without
SIDE_EFFECTS = "mxnova.as_mxnet"  # importing it changes what `import mxnet` means


def module_names():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not f"{name}.".startswith(f"{SIDE_EFFECTS}."):
            yield name


def needs_docstring(value):
    ours = (getattr(value, "__module__", None) or "").startswith("mxnova")
    return ours and (inspect.isroutine(value) or inspect.isclass(value))


@pytest.mark.parametrize("module_name", list(module_names()))
def test_names_resolve_and_are_documented(module_name):
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        pytest.skip(f"{error.name} is not installed")
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


# MXNet's names and signatures ---------------------------------------------------------------------

DATA = Path(__file__).parents[1] / "data" / "api"
MXNET = json.loads((DATA / "signatures.json").read_text())
DEVIATIONS = json.loads((Path(__file__).parent / "api_deviations.json").read_text())
VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL


def problem(wanted, value):
    """What an MXNet call of this signature would not find; None: nothing.

    Arguments may follow MXNet's. A default of ``_Null`` leaves the default to the operator.
    """
    if wanted is None:  # an attribute, or written in C
        return None
    have = inspect.signature(value).parameters
    order = list(have)
    takes_any = any(p.kind is VAR_POSITIONAL for p in have.values())
    for i, (name, *default) in enumerate(wanted):
        if name == "self" or name.startswith("*"):
            continue
        if name not in have:
            return f"{name} is missing"
        if not takes_any and order.index(name) != i and not after_star(wanted, i):
            return f"{name} is number {order.index(name)}, not {i}"
        if default not in ([], ["_Null"]) and not same(default[0], shown(have[name].default)):
            return f"{name}={shown(have[name].default)}, not {default[0]}"
    return None


def same(wanted, given):
    return wanted.strip("'") == given.strip("'")  # an element type, or its name


def after_star(wanted, i):
    return any(name.startswith("*") for name, *_ in wanted[:i])


def shown(value):
    if isinstance(value, type) or " at 0x" in repr(value):
        return getattr(value, "__name__", type(value).__name__)
    return repr(value).replace(str(Path.home()), "~")  # as in signatures.json


def differences(module_name):
    """Dotted name -> what differs from MXNet."""
    importlib.import_module("mxnova.symbol")  # registers loops and branches too
    module = importlib.import_module(f"mxnova.{module_name}")
    found = {}
    for name, wanted in MXNET[module_name].items():
        where = f"{module_name}.{name}"
        value = getattr(module, name, None)
        if value is None:
            found[where] = "missing"
        elif isinstance(wanted, dict):
            found[f"{where}.__init__"] = problem(wanted["init"], value.__init__)
            for member, signature in wanted["members"].items():
                has = hasattr(value, member)
                what = problem(signature, getattr(value, member)) if has else "missing"
                found[f"{where}.{member}"] = what
        else:
            found[where] = problem(wanted, value)
    return {where: what for where, what in found.items() if what}


@pytest.mark.parametrize("module_name", list(MXNET))
def test_names_and_signatures_are_those_of_mxnet(module_name):
    known = {n: w for names in DEVIATIONS.values() for n, w in names.items()}
    expected = {n: w for n, w in known.items() if n.rpartition(".")[0] in owners(module_name)}
    assert differences(module_name) == expected


def owners(module_name):
    return {module_name, *(f"{module_name}.{name}" for name in MXNET[module_name])}

# SPDX-License-Identifier: Apache-2.0
"""One operator at a time, at a small and a large size, beside torch's nearest form."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, indices, uniform
from benchmarks.subject import Case, Options, Skip, Subject
from benchmarks.subjects.operator_table import ROWS, Row

# Random numbers, an order in which equal values may stand either way, pixels rounded to integers.
UNCOMPARED = ("_random", "_sample", "_shuffle", "Dropout", "argsort", "_image_resize")
MOST = 1.2  # times as long as MXNet, for large arrays
# Where MXNet puts operators by the start of their names; elsewhere it is `_internal`.
SUBMODULES = ("contrib", "linalg", "image", "random")


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    made: dict[str, Callable[[], Case]] = {}
    for row in ROWS:
        name = case_name(row)
        make = functools.partial(_torch_case if peer == "torch" else _mx_case, peer, row)
        if row.small:
            made[f"{name}, small"] = functools.partial(make, row.small)
        if row.large and not options.smoke:
            made[f"{name}, large"] = functools.partial(make, row.large)
    return made


def case_name(row: Row) -> str:
    """What the row computes, as a call."""
    return f"{row.operator}({row.parameters})" + " and gradient" * row.gradient


def _mx_case(peer: str, row: Row, shapes: str) -> Case:
    mx = import_mx(peer)
    names = {n: mx.nd.array(a, dtype=a.dtype) for n, a in arrays_of(row, shapes).items()}
    arguments = ", ".join([*names, row.parameters] if row.parameters else names)
    call = f"f({arguments})"
    leaves = [names[n] for n in differentiable(row, shapes)]
    names["f"] = _function(mx.nd, row.operator)
    if not row.gradient:
        return _case(row, call, names, mx.nd.waitall)
    for leaf in leaves:
        leaf.attach_grad()
    names["record"], names["first"] = mx.autograd.record, _first
    statement = f"with record():\n    y = first({call})\ny.backward()"
    return Case(
        statement, names, mx.nd.waitall, lambda: _gradient_after(statement, names, leaves[0])
    )


def _torch_case(peer: str, row: Row, shapes: str) -> Case:
    import torch

    if not row.torch:
        raise Skip("torch has no such operator")
    names: dict[str, Any] = {n: torch.from_numpy(a) for n, a in arrays_of(row, shapes).items()}
    leaves = [names[n] for n in differentiable(row, shapes)]
    names.update(torch=torch, F=torch.nn.functional)
    if not row.gradient:
        return _case(row, row.torch, names, None)
    for leaf in leaves:
        leaf.requires_grad_()
    names.update(leaves=leaves, head=torch.ones_like(eval(row.torch, names)))
    return _case(row, f"torch.autograd.grad({row.torch}, leaves, head)", names, None)


def _case(
    row: Row, statement: str, names: dict[str, Any], finish: Callable[[], Any] | None
) -> Case:
    if row.operator.startswith(UNCOMPARED):
        eval(statement, names)  # refusals show here
        return Case(statement, names, finish)
    return Case(statement, names, finish, output=lambda: [_flat(eval(statement, names))])


def _gradient_after(statement: str, names: dict[str, Any], leaf: Any) -> list[np.ndarray]:
    exec(statement, names)
    return [_flat(leaf.grad)]


def _function(nd: Any, operator: str) -> Callable[..., Any]:
    if not operator.startswith("_"):
        return getattr(nd, operator)
    _, submodule, *rest = operator.split("_", 2)
    if submodule in SUBMODULES and hasattr(nd, submodule):
        return getattr(getattr(nd, submodule), *rest)
    return getattr(nd._internal, operator)


def arrays_of(row: Row, shapes: str) -> dict[str, np.ndarray]:
    """The inputs a, b, ….

    ``8x3`` is an array from 0.1 to 0.9, ``8<5`` holds integers below 5, ``8x5!9`` ends in boxes:
    the last four numbers of a row are left, top, right and bottom, from 0 to 9.
    """
    return {n: _array(n, text, row.index_type) for n, text in _named(shapes)}


def differentiable(row: Row, shapes: str) -> list[str]:
    """Names of the inputs that have a gradient in a row that computes them."""
    return [n for n, text in _named(shapes) if text.replace("x", "").isdigit()]


def _named(shapes: str) -> list[tuple[str, str]]:
    return list(zip("abcdefghi", shapes.split()))  # noqa: B905 - strict= needs Python 3.10


def _array(name: str, text: str, index_type: str) -> np.ndarray:
    sizes, kind, end = re.fullmatch(r"([0-9x]+)([<!]?)(\d*)", text).groups()
    shape = tuple(int(size) for size in sizes.split("x"))
    if kind == "<":
        return indices(name, shape, int(end)).astype(index_type)
    array = uniform(name, shape, 0.1, 0.9)
    if kind == "!":
        corners = uniform(name, (*shape[:-1], 2, 2), 0.0, float(end))
        array[..., -4:] = np.sort(corners, -2).reshape(*shape[:-1], 4)
    return array


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, (list, tuple)) else result


def _flat(result: Any) -> np.ndarray:
    array = _first(result)
    values = array.asnumpy() if hasattr(array, "asnumpy") else array.numpy()
    return values.reshape(-1)


SUBJECT = Subject(
    "Operators",
    ("mxnova", "torch", "mxnet"),
    cases,
    rounds=5,
    turn=0.03,
    targets={(f"{case_name(row)}, large", "mxnet"): MOST for row in ROWS},
)

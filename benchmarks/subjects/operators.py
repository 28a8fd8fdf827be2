# SPDX-License-Identifier: Apache-2.0
"""One operator at a time, at a small and a large size, beside torch's nearest form."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, indices, uniform
from benchmarks.subject import Case, Options, Skip, Subject
from benchmarks.subjects.operator_table import ROWS, Row

# Random numbers, and an order in which equal values may stand either way.
UNCOMPARED = ("_random", "_shuffle", "Dropout", "argsort")
# Where MXNet puts operators by the start of their names; elsewhere it is `_internal`.
SUBMODULES = ("contrib", "linalg", "image", "random")


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    made: dict[str, Callable[[], Case]] = {}
    for row in ROWS:
        name = f"{row.operator}({row.parameters})"
        make = functools.partial(_torch_case if peer == "torch" else _mx_case, peer, row)
        made[f"{name}, small"] = functools.partial(make, row.small)
        if not options.smoke:
            made[f"{name}, large"] = functools.partial(make, row.large)
    return made


def _mx_case(peer: str, row: Row, shapes: str) -> Case:
    nd = import_mx(peer).nd
    names = {n: nd.array(a, dtype=a.dtype) for n, a in arrays_of(row, shapes).items()}
    arguments = ", ".join([*names, row.parameters]) if row.parameters else ", ".join(names)
    names["f"] = _function(nd, row.operator)
    return _case(row, f"f({arguments})", names, nd.waitall)


def _torch_case(peer: str, row: Row, shapes: str) -> Case:
    import torch

    if not row.torch:
        raise Skip("torch has no such operator")
    names: dict[str, Any] = {n: torch.from_numpy(a) for n, a in arrays_of(row, shapes).items()}
    names.update(torch=torch, F=torch.nn.functional)
    return _case(row, row.torch, names, None)


def _case(
    row: Row, statement: str, names: dict[str, Any], finish: Callable[[], Any] | None
) -> Case:
    if row.operator.startswith(UNCOMPARED):
        eval(statement, names)  # refusals show here
        return Case(statement, names, finish)
    return Case(statement, names, finish, output=lambda: [_first(eval(statement, names))])


def _function(nd: Any, operator: str) -> Callable[..., Any]:
    if not operator.startswith("_"):
        return getattr(nd, operator)
    _, submodule, *rest = operator.split("_", 2)
    if submodule in SUBMODULES and hasattr(nd, submodule):
        return getattr(getattr(nd, submodule), *rest)
    return getattr(nd._internal, operator)


def arrays_of(row: Row, shapes: str) -> dict[str, np.ndarray]:
    """The inputs a, b, …: ``8x3`` is an array from 0.1 to 0.9, ``8<5`` holds integers below 5."""
    arrays = {}
    for letter, text in zip("abcdef", shapes.split()):  # noqa: B905 - strict= needs Python 3.10
        sizes, _, end = text.partition("<")
        shape = tuple(int(size) for size in sizes.split("x"))
        if end:
            arrays[letter] = indices(letter, shape, int(end)).astype(row.index_type)
        else:
            arrays[letter] = uniform(letter, shape, 0.1, 0.9)
    return arrays


def _first(result: Any) -> np.ndarray:
    array = result[0] if isinstance(result, (list, tuple)) else result
    values = array.asnumpy() if hasattr(array, "asnumpy") else array.numpy()
    return values.reshape(-1)


SUBJECT = Subject("Operators", ("mxnova", "torch", "mxnet"), cases, rounds=5, turn=0.03)

# SPDX-License-Identifier: Apache-2.0
"""What a call costs: operators on 10×10 float32, where arithmetic is nearly free."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.subject import Case, Options, Subject

CALLS = 20_000
# case: (MXNet's form, torch's form)
STATEMENTS = {
    "a + b": ("a + b", "a + b"),
    "a * 2": ("a * 2", "a * 2"),
    "a[1:3]": ("a[1:3]", "a[1:3]"),
    "relu(a)": ("nd.relu(a)", "torch.relu(a)"),
    "FullyConnected": (
        "nd.FullyConnected(a, b, c, num_hidden=10)",
        "torch.nn.functional.linear(a, b, c)",
    ),
    "sum(a)": ("nd.sum(a)", "torch.sum(a)"),
    "sum(a, axis=1)": ("nd.sum(a, axis=1)", "torch.sum(a, dim=1)"),
    "a.reshape((5, 20))": ("a.reshape((5, 20))", "a.reshape((5, 20))"),
    "zeros((10, 10))": ("nd.zeros((10, 10))", "torch.zeros((10, 10))"),
    "a += b": ("a += b", "a += b"),
}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    arrays = {
        n: normal(n, shape) for n, shape in {"a": (10, 10), "b": (10, 10), "c": (10,)}.items()
    }
    number = 100 if options.smoke else CALLS
    if peer == "torch":
        import torch

        names: dict[str, Any] = {n: torch.from_numpy(a) for n, a in arrays.items()}
        names["torch"], finish, form = torch, None, 1
    else:
        nd = import_mx(peer).nd
        names = {n: nd.array(a) for n, a in arrays.items()}
        names["nd"], finish, form = nd, nd.waitall, 0
    return {
        case: functools.partial(_case, forms[form], names, finish, number)
        for case, forms in STATEMENTS.items()
    }


def _case(
    statement: str, names: dict[str, Any], finish: Callable[[], Any] | None, number: int
) -> Case:
    return Case(
        # A name that the statement assigns to is a local one of the timed function.
        "x = a; x += b" if statement == "a += b" else statement,
        names,
        finish,
        output=lambda: [_to_numpy(eval(statement.replace("+=", "+"), names))],
        number=number,
    )


def _to_numpy(array: Any) -> np.ndarray:
    values = array.asnumpy() if hasattr(array, "asnumpy") else array.numpy()
    return values.reshape(-1)  # MXNet's full reductions have the shape (1,)


SUBJECT = Subject(
    "One call on 10x10 float32",
    ("mxnova", "torch", "mxnet"),
    cases,
    targets={("a + b", "torch"): 4.0, ("a + b", "mxnet"): 0.4},
)

# SPDX-License-Identifier: Apache-2.0
"""What a call costs: operators on 10×10 float32, where arithmetic is free, and on 1000×1000."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.subject import Case, Options, Subject

CALLS, LARGE_CALLS = 20_000, 100
# case: (MXNet's form, torch's form); None: it has none
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
    "adam_update": ("nd.adam_update(w, b, m, v, lr=0.001, out=w)", None),
    "adam_update, new lr": ("nd.adam_update(w, b, m, v, lr=next(rates), out=w)", None),
}
LARGE = {
    "A + B": ("A + B", "A + B"),
    "A * 2": ("A * 2", "A * 2"),
    "A > B": ("A > B", "(A > B).float()"),
    "relu(A)": ("nd.relu(A)", "torch.relu(A)"),
    "exp(A)": ("nd.exp(A)", "torch.exp(A)"),
    "sum(A)": ("nd.sum(A)", "torch.sum(A)"),
    "sum(A, axis=1)": ("nd.sum(A, axis=1)", "torch.sum(A, dim=1)"),
    "transpose(A)": ("nd.transpose(A)", "A.t().contiguous()"),
}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    large = (4, 4) if options.smoke else (1000, 1000)
    small = dict.fromkeys("abwmv", (10, 10))
    shapes = {**small, "c": (10,), "A": large, "B": large}
    arrays = {n: normal(n, shape) for n, shape in shapes.items()}
    arrays["v"] = np.abs(arrays["v"])
    if peer == "torch":
        import torch

        names: dict[str, Any] = {n: torch.from_numpy(a) for n, a in arrays.items()}
        names["torch"], finish, form = torch, None, 1
    else:
        mx = import_mx(peer)
        nd = mx.nd
        names = {n: nd.array(a) for n, a in arrays.items()}
        names["rates"] = itertools.count(0.001, 1e-9)
        names["nd"], finish, form = nd, nd.waitall, 0
        if peer == "mxnova":  # what calls cost once the engine has been at work
            mx.engine.push(lambda: None, name="at work")
            nd.waitall()
    numbers = (100, 100) if options.smoke else (CALLS, LARGE_CALLS)
    return {
        case: functools.partial(_case, forms[form], names, finish, number)
        for statements, number in zip((STATEMENTS, LARGE), numbers, strict=True)
        for case, forms in statements.items()
        if forms[form] is not None
    }


def _case(
    statement: str, names: dict[str, Any], finish: Callable[[], Any] | None, number: int
) -> Case:
    return Case(
        # A name that the statement assigns to is a local one of the timed function.
        "x = a; x += b" if statement == "a += b" else statement,
        names,
        finish,
        # What an update gives depends on how often it has run.
        output=None
        if "out=" in statement
        else lambda: [_to_numpy(eval(statement.replace("+=", "+"), names))],
        number=number,
    )


def _to_numpy(array: Any) -> np.ndarray:
    values = array.asnumpy() if hasattr(array, "asnumpy") else array.numpy()
    return values.reshape(-1)  # MXNet's full reductions have the shape (1,)


SUBJECT = Subject(
    "One call on 10x10 (a, b) and on 1000x1000 (A, B) float32",
    ("mxnova", "torch", "mxnet", "mxnova-unpushed"),
    cases,
    targets={
        **{(case, "torch"): 3.0 for case in ("a[1:3]", "FullyConnected")},
        **{(case, "torch"): 1.1 for case in LARGE},
        ("a + b", "torch"): 1.5,
        ("a + b", "mxnet"): 0.4,
        ("a + b", "mxnova-unpushed"): 1.05,
    },
)

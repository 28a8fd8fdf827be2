# SPDX-License-Identifier: Apache-2.0
"""What a call costs on a GPU: operators on 16x16 float32, where arithmetic is free, one by one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks import gpu
from benchmarks.inputs import import_mx, normal
from benchmarks.subject import Case, Options, Subject

CALLS, CHAIN = 5_000, 100
# case: (mxnova's form, torch's form)
STATEMENTS = {
    "a + b": ("a + b", "a + b"),
    "a * 2": ("a * 2", "a * 2"),
    "relu(a)": ("nd.relu(a)", "torch.relu(a)"),
    "dot(a, b)": ("nd.dot(a, b)", "a @ b"),
    "softmax(a)": ("nd.softmax(a)", "torch.softmax(a, 1)"),
    "sum(a)": ("nd.sum(a)", "torch.sum(a)"),
    "a[1:3]": ("a[1:3]", "a[1:3]"),
    "zeros((16, 16))": ("nd.zeros((16, 16), ctx=place)", "torch.zeros((16, 16), device=place)"),
    "values of a in NumPy": ("a.asnumpy()", "a.cpu().numpy()"),
}
CHAINED = f"{CHAIN} sums in a chain"
STEP = "recorded step: (a * b + b).sum()"


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    gpu.started()
    made = functools.cache(lambda: _names(peer, gpu.device_for(options)))
    number = 10 if options.smoke else CALLS

    def of_statement(statement: str) -> Case:
        names = made()
        return Case(statement, names, names["wait"], number=number)

    def of_function(name: str, items: int) -> Case:
        names = made()
        return Case(names[name], finish=names["wait"], number=number // 10, items=items)

    return {
        **{
            case: functools.partial(of_statement, forms[peer == "torch"])
            for case, forms in STATEMENTS.items()
        },
        CHAINED: lambda: of_function("chain", CHAIN),
        STEP: lambda: of_function("step", 1),
    }


def _names(peer: str, device: str) -> dict[str, Any]:
    arrays = {name: normal(name, (16, 16)) for name in "ab"}
    made = _torch_names if peer == "torch" else functools.partial(_mx_names, import_mx(peer))
    return {**made(arrays, device), "wait": gpu.waiter(device)}


def _mx_names(mx: Any, arrays: dict[str, Any], device: str) -> dict[str, Any]:
    place = gpu.context_on(mx, device)
    a, b = (mx.nd.array(v, ctx=place) for v in arrays.values())
    weight = a.copy()
    weight.attach_grad()

    def step() -> None:
        with mx.autograd.record():
            result = (weight * b + b).sum()
        result.backward()

    return {"a": a, "b": b, "nd": mx.nd, "place": place, "step": step, "chain": _chain(a, b)}


def _torch_names(arrays: dict[str, Any], device: str) -> dict[str, Any]:
    import torch

    a, b = (torch.from_numpy(v).to(device) for v in arrays.values())
    weight = a.clone().requires_grad_()

    def step() -> None:
        weight.grad = None
        (weight * b + b).sum().backward()

    return {"a": a, "b": b, "torch": torch, "place": device, "step": step, "chain": _chain(a, b)}


def _chain(a: Any, b: Any) -> Callable[[], None]:
    def run() -> None:
        x = a
        for _ in range(CHAIN):
            x = x + b

    return run


SUBJECT = Subject("One call on a GPU, 16x16 float32", ("mxnova", "torch"), cases, rounds=6)

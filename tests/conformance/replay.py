# SPDX-License-Identifier: Apache-2.0
"""Replays what MXNet 1.9.1 gave, recorded in tests/data/golden."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx

from ..on_gpu import rounding

GOLDEN = Path(__file__).parent.parent / "data" / "golden"


@cache
def cases(name: str) -> dict[str, Any]:
    """The cases of one recorded file, by id; without those in which MXNet contradicts itself."""
    return {i: c for i, c in _recorded(name).items() if not c.get("quirk")}


def quirks(name: str) -> dict[str, Any]:
    """The cases of one recorded file in which MXNet contradicts itself, by id."""
    return {i: c for i, c in _recorded(name).items() if c.get("quirk")}


@cache
def _recorded(name: str) -> dict[str, Any]:
    content = json.loads((GOLDEN / f"{name}.json").read_text())
    return {c["id"]: c for c in content["cases"]}


@cache
def arrays(name: str) -> dict[str, np.ndarray]:
    """The arrays of one recorded family, by key."""
    with np.load(GOLDEN / f"{name}.npz") as archive:
        return dict(archive)


def assert_close(got: np.ndarray, want: np.ndarray, case: dict[str, Any], what: str) -> None:
    assert (got.shape, got.dtype) == (want.shape, want.dtype), what
    if got.dtype.kind != "f":
        slack = case.get("int_atol", 0)
        if got.dtype == np.bool_ or not slack:
            np.testing.assert_array_equal(got, want, err_msg=what)
        else:
            assert np.abs(got.astype("i8") - want.astype("i8")).max() <= slack, what
        return
    factor = rounding() if case.get("op") == "RNN" else 1
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            got.astype("f8"),
            want.astype("f8"),
            rtol=case["rtol"] * factor,
            atol=case["atol"] * factor,
            equal_nan=True,
            err_msg=what,
        )


def ndarray(values: np.ndarray, stype: str = "default") -> mx.nd.NDArray:
    """An array of these values; scalars and empty ones as they are under NumPy semantics."""
    if values.size and values.ndim:
        return mx.nd.array(values, dtype=values.dtype).tostype(stype)
    made = mx.nd.zeros(values.shape, dtype=values.dtype)
    if values.size:
        made[:] = values.item()
    return made


class Replay:
    """One operator case, bound and run as it was recorded."""

    def __init__(self, case: dict[str, Any], values: dict[str, np.ndarray]) -> None:
        self.case, self.values = case, values
        self.symbol = mx.sym.load_json(case["symbol_json"])
        self.stypes = case.get("stypes", {})
        self.args = {n: self._array(n) for n in self.symbol.list_arguments()}
        self.aux = {n: self._array(n) for n in self.symbol.list_auxiliary_states()}
        self.grads = self._gradients() if self.has_gradients else {}

    @property
    def has_gradients(self) -> bool:
        return self.case.get("arg_grads") is not None

    def _array(self, name: str) -> mx.nd.NDArray:
        key = {**self.case["args"], **self.case.get("aux", {})}[name]
        return ndarray(self.values[key], self.stypes.get(name, "default"))

    def _gradients(self) -> dict[str, mx.nd.NDArray]:
        start = self.case.get("grad_init", {})
        grads = {}
        for name, request in self.case["grad_req"].items():
            if request != "null":
                like = self.args[name]
                key = start.get(name)
                filled = self.values[key] if key else np.zeros(like.shape, like.dtype)
                grads[name] = ndarray(filled, self.stypes.get(f"grad:{name}", "default"))
        return grads

    def run(self) -> None:
        """Runs the case and compares everything with what was recorded."""
        outputs = self.execute()
        case = self.case
        if case.get("random"):
            assert [list(o.shape) for o in outputs] == case["output_shapes"]
            assert [np.dtype(o.dtype).name for o in outputs] == case["output_dtypes"]
        else:
            self._compare(outputs)

    def execute(self) -> list[mx.nd.NDArray]:
        """Runs the case, backwards too; its outputs."""
        case = self.case
        requests = case["grad_req"] if self.has_gradients else "null"
        executor = self.symbol.bind(
            mx.cpu(), self.args, self.grads or None, requests, aux_states=self.aux
        )
        outputs = executor.forward(is_train=case["is_train"])
        if self.has_gradients and not case.get("random"):
            heads = case["head_grads"]
            executor.backward(None if heads is None else [ndarray(self.values[k]) for k in heads])
        return outputs

    def _compare(self, outputs: list[mx.nd.NDArray]) -> None:
        case = self.case
        assert len(outputs) == len(case["outputs"])
        pairs = [(f"output {i}", o, k) for i, (o, k) in enumerate(zip(outputs, case["outputs"]))]
        if self.has_gradients:
            pairs += [(f"gradient of {n}", self.grads[n], k) for n, k in case["arg_grads"].items()]
        pairs += [(f"{n} afterwards", self.aux[n], k) for n, k in case.get("aux_after", {}).items()]
        pairs += [
            (f"{n} afterwards", self.args[n], k) for n, k in case.get("args_after", {}).items()
        ]
        for what, got, key in pairs:
            assert_close(got.asnumpy(), self.values[key], case, what)


class EagerReplay:
    """One operator case, invoked on arrays as it was recorded."""

    def __init__(self, case: dict[str, Any], values: dict[str, np.ndarray]) -> None:
        self.case, self.values = case, values
        nodes = json.loads(case["symbol_json"])["nodes"]
        self.node = next(n for n in nodes if n["op"] != "null")
        stypes = case.get("stypes", {})
        self.arrays = {
            n: ndarray(values[k], stypes.get(n, "default")) for n, k in case["args"].items()
        }

    def run(self) -> None:
        case, arrays = self.case, list(self.arrays.values())
        with_gradients = case.get("arg_grads") is not None
        for name, array in self.arrays.items():
            if with_gradients and case["grad_req"][name] != "null":
                array.attach_grad()
        mode = mx.autograd.record if with_gradients else mx.autograd.pause
        out = [self.arrays[n] for n in case["inplace"]] if case.get("inplace") else None
        with mode(train_mode=case["is_train"]):
            result = mx.nd.invoke(self.node["op"], arrays, self.node.get("attrs", {}), out)
        outputs = result if isinstance(result, list) else [result]
        assert len(outputs) == len(case["outputs"])
        pairs = [(f"output {i}", o, k) for i, (o, k) in enumerate(zip(outputs, case["outputs"]))]
        if with_gradients:
            heads = [ndarray(self.values[k]) for k in case["head_grads"]]
            mx.autograd.backward(outputs, heads)
            gradients = case["arg_grads"].items()
            pairs += [(f"gradient of {n}", self.arrays[n].grad, k) for n, k in gradients]
        pairs += [
            (f"{n} afterwards", self.arrays[n], k) for n, k in case.get("args_after", {}).items()
        ]
        for what, got, key in pairs:
            assert_close(got.asnumpy(), self.values[key], case, what)

# SPDX-License-Identifier: Apache-2.0
"""Runs programs and tells what each of their steps gave; needs no more than MXNet or mxnova.

    python runner.py MODULE < programs > results

Standard input has per line the JSON of a list of steps and the seed of a perturbation or null, standard
output one JSON list of results. A program is a list of steps: an expression, whose value is the
result, or statements. Names live as long as the program; a step that fails gives the classes of
its exception.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as onp

ADDRESS = re.compile(r"0x[0-9a-f]+")


def data(
    shape: Any, dtype: str = "float32", seed: int = 0, low: float = -2, high: float = 2
) -> Any:
    """Numbers that every NumPy draws alike; real numbers are multiples of 1/8, few are equal."""
    drawn = onp.random.RandomState(seed).uniform(low, high, shape)
    if dtype == "bool":
        return onp.asarray(drawn > (low + high) / 2)
    return onp.asarray(onp.round(drawn * 8) / 8 if "float" in dtype else onp.round(drawn), dtype)


def perturbed(numbers: Any, seed: int, eps: float) -> Any:
    """Real numbers moved by up to `eps` of their size; those of equal size stay so."""
    if numbers.dtype.kind != "f":
        return numbers
    share = eps * onp.sin(1e4 * seed + 1e3 * onp.abs(numbers.astype("float64")))
    return onp.asarray(numbers * (1 + share), numbers.dtype)


def told(value: Any) -> Any:
    """A value as JSON."""
    if hasattr(value, "asnumpy"):
        return [
            "NDArray",
            type(value).__name__,
            getattr(value, "stype", ""),
            *told(value.asnumpy()),
        ]
    if isinstance(value, onp.generic):  # a class that depends on the version of NumPy
        return value.item()
    if isinstance(value, onp.ndarray):
        array = value
        numbers = array.astype("float64") if array.dtype.kind == "f" else array
        return ["array", str(array.dtype), list(array.shape), numbers.ravel().tolist()]
    if isinstance(value, dict):
        return ["dict", sorted([str(k), told(v)] for k, v in value.items())]
    if isinstance(value, list | tuple):
        return ["list", [told(v) for v in value]]
    if isinstance(value, type):
        return ["type", value.__name__]
    if value is None or isinstance(value, bool | int | float | str):
        return value if not isinstance(value, str) else ADDRESS.sub("0x", value)
    return ["object", type(value).__name__]


def _step(text: str, names: dict[str, Any], wait: Any) -> Any:
    names["autograd"].set_recording(False)  # MXNet leaves it on where loops fail
    names["autograd"].set_training(False)
    try:
        try:
            code = compile(text, "<step>", "eval")
        except SyntaxError:
            exec(text, names)
            wait()
            return ["done"]
        value = eval(code, names)
        wait()
        return ["value", told(value)]
    except Exception as error:  # noqa: BLE001 - that it fails, and how, is the result
        classes = [c.__name__ for c in type(error).__mro__[:-3]] or [type(error).__name__]
        return ["error", classes, str(error).strip().split("\n")[-1][:300]]


@contextlib.contextmanager
def _alone(mx: Any) -> Iterator[None]:
    """State that programs change is as it was."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, mx.name.NameManager():
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            mx.npx.reset_np()


def run(steps: list[str], mx: Any, seed: int | None = None) -> list[Any]:
    """What the steps of a program give, run on the module `mx`.

    Args:
        steps: of the program.
        mx: the module.
        seed: of a perturbation: real numbers are moved by two units in the last place of the shortest type.
    """
    names = {"mx": mx, "onp": onp, "data": data}
    if seed is not None:
        eps = 2.0**-10 if any("float16" in s for s in steps) else 2.0**-22
        names["data"] = lambda *args, **options: perturbed(data(*args, **options), seed, eps)
    for name in ("nd", "sym", "np", "npx", "gluon", "autograd"):
        names[name] = getattr(mx, name)
    with _alone(mx), warnings.catch_warnings(), onp.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [_step(text, names, mx.nd.waitall) for text in steps]


def main() -> None:
    """Answers the programs of standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is no answer
    mx = importlib.import_module(sys.argv[1])
    for line in sys.stdin:
        steps, seed = json.loads(line)
        print(json.dumps(run(steps, mx, seed)), file=answers, flush=True)


if __name__ == "__main__":
    main()

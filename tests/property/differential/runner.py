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


BFLOAT16 = onp.dtype([("bfloat16", onp.uint16)])
# Numbers at the edges of a type: largest, smallest normal, and smallest subnormal exponents.
_EXPONENTS = {
    "bfloat16": (127, -100, -120),  # MXNet has no subnormal numbers of bfloat16.
    "float16": (15, -14, -24),
    "float32": (127, -126, -149),
    "float64": (1023, -1022, -1074),
}


def edges(shape: Any, dtype: str, seed: int, palette: str) -> Any:
    """Return numbers of which many are not finite, near the largest, or subnormal."""
    largest, normal, subnormal = _EXPONENTS[dtype]
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -3.0]
    if palette == "nonfinite":
        numbers += [onp.nan, onp.inf, -onp.inf]
    elif palette == "large":
        large = 2.0**largest
        numbers += [
            large,
            -large * 1.5,
            large / 4,
            2.0 ** (largest // 2),
            -(2.0 ** (largest // 2 + 2)),
        ]
    else:
        tiny = 2.0**normal
        numbers = [0.0, -0.0, tiny, -tiny * 1.5, tiny / 8, -tiny / 32, 2.0 ** (subnormal + 2)]
    drawn = onp.random.RandomState(seed).randint(0, len(numbers), shape)
    return onp.asarray(onp.array(numbers)[drawn], "float32" if dtype == "bfloat16" else dtype)


def perturbed(numbers: Any, seed: int, eps: float) -> Any:
    """Real numbers moved by up to `eps` of their size; those of equal size stay so."""
    if numbers.dtype.kind != "f":
        return numbers
    share = eps * onp.sin(1e4 * seed + 1e3 * onp.abs(numbers.astype("float64")))
    return onp.asarray(numbers * (1 + share), numbers.dtype)


def _perturbing(function: Any, seed: int, eps: float) -> Any:
    """Return the function with perturbed results."""
    return lambda *args, **options: perturbed(function(*args, **options), seed, eps)


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
    if isinstance(value, onp.ndarray) and value.dtype == BFLOAT16:
        bits = value.view(onp.uint16).astype(onp.uint32) << 16
        numbers = bits.view(onp.float32).reshape(value.shape).astype("float64")
        return ["array", "bfloat16", list(value.shape), numbers.ravel().tolist()]
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
    names = {"mx": mx, "onp": onp, "data": data, "edges": edges, "bfloat16": BFLOAT16}
    if seed is not None:
        types = " ".join(steps)
        eps = 2.0**-7 if "bfloat16" in types else 2.0**-10 if "float16" in types else 2.0**-22
        for name in ("data", "edges"):
            names[name] = _perturbing(names[name], seed, eps)
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

# SPDX-License-Identifier: Apache-2.0
"""Programs that run one operator, forward and backward, on NaN, infinities and extreme numbers.

The calls are those that MXNet was recorded with. Only real numbers are replaced: integers, also
those in arrays of real numbers, may be indices, whose extremes MXNet reads memory with.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import numpy as np

from tests.conformance.replay import GOLDEN, arrays

__all__ = ["REGIMES", "calls", "extremes", "steps_of"]

# Numbers that replace some of an array, and the share of its elements that they replace.
REGIMES = {
    "nan": ((float("nan"),), 0.15),
    "infinite": ((float("inf"), float("-inf")), 0.15),
    "large": ((1e30, -1e30, 3e20, -3e20, 1e19), 0.4),
    "tiny": ((1e-30, -1e-30, 1e-40, -1e-40, 1e-20), 0.6),
    "zero": ((0.0, -0.0), 0.5),
}
_FLOAT16 = {
    "large": ((60000.0, -60000.0, 300.0, -300.0), 0.4),
    "tiny": ((1e-3, -1e-3, 1e-6, -1e-6, 6e-8), 0.6),
}
_MOST = 300  # elements in an array of a program
_OPERATORS_WITHOUT = {"_foreach", "_while_loop", "_cond", "Custom"}


@cache
def calls() -> dict[str, list[tuple[dict[str, Any], dict[str, np.ndarray]]]]:
    """Return the recorded calls of each operator: the case and its arrays by name."""
    found: dict[str, list[tuple[dict[str, Any], dict[str, np.ndarray]]]] = {}
    for path in sorted((GOLDEN / "ops").glob("*.json")):
        values = arrays(f"ops/{path.stem}")
        for case in json.loads(path.read_text())["cases"]:
            operators = [n for n in json.loads(case["symbol_json"])["nodes"] if n["op"] != "null"]
            given = {n: values[k] for n, k in {**case["args"], **(case.get("aux") or {})}.items()}
            if (
                len(operators) == 1
                and operators[0]["op"] not in _OPERATORS_WITHOUT
                and case["mode"] == "symbol"
                and not case.get("random")
                and not any(s != "default" for s in case.get("stypes", {}).values())
                and all(a.size <= _MOST for a in given.values())
                and any(_is_real(a) for a in given.values())
            ):
                found.setdefault(operators[0]["op"], []).append((case, given))
    return found


def _is_real(array: np.ndarray) -> bool:
    return array.dtype.kind == "f" and bool(np.any(array != np.round(array)))


def extremes(rng: Random) -> list[str]:
    """Return a program of one recorded call with some of its numbers replaced."""
    name = rng.choice(sorted(calls()))
    call = rng.choice(calls()[name])
    return steps_of(call, rng.choice(sorted(REGIMES)), rng.choice(("float32", "float16")), rng)


def steps_of(
    call: tuple[dict[str, Any], dict[str, np.ndarray]], regime: str, dtype: str, rng: Random
) -> list[str]:
    """Return the steps that run a recorded call with numbers of a regime.

    Args:
        call: the case and its arrays by name.
        regime: a key of REGIMES.
        dtype: the data type that replaces float32.
        rng: chooses the elements.
    """
    case, given = call
    graph = json.loads(case["symbol_json"])
    symbol = json.dumps({k: graph[k] for k in ("nodes", "arg_nodes", "heads")})
    texts = {n: _array(a, regime, dtype, rng) for n, a in given.items()}
    requests = case["grad_req"] if case.get("arg_grads") is not None else {}
    wanted = [n for n, r in requests.items() if r != "null" and n in case["args"]]
    steps = [
        "from numpy import inf, nan",
        f"mx.util.set_np_shape({case['np_shape']})",
        f"s = mx.sym.load_json({symbol!r})",
        f"a = {{{', '.join(f'{n!r}: {texts[n]}' for n in case['args'])}}}",
        f"x = {{{', '.join(f'{n!r}: {texts[n]}' for n in case.get('aux') or {})}}}",
        f"g = {{n: nd.zeros(a[n].shape, dtype=a[n].dtype) for n in {wanted!r}}}",
        "e = s.bind(mx.cpu(), a, g, 'write' if g else 'null', x)",
        f"e.forward(is_train={case['is_train']})",
    ]
    if wanted:
        heads = "[nd.ones(o.shape, dtype=o.dtype) for o in e.outputs]"
        steps += [f"e.backward({heads})", f"[g[n] for n in {wanted!r}]"]
    # MXNet moves statistics in backward passes.
    return [*steps, "[e.arg_dict, e.aux_dict]"]


def _array(array: np.ndarray, regime: str, dtype: str, rng: Random) -> str:
    """Return the source text of an NDArray with some of its real numbers replaced."""
    kind = dtype if array.dtype == "float32" else array.dtype.name
    numbers = array.ravel().tolist()
    if _is_real(array):
        values, share = (_FLOAT16 if kind == "float16" else {}).get(regime, REGIMES[regime])
        numbers = [rng.choice(values) if rng.random() < share else x for x in numbers]
    if array.dtype.kind == "f":
        numbers = [float(f"{x:.6g}") for x in numbers]
    return f"nd.array(onp.array({numbers}, {kind!r}).reshape({array.shape}), dtype={kind!r})"

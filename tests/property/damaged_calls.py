# SPDX-License-Identifier: Apache-2.0
"""Calls that MXNet was recorded with, with some of their numbers, parameters or shapes replaced.

What is left as it was takes a call past the first checks: a region of NaN in an image that exists.
"""

from __future__ import annotations

import json
import random
from functools import cache

import numpy as np

from mxnova.core.op.schema import REGISTRY
from tests.conformance.replay import GOLDEN, arrays

from .operator_calls import MODES, SKIPPED, VALUES, Call, text_of

__all__ = ["damaged"]

_VALUES = [*VALUES, -0.5, 0.3, 1.0, 7.0, 1e6, 1e9, -(2.0**31), 2.0**31]


@cache
def _recorded() -> dict[str, list[tuple[dict[str, str], list[np.ndarray]]]]:
    """The recorded calls of each operator: parameters and arrays."""
    found: dict[str, list[tuple[dict[str, str], list[np.ndarray]]]] = {}
    for path in sorted((GOLDEN / "ops").glob("*.json")):
        values = arrays(f"ops/{path.stem}")
        for case in json.loads(path.read_text())["cases"]:
            nodes = json.loads(case["symbol_json"])["nodes"]
            own = [n for n in nodes if n["op"] != "null"]
            keys = {**case["args"], **(case.get("aux") or {})}
            if len(own) == 1 and own[0]["op"] in REGISTRY:
                given = [values[keys[nodes[i]["name"]]] for i, *_ in own[0]["inputs"]]
                name = REGISTRY[own[0]["op"]].name
                found.setdefault(name, []).append((own[0].get("attrs", {}), given))
    return {name: calls for name, calls in found.items() if name not in SKIPPED}


def damaged(number: int) -> Call:
    """Damaged call number `number`; every recorded operator comes by turns."""
    rng, names = random.Random(number), sorted(_recorded())
    name = names[number % len(names)]
    attrs, given = rng.choice(_recorded()[name])
    attrs, given, type_ = dict(attrs), list(given), REGISTRY[name]
    kind = rng.choice(("numbers", "numbers", "numbers", "parameter", "shape"))
    if kind == "parameter" and type_.fields:
        parameter = rng.choice(list(type_.fields))
        attrs[parameter.name] = text_of(rng, parameter.kind, hostile=True)
    elif given and kind == "shape":
        place = rng.randrange(len(given))
        given[place] = _reshaped(rng, given[place])
    else:
        share = rng.choice((0.03, 0.2, 0.5, 1))
        given = [_replaced(rng, x, share) if rng.random() < 0.7 else x for x in given]
    shapes, dtypes = [x.shape for x in given], [x.dtype.name for x in given]
    return Call(number, rng.choice(MODES), type_, attrs, shapes, dtypes, contents=given)


def _reshaped(rng: random.Random, x: np.ndarray) -> np.ndarray:
    axis = rng.randrange(max(x.ndim, 1))
    ways = [x[None], x[..., None], x.reshape(-1)]
    if x.ndim and x.size:
        ways += [x[0], x.take([0], axis), np.repeat(x, 2, axis), x.take([], axis)]
    return rng.choice(ways)


def _replaced(rng: random.Random, x: np.ndarray, share: float) -> np.ndarray:
    """`x` with a `share` of its elements, more or less, being hostile ones."""
    hits = [i for i in range(x.size) if rng.random() < share]
    damaged = x.astype(x.dtype, copy=True).reshape(-1)
    with np.errstate(over="ignore"):
        for i in hits:
            damaged[i] = _element(rng.choice(_VALUES), x.dtype)
    return damaged.reshape(x.shape)


def _element(value: float, dtype: np.dtype) -> float | int:
    """`value`, or the nearest that an array of integers holds."""
    if dtype.kind not in "iu":
        return bool(value) if dtype.kind == "b" else value
    limits = np.iinfo(dtype)
    return limits.max if value != value else int(min(max(value, limits.min), limits.max))

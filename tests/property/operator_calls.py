# SPDX-License-Identifier: Apache-2.0
"""Calls of operators with arguments at random, most of them hostile.

A call is made from its number alone, so that one number repeats it. Whatever is given, a call ends
with results or an MXNetError, soon.
"""

from __future__ import annotations

import contextlib
import random
import signal
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.parameter_types import (
    REQUIRED,
    BoolKind,
    EnumKind,
    FloatKind,
    IntKind,
    Kind,
    OptionalKind,
    ShapeKind,
    TupleKind,
)
from mxnova.core.graph.functions import invoke_by_name as apply_symbol
from mxnova.core.nd.functions import invoke_by_name
from mxnova.core.op.schema import REGISTRY, OpType

__all__ = [
    "MODES",
    "SKIPPED",
    "SLOW",
    "VALUES",
    "Call",
    "Finding",
    "call",
    "run",
    "text_of",
    "warm_up",
]

SLOW = 2.0  # seconds of the processor, so that it does not matter who else is at work
MODES = ("eager", "infer", "bind", "backward")
# Of users' making, or with graphs inside: parameters alone make no instance.
SKIPPED = {"Custom", "_foreach", "_while_loop", "_cond", "_CachedOp", "_NDArray", "_Native"}
TYPES = [t for t in dict.fromkeys(REGISTRY.values()) if t.name not in SKIPPED]

INTEGERS = ["0", "1", "2", "3", "4", "5", "-1", "-2", "1", "2", "3"]
# fmt: off
HOSTILE_INTEGERS = (
    "7", "-7", "64", "1000", "65535", "65537", "2147483647", "-2147483648", "2147483648",
    "4294967295", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1.5",
    "nan", "inf", "None", "True", "abc", "0x10", "1e3", "", " 3 ", "(1,)", "3L",
)
# fmt: on
FLOATS = ["0.5", "1", "2", "0", "-1", "0.1", "0.9", "3"]
HOSTILE_FLOATS = [
    "-0.0",
    "1e38",
    "-1e38",
    "1e-38",
    "1e-45",
    "inf",
    "-inf",
    "nan",
    "1e308",
    "1e999",
    "None",
    "abc",
    "1e-8",
    "7",
]
VALUES = [
    0.0,
    -1.0,
    2.0,
    255.0,
    65536.0,
    1e30,
    -1e30,
    1e-45,
    2.0**63,
    *map(float, ("nan", "inf", "-inf")),
]
DTYPES = [
    "float32",
    "float32",
    "float32",
    "float32",
    "float64",
    "float16",
    "int32",
    "int64",
    "int8",
    "uint8",
    "bool",
]
SHAPE_TEXTS = [
    "(2,3)",
    "(1,)",
    "(1,1)",
    "(2,2)",
    "(3,3)",
    "()",
    "(0,)",
    "(2,)",
    "(1,2)",
    "(0,1)",
    "(2,0)",
    "2",
    "1",
    "0",
    "-1",
]
HOSTILE_SHAPES = [
    "None", "(-1,)", "(-2,-3)", "(2147483648,)", "(9223372036854775807,2)", "(99999999999999999999,)",
    "(1000000,1000000)", "(-9223372036854775808,)", "(1,2", "((1,2),(3,4))", "(True,)", "(1.5,)",
    "(0,-1,-2,-3,-4)", "(3000000000,0)", str((1,) * 70), "(65536,65536,65536,65536)",
]  # fmt: skip


@dataclass
class Call:
    """One use of an operator."""

    number: int
    mode: str
    type: OpType
    attrs: dict[str, str]
    shapes: list[tuple[int, ...]]
    dtypes: list[str] = field(default_factory=list)
    value: float = 1.0  # of all elements, or
    contents: list[np.ndarray] | None = None  # what the arrays hold

    def __str__(self) -> str:
        attrs = ", ".join(f"{n}={v[:60]!r}" for n, v in self.attrs.items())
        arrays = ", ".join(f"{d}{list(s)}" for d, s in zip(self.dtypes, self.shapes, strict=True))
        filled = "" if self.value == 1 else f" of {self.value}"
        filled += "" if self.contents is None else ", damaged"
        return f"{self.number}: {self.mode} {self.type.name}({attrs}) on {arrays}{filled}"


@dataclass
class Finding:
    """A call that did not end as it should."""

    call: str
    kind: str
    where: str = ""


def call(number: int, tame: bool = False) -> Call:
    """Call number `number`; every operator comes by turns. A tame one has no hostile parameters."""
    rng = random.Random(number)
    type_ = TYPES[number % len(TYPES)]
    attrs = {}
    hostile = rng.random() < 0.5 and not tame
    for parameter in type_.fields:
        if parameter.default is REQUIRED or rng.random() < 0.4:
            attrs[parameter.name] = text_of(rng, parameter.kind, hostile)
    try:
        n_arrays = len(type_.of(attrs).inputs())
    except MXNetError:
        n_arrays = rng.randrange(4)
    n_arrays = min(n_arrays, 12) + (rng.choice((-1, 0, 1)) if rng.random() < 0.1 else 0)
    shapes = _shapes(rng, max(n_arrays, 0))
    dtype = rng.choice(DTYPES)
    dtypes = [dtype if rng.random() < 0.85 else rng.choice(DTYPES) for _ in shapes]
    mode = rng.choice(MODES)
    value = rng.choice(VALUES) if rng.random() < 0.4 and not tame else 1.0
    return Call(number, mode, type_, attrs, shapes, dtypes, value)


def text_of(rng: random.Random, kind: Kind, hostile: bool) -> str:
    """A parameter's value as text, perhaps a hostile one."""
    if isinstance(kind, OptionalKind):
        return "None" if rng.random() < 0.3 else text_of(rng, kind.item, hostile)
    hostile = hostile and rng.random() < 0.4
    if isinstance(kind, EnumKind):
        return rng.choice([*kind.choices, *(["abc", "None", ""] if hostile else [])])
    if isinstance(kind, BoolKind):
        return rng.choice(["True", "False", "1", "0", *(["2", "None"] if hostile else [])])
    if isinstance(kind, ShapeKind):
        return rng.choice(HOSTILE_SHAPES if hostile else SHAPE_TEXTS)
    if isinstance(kind, TupleKind):
        if hostile and rng.random() < 0.5:
            return rng.choice(HOSTILE_SHAPES)
        items = [text_of(rng, kind.item, hostile) for _ in range(rng.randrange(4))]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(kind, IntKind):
        return rng.choice(HOSTILE_INTEGERS if hostile else INTEGERS)
    if isinstance(kind, FloatKind):
        return rng.choice(HOSTILE_FLOATS if hostile else FLOATS)
    return rng.choice(["", "abc", "cpu(0)", "float32", "gpu(7)", "x" * 1000])


def _shapes(rng: random.Random, n: int) -> list[tuple[int, ...]]:
    def shape() -> tuple[int, ...]:
        return tuple(rng.choice((1, 2, 3, 4, 5, 2, 3, 4, 0)) for _ in range(rng.randrange(6)))

    common = shape()
    return [common if rng.random() < 0.6 else shape() for _ in range(n)]


def run(chosen: Call) -> Finding | None:
    """What is wrong with how the call ends, None if nothing is."""
    signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, SLOW)
    empty = any(0 in shape or not shape for shape in chosen.shapes)
    try:
        with mx.util.np_shape(chosen.contents is not None and empty):
            _MODES[chosen.mode](chosen)
    except MXNetError as error:
        if len(str(error)) > 20_000:
            return Finding(str(chosen), "long text")
    except _TooSlow:
        return Finding(str(chosen), "slow", _place(_TooSlow))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return Finding(str(chosen), type(error).__name__, _place(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def warm_up() -> None:
    """Imports what is imported late: an interrupted import cannot be made up for."""
    for number in range(0, 4 * len(TYPES), 7):
        with contextlib.suppress(Exception):
            _MODES[MODES[number % 4]](call(number, tame=True))


class _TooSlow(BaseException):
    pass


def _interrupt(*_: object) -> None:
    raise _TooSlow


def _place(error: object) -> str:
    """The text of an error and the innermost of our frames."""
    if not isinstance(error, BaseException):
        return ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "mxnova" in f.filename]
    inner = frames[-1] if frames else None
    place = f"{inner.filename.rpartition('mxnova/')[2]}:{inner.lineno}" if inner else "?"
    return f"{place}: {(str(error).splitlines() or [''])[0][:150]}"


def _arrays(chosen: Call) -> list[mx.nd.NDArray]:
    values = chosen.contents or [chosen.value] * len(chosen.shapes)
    parts = zip(chosen.shapes, chosen.dtypes, values, strict=True)
    return [_filled(mx.nd.zeros(shape, dtype=dtype), value) for shape, dtype, value in parts]


def _filled(array: mx.nd.NDArray, value: float | np.ndarray) -> mx.nd.NDArray:
    if array.size:
        array[:] = value if np.ndim(value) else float(value)
    return array


def _results(found: object) -> Iterator[mx.nd.NDArray]:
    yield from found if isinstance(found, list) else [found]


def _eager(chosen: Call) -> None:
    for result in _results(invoke_by_name(chosen.type.name, _arrays(chosen), chosen.attrs)):
        result.wait_to_read()


def _symbol(chosen: Call) -> tuple[mx.sym.Symbol, dict[str, tuple[int, ...]], dict[str, str]]:
    names = [f"x{i}" for i in range(len(chosen.shapes))]
    variables = [mx.sym.Variable(name) for name in names]
    symbol = apply_symbol(chosen.type.name, variables, chosen.attrs, "node")
    own = set(symbol.list_inputs())
    shapes = {n: s for n, s in zip(names, chosen.shapes, strict=True) if n in own}
    types = {n: d for n, d in zip(names, chosen.dtypes, strict=True) if n in own}
    return symbol, shapes, types


def _infer(chosen: Call) -> None:
    symbol, shapes, types = _symbol(chosen)
    symbol.infer_shape_partial(**shapes)
    symbol.infer_type_partial(**types)
    symbol.infer_shape_partial()


def _executor(chosen: Call) -> mx.executor.Executor:
    symbol, shapes, types = _symbol(chosen)
    executor = symbol.simple_bind(mx.cpu(), type_dict=types, **shapes)
    held = {**executor.arg_dict, **executor.aux_dict}
    for array in executor.arg_arrays:
        _filled(array, chosen.value)
    for i, value in enumerate(chosen.contents or []):
        if f"x{i}" in held:
            _filled(held[f"x{i}"], value)
    return executor


def _bind(chosen: Call) -> None:
    executor = _executor(chosen)
    executor.forward(is_train=False)
    for output in executor.outputs:
        output.wait_to_read()


def _backward(chosen: Call) -> None:
    executor = _executor(chosen)
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones(o.shape, dtype=o.dtype) for o in executor.outputs])
    for gradient in executor.grad_arrays:
        if gradient is not None:
            gradient.wait_to_read()


_MODES = {"eager": _eager, "infer": _infer, "bind": _bind, "backward": _backward}

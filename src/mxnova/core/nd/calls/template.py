# SPDX-License-Identifier: Apache-2.0
"""The source of all fast paths: one template, filled in for each kind of call.

A fast path checks in straight-line code that nothing is out of the ordinary, runs the operator's
forward, and makes the array of the result; everything else goes to the dispatcher, errors included.
What varies is the number of arrays, where the operator comes from (`Argument`), and whether the
result overwrites the first array. A branch is for calls that autograd records. Code made for a
number of arrays takes half of the time of a loop over them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from types import CodeType
from typing import Any

from ...base.doors import leave

__all__ = ["Argument", "call_source", "compiled", "filled"]


_LEAVE = """\
    except Exception as _error:
        _leave(_error)
        raise"""


class Argument(enum.Enum):
    """Where the operator of a call comes from."""

    NONE = enum.auto()  # `type_` has no parameters; all arguments are arrays
    NUMBER = enum.auto()  # the second argument is the parameter `scalar` of `type_`
    OPERATOR = enum.auto()  # the first argument is the operator; the last the class of results


_CALL = """
def {name}({parameters}):
    {prepare}
    kind = type({first})
    if {unusual}:
        return {other}
    {values} = {raws}
    {lookup}
    if {unknown}:
        return {admit}
    {recorded}
    try:
        result = {run}
    except Exception:  # the dispatcher words it
        return {general}
    {finish}
"""
_RECORDED = """
if ({tracked}) and STATE.recording:
    if not ({may_be_linked} and is_grad_enabled()):
        return {general}
    {links}
    if {is_used_up}:
        return {general}
    {find_op}
    try:
        result = {run_recorded}
    except Exception:  # the dispatcher words it
        return {general}
    {check_recorded}
    {array}
    made._raw, made._tracked, made._grad = result.data, result, None
    made._node = step({recorded_op}, ({arrays},))
    return made
"""
_NEW = """
{check}
{array}
made._raw = result
made._tracked = made._node = made._grad = None
return made
"""
# Gradients flow through integers only by the dispatcher.
_MAY_BE_LINKED = "(x{i}.is_floating_point() or {a}._tracked is None)"
# A tensor for the graph, None where the array belongs to one that is used up.
_LINK = """\
link = {a}._tracked
x{i} = x{i}.data if link is None else link if {a}._node.inputs is not None else None"""
# What `wrapping.wrap` does, in half its time.
_ARRAY = """
chunk = new(Chunk)
chunk.context, chunk.foreign, chunk._var = {first}._chunk.context, False, None
made = new({cls})
made._chunk = chunk
"""

_DEFAULTS = {
    "array": _ARRAY,
    "find_op": "",
    "finish": _NEW,
    "recorded": _RECORDED,
    "recorded_op": "{op}",
    "run_recorded": "recorded({recorded_op})({values})",
}

# Operators without parameters, or with a number: their forward must refuse shapes that the rules
# refuse, and give one new tensor. So the rules run once for each element type.
_OF_ONE_TYPE = {
    "prepare": "",
    "lookup": "dtype = x0.dtype",
    "unknown": "dtype not in passed{unlike}",
    "admit": "passed.after({op}, {arrays})",
    "unlike": "",
    "may_be_linked": "dtype.is_floating_point and type(x0) is Tensor",
    "check": "",
    "check_recorded": "",
    "cls": "kind",
}
_UNARY = {
    **_OF_ONE_TYPE,
    "parameters": "{first}",
    "unusual": "SLOW_PATH",
    "other": "{general}",
    "general": "invoke({op}, ({arrays},))",
    "op": "type_.plain",
    "run": "type_.plain.forward({values})",
}
_BINARY = {
    **_UNARY,
    "parameters": "{first}, {second}",
    "unusual": "type({second}) is not kind or SLOW_PATH",
    "other": "{general} if isinstance({second}, BaseArray) else otherwise({first}, {second})",
    "unlike": " or dtype is not x1.dtype",
}
_SCALAR = {
    **_UNARY,
    "parameters": "{first}, {second}",
    "prepare": """
if type({second}) is not float:
    if not isinstance({second}, Number):
        return otherwise({first}, {second})
    try:
        {second} = float({second})
    except OverflowError:
        return otherwise({first}, {second})
""",
    "op": "operator_of({second})",
    "find_op": "op = operator_of({second})",
    "recorded_op": "op",
    "run": "type_.function(x0, scalar={second}, **settings)",
}

# Any operator: its rules run once for each combination of classes, element types and shapes.
_PLANNED = {
    "parameters": "op, {arrays}, cls=None",
    "prepare": "plan = op.structure.plan",
    "unusual": "plan is None or SLOW_PATH",
    "other": "{general}",
    "general": "invoke(op, ({arrays},), cls=cls)",
    "lookup": """
key = {kinds}
kernel = plan.admitted.get(key)
""",
    "unknown": "kernel is None",
    "admit": "admit(op, plan, key, ({arrays},), cls)",
    "op": "op",
    "run": "(kernel or op.forward)({values})",
    "run_recorded": "((kernel or op.forward) if plan.is_derived else recorded(op))({values})",
    "check": """
if type(result) is not Tensor:
    return several_results(op, result, ({values},), ({arrays},), {cls})
{check_memory}
""",
    "check_recorded": """
if type(result) is not Tensor:
    return several_results(op, result, ({values},), ({arrays},), {cls}, True)
if not result.is_floating_point():
    return {general}
{check_memory}
""",
    "check_memory": """
if {is_given} or base_of(result) is not None or not result.is_contiguous():
    result = owned(result, ({values},))
""",
    "cls": "cls or kind",
}

# Where the result overwrites the first array.
_IN_PLACE = {
    "parameters": "{first}, {second}",
    "prepare": "",
    "unusual": "{is_other} or SLOW_PATH or STATE.recording",
    "other": "otherwise({first}, {second})",
    "general": "{other}",  # overlapping memory; a number beyond all others
    "lookup": "run, dtype = type_.in_place, x0.dtype",
    "unknown": "run is None or not ({fits} and {writable})",
    "writable": "{first}._chunk.writable and kind.stype == 'default'",
    "admit": "{other}",
    "recorded": "",
    "finish": "return {first}",
}
_BINARY_IN_PLACE = {
    **_IN_PLACE,
    "is_other": "type({second}) is not kind",
    "fits": "dtype.is_floating_point and dtype is x1.dtype and x0.shape == x1.shape",
    "run": "run(x0, x1)",
}
_SCALAR_IN_PLACE = {
    **_IN_PLACE,
    "is_other": "type({second}) is not float and type({second}) is not int",
    "fits": "dtype.is_floating_point",
    "run": "run(x0, float({second}))",
}


@cache
def call_source(name: str, n: int, argument: Argument, in_place: bool = False) -> str:
    """The source of a function for `n` arrays; its globals are those of `fast_calls`.

    Args:
        name: of the function.
        n: how many arrays it takes: one or two where the operator is known.
        argument: where the operator comes from.
        in_place: whether the result overwrites the first array, which is returned.
    """
    if argument is Argument.OPERATOR:
        variant = _PLANNED
    elif argument is Argument.NUMBER:
        variant = _SCALAR_IN_PLACE if in_place else _SCALAR
    elif n == 1:
        variant = _UNARY
    else:
        variant = _BINARY_IN_PLACE if in_place else _BINARY
    # Methods have these names of arguments in MXNet, too.
    names = [f"a{i}" for i in range(n)] if argument is Argument.OPERATOR else ["self", "other"]
    parts = {"first": names[0], "second": names[-1], **_of_arrays(names[:n])}
    return filled(_CALL, {**_DEFAULTS, "name": name, **parts, **variant})


def _of_arrays(names: Sequence[str]) -> dict[str, str]:
    n = len(names)
    numbers = range(n)
    kinds = ", ".join([f"type({a}), x{i}.dtype, x{i}.shape" for i, a in enumerate(names)])
    return {
        "arrays": ", ".join(names),
        "is_given": " or ".join([f"result is x{i}" for i in numbers]),
        "is_used_up": " or ".join([f"x{i} is None" for i in numbers]),
        "links": "\n".join([_LINK.format(i=i, a=a) for i, a in enumerate(names)]),
        "kinds": f"({kinds})" if n > 1 else f"(kind, x0.dtype) if plan.any_shape else ({kinds})",
        "may_be_linked": " and ".join(
            [_MAY_BE_LINKED.format(i=i, a=a) for i, a in enumerate(names)]
        ),
        "raws": ", ".join([f"{a}._raw" for a in names]),
        "tracked": " or ".join([f"{a}._tracked is not None" for a in names]),
        "values": ", ".join([f"x{i}" for i in numbers]),
    }


def filled(template: str, parts: Mapping[str, str]) -> str:
    """A template with each ``{name}`` replaced by that part, in which names are replaced, too.

    A part of several lines, or of none, stands alone in a line, whose indentation it takes.
    """
    lines: list[str] = []
    for line in template.strip("\n").split("\n"):
        name = line.strip()[1:-1]
        if line.strip() == f"{{{name}}}" and name.isidentifier():
            indent = line[: line.index("{")]
            inner = filled(parts[name], parts)
            lines += [indent + text for text in inner.split("\n") if text]
            continue
        while "{" in line:
            line = line.format_map(parts)
        lines.append(line)
    return "\n".join(lines)


def compiled(name: str, source: str, scope: Mapping[str, Any]) -> Callable[..., Any]:
    """The function `name` of `source`, which sees what is in `scope`; it is a door of errors."""
    # Who leaves the package's frames out of a traceback knows them by the name of their module.
    names = {"__name__": __name__, "_leave": leave, **scope}
    exec(_code_of(name, source), names)
    function: Callable[..., Any] = names[name]
    return function


@lru_cache(64)
def _code_of(name: str, source: str) -> CodeType:
    head, *body = source.split("\n")
    lines = [head, "    try:", *[f"    {line}" for line in body], _LEAVE]
    return compile("\n".join(lines), f"<mxnova {name}>", "exec")

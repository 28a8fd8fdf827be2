# SPDX-License-Identifier: Apache-2.0
"""Graphs of torch.export as Python: public calls of torch where they say the same, or ATen's.

Text comes from names of torch's operators, from `repr` of numbers, and from names made here.
"""

from __future__ import annotations

import keyword
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx

from ...core.base.unique_names import FreeNames
from .forward import number
from .names import IN_FUNCTIONS
from .spellings import SPELLINGS, Text, UntraceableError, called, name_of
from .vocabulary import CHECKS, MAKERS, METHODS, OF_SIZES, SAME, SIGNS, WORDS, place_of

__all__ = ["Printed", "printed"]

_MOST_NUMBERS = 64  # of a constant that is written out
_MOST_NODES = 4000  # of a function
_WIDEST = 60  # characters of an expression that stands inside another
_PLACING = ("device", "layout", "pin_memory", "memory_format")
_OF_NUMBERS = {operator.getitem, *OF_SIZES, *WORDS}


class Printed(NamedTuple):
    """A graph.

    Attributes:
        lines: of the body of a function, the last one apart.
        result: what it returns: an expression, or several of them.
        is_plain: whether `result` is a tensor, and not several in parentheses.
    """

    lines: list[str]
    result: str
    is_plain: bool


def printed(
    module: fx.GraphModule, arguments: Sequence[str], constants: Mapping[str, Any], device: str
) -> Printed:
    """The calls that a graph makes.

    Args:
        module: of ATen's operators.
        arguments: names of its arguments, those apart that `constants` has.
        constants: values of placeholders by name.
        device: expression of the device on which new tensors shall be, or nothing.

    Raises:
        UntraceableError: it makes other calls, or has constants of many numbers.
    """
    return _Printer(module, arguments, constants, device).printed()


class _Printer:
    def __init__(
        self,
        module: fx.GraphModule,
        arguments: Sequence[str],
        constants: Mapping[str, Any],
        device: str,
    ) -> None:
        self._module, self._graph, self._device = module, module.graph, device
        _clean(self._graph)
        if len(self._graph.nodes) > _MOST_NODES:
            raise UntraceableError(f"it makes {len(self._graph.nodes)} calls")
        self._free = FreeNames({*arguments, *IN_FUNCTIONS})
        self._texts: dict[fx.Node, Text] = {}
        self._whole = _whole(self._graph)
        self._is_pure = not any(map(_writes, self._graph.nodes))
        self._lines: list[str] = []
        names = iter(arguments)
        for node in self._graph.nodes:
            if node.op == "placeholder":
                known = node.name in constants
                text = self._constant(constants[node.name]) if known else next(names)
                self._texts[node] = Text(text)

    def printed(self) -> Printed:
        for node in self._graph.nodes:
            if node.op == "call_function":
                self._call(node)
            elif node.op == "output":
                return self._output(node)
            elif node.op == "get_attr":
                value = getattr(self._module, node.target)
                if isinstance(value, Tensor):
                    self._texts[node] = Text(self._constant(value))
            elif node.op != "placeholder":
                raise UntraceableError(f"it makes a call of {node.op}")
        raise UntraceableError("it gives nothing")

    def _output(self, node: fx.Node) -> Printed:
        (given,) = node.args
        if self._whole is not None:
            return Printed(self._lines, self._texts[self._whole].text, True)
        values: Any = given if isinstance(given, (tuple, list)) else (given,)
        texts = [self.argument(value) for value in values]
        if len(texts) == 1:
            is_value = isinstance(values[0], fx.Node)
            return Printed(self._lines, texts[0], is_value)
        return Printed(self._lines, f"({', '.join(texts)})", False)

    # Calls ----------------------------------------------------------------------------------------

    def _call(self, node: fx.Node) -> None:
        text = self._expression(node)
        if self._stands_inside(node, text.text):
            self._texts[node] = text
            return
        if not node.users:
            self._lines.append(text.text)
            return
        name = self._free.free(_name(node.name))
        self._lines.append(f"{name} = {text.text}")
        self._texts[node] = Text(name)

    def _stands_inside(self, node: fx.Node, text: str) -> bool:
        """Whether the readers of a value repeat its expression."""
        if _is_size(node) or text.isidentifier() or node is self._whole:
            return True
        if node.target is operator.getitem and not _is_wide(node):
            return True
        if len(node.users) != 1:
            return False
        (reader,) = node.users
        if reader.op == "output" and node.next is reader:
            return True
        is_read_often = reader.target is operator.getitem and len(reader.users) != 1
        if len(text) > _WIDEST or is_read_often or not _occurs_once(node, reader):
            return False
        return self._is_pure or (reader is _next(node) and not _writes(node))

    def _expression(self, node: fx.Node) -> Text:
        target = node.target
        if called(node) is not None:
            return self._aten(node)
        if target not in _OF_NUMBERS:
            return self._control(node, str(getattr(target, "__name__", target)))
        args = [self.value(arg) for arg in node.args]
        if target is operator.getitem:
            return Text(f"{args[0].tight}[{args[1].text}]")
        if target in OF_SIZES:
            return Text(f"{args[0].tight} {OF_SIZES[target]} {args[1].tight}", False)
        return Text(f"{WORDS[target]}({', '.join(a.text for a in args)})")

    def _aten(self, node: fx.Node) -> Text:
        namespace, name, overload = called(node)  # type: ignore[misc]
        if namespace != "aten":
            raise UntraceableError(f"it calls {namespace}.{name}")
        if name in SAME:
            return self.value(node.args[0])
        special = SPELLINGS.get(name)
        if special is not None:
            return special(self, node)
        args, given = self._arguments(node)
        sign = SIGNS.get(name)
        if sign is not None and len(args) == 2 and not given:
            return Text(f"{args[0].tight} {sign} {args[1].tight}", False)
        listed = [a.text for a in args] + [f"{k}={v}" for k, v in given.items()]
        if name in METHODS:
            return Text(f"{args[0].tight}.{name}({', '.join(listed[1:])})")
        return Text(f"{place_of(name, overload)}({', '.join(listed)})")

    def _arguments(self, node: fx.Node) -> tuple[list[Text], dict[str, str]]:
        """Arguments by place and by name; new tensors get the device of those that there are."""
        args = [self.value(arg) for arg in node.args if not isinstance(arg, torch.device)]
        given = {
            key: self.argument(value)
            for key, value in node.kwargs.items()
            if key not in _PLACING and value is not None
        }
        if self._device and name_of(node) in MAKERS:
            given["device"] = self._device
        return args, given

    def value(self, value: Any) -> Text:
        if isinstance(value, fx.Node):
            if value not in self._texts:
                raise UntraceableError(f"it reads {value.op}")
            return self._texts[value]
        text = self.argument(value)
        return Text(text, not text.startswith("-"))

    def argument(self, value: Any) -> str:
        if isinstance(value, fx.Node):
            return self.value(value).text
        if isinstance(value, (list, tuple)):
            inside = ", ".join(self.argument(v) for v in value)
            return f"[{inside}]"
        if isinstance(value, (bool, int, float, str, torch.dtype)) or value is None:
            return number(value)
        if isinstance(value, torch.memory_format):
            return str(value)
        raise UntraceableError(f"it has an argument of type {type(value).__name__}")

    def _constant(self, value: Any) -> str:
        if not isinstance(value, Tensor) or value.numel() > _MOST_NUMBERS:
            raise UntraceableError("it has constants of many numbers")
        place = f", device={self._device}" if self._device else ""
        return f"torch.tensor({_nested(value.tolist())}, dtype={value.dtype}{place})"

    # Control flow ---------------------------------------------------------------------------------

    def _control(self, node: fx.Node, name: str) -> Text:
        if name == "while_loop":
            return self._loop(node)
        if name == "cond":
            return self._branch(node)
        raise UntraceableError(f"it calls {name}")

    def _inner(self, graph: Any, name: str, count: int) -> str:
        """Writes a graph inside of this one as a function; its name."""
        module = getattr(self._module, graph.target)
        arguments = [self._free.free(letter) for letter in _letters(count)]
        inside = _Printer(module, arguments, {}, self._device).printed()
        made = self._free.free(name)
        self._lines += [
            f"def {made}({', '.join(arguments)}):",
            *[f"    {line}" for line in inside.lines],
            f"    return {inside.result}",
        ]
        return made

    def _loop(self, node: fx.Node) -> Text:
        condition, body, carried, others = node.args
        count = len(carried) + len(others)  # type: ignore[arg-type]
        goes_on = self._inner(condition, "goes_on", count)
        step = self._inner(body, "step", count)
        state = self._free.free("state")
        rest = "".join(f", {self.argument(o)}" for o in others)  # type: ignore[union-attr]
        self._lines += [
            f"{state} = {self.argument(list(carried))}",  # type: ignore[arg-type]
            f"while {goes_on}(*{state}{rest}):",
            f"    {state} = {step}(*{state}{rest})",
        ]
        return Text(state)

    def _branch(self, node: fx.Node) -> Text:
        holds, yes, no, *rest = node.args
        operands: Any = rest[0] if rest else ()
        names = [
            self._inner(graph, name, len(operands))
            for graph, name in ((yes, "if_true"), (no, "if_false"))
        ]
        listed = ", ".join(self.argument(o) for o in operands)
        return Text(f"({names[0]} if {self.argument(holds)} else {names[1]})({listed})")


def _whole(graph: fx.Graph) -> fx.Node | None:
    """The last node, if the graph gives all parts of its value and nothing else."""
    (given,) = next(node for node in graph.nodes if node.op == "output").args
    parts = [v for v in given if isinstance(v, fx.Node)] if isinstance(given, (tuple, list)) else []
    if len(parts) < 2 or any(part.target is not operator.getitem for part in parts):
        return None
    (source, *others) = {part.args[0] for part in parts}
    if others or not isinstance(source, fx.Node) or len(source.users) != len(parts):
        return None
    places = [part.args[1] for part in parts]
    is_whole = places == list(range(len(source.meta["val"])))
    return source if is_whole and called(source) is not None else None


def _clean(graph: fx.Graph) -> None:
    """Takes out checks and what nobody reads."""
    for node in reversed(graph.nodes):
        if not node.users and name_of(node).startswith((*CHECKS, *SAME)):
            graph.erase_node(node)
    graph.eliminate_dead_code()


def _writes(node: fx.Node) -> bool:
    name = name_of(node)
    is_own = name.startswith("__")  # __and__ and __iand__
    return name.startswith("__i") if is_own else name.endswith("_") or "out" in node.kwargs


def _is_size(node: fx.Node) -> bool:
    """Whether a value is a number rather than a tensor."""
    return not isinstance(node.meta.get("val"), (Tensor, tuple, list))


def _is_wide(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), (tuple, list))


def _next(node: fx.Node) -> fx.Node:
    """What is computed after a node, sizes apart."""
    found = node.next
    while found.op == "get_attr" or (found.op == "call_function" and _is_size(found)):
        found = found.next
    return found


def _occurs_once(node: fx.Node, reader: fx.Node) -> bool:
    places: list[Any] = []
    fx.node.map_arg((reader.args, reader.kwargs), lambda n: places.append(n))
    return sum(place is node for place in places) == 1


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    return number(value)


def _letters(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]


_NAMES = {"lift_fresh_copy": "constant", "view": "reshape", "to": "cast", "to_copy": "cast"}


def _name(name: str) -> str:
    """A name of torch's tracer, without its suffixes."""
    text = re.sub(r"(_default)?(_\d+)?$", "", name).strip("_") or "value"
    text = _NAMES.get(text, text)
    return f"{text}_" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else text

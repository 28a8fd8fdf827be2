# SPDX-License-Identifier: Apache-2.0
"""The class of a whole network, and where its tensors and values are in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from torch import Tensor

from ...core.base.unique_names import FreeNames, unique_identifiers
from .blocks import Block, common_words, parts_of
from .classes import BlockClass, Lines, classes_of, members
from .forward import Forward, number
from .graph import Steps
from .names import IN_FUNCTIONS, IN_MODULES, argument_name, function_name, identifier
from .steps import Label, Step

__all__ = ["Network"]

_TAKEN = IN_FUNCTIONS | {"Model", "Path", "WEIGHTS", "load", "load_file"}
_CALLED = re.compile(r"(?<![\w.])\w+(?=\()")  # A name that an expression calls, such as max.


class Network:
    """A network as Python.

    Args:
        graph: its steps.

    Attributes:
        arguments: names of the arguments of ``Model.forward``, by MXNet's names of the inputs.
        lines: functions, classes and the class ``Model``.
        tensors: by their key in ``state_dict()``.
        sources: MXNet's names of the parameters among them that are read as they are.
        nodes: MXNet's name of a node by where its value is seen: ``stage1.0`` is what a module
            gives, ``stage1.0:total`` a variable of its ``forward``.
    """

    def __init__(self, graph: Steps) -> None:
        self._graph = graph
        self.tensors: dict[str, Tensor] = {}
        self.nodes: dict[str, str] = {}
        parts = parts_of(graph)
        self.arguments = _arguments(graph)
        free = FreeNames(_TAKEN.union(self.arguments.values()))
        functions = _functions(graph.steps, free)
        self._classes = classes_of(parts, free, functions)
        self._attributes = FreeNames(IN_MODULES | IN_FUNCTIONS)
        self._attributes.reserve([*functions.values(), *self.arguments.values()])
        last = {id(source) for source, _ in graph.outputs}  # whose names are often their own
        inner = [step for step in graph.steps if id(step) not in last]
        self._common = common_words(inner) if len(inner) > 1 else []
        self._members: Lines = []
        model = self._model(self._groups(parts), functions)
        kinds = dict.fromkeys(self._classes.values())
        self.lines = [
            *[line for source, name in functions.items() for line in _function(source, name)],
            *[line for kind in kinds for line in (*kind.lines, "", "")],
            *model,
        ]

    # Parts ----------------------------------------------------------------------------------------

    def _groups(self, parts: Sequence[Step | Block]) -> Iterator[tuple[str, list[Step | Block]]]:
        """Parts in order; blocks that follow each other and begin with one word stand together."""
        for word, run in groupby(parts, self._first_word):
            found = list(run)
            if word and len(found) > 1:
                yield word, found
            else:
                yield from (("", [part]) for part in found)

    def _first_word(self, part: Step | Block) -> str:
        if isinstance(part, Step):
            return ""
        words = self._words(part)
        return words[0] if words else ""

    def _words(self, part: Step | Block) -> list[str]:
        """The words of a part's name behind those that all names have."""
        steps = [part] if isinstance(part, Step) else part.steps
        words = common_words(steps)
        n = len(self._common)
        return [word for word in (words[n:] if words[:n] == self._common else words) if word]

    def _model(
        self, groups: Iterator[tuple[str, list[Step | Block]]], functions: Mapping[str, str]
    ) -> Lines:
        steps: list[Step] = []
        labels: list[Label] = []
        stands_for: dict[int, Step] = {}  # what reads the last step of a block reads the block
        for word, run in groups:
            part = run[0]
            made = part if isinstance(part, Step) and not word else self._block(run)
            label = Label.free(self._name(word, part), made, self._attributes)
            last = run[-1]
            self._take(label, word, run)
            reads = [(stands_for.get(id(s), s), n) for s, n in made.reads]
            made = _reading(made, reads)
            stands_for[id(last if isinstance(last, Step) else last.steps[-1])] = made
            steps.append(made)
            labels.append(label)
        outputs = [(stands_for.get(id(s), s), n) for s, n in self._graph.outputs]
        numbers = [{k: number(v) for k, v in step.given.items()} for step in steps]
        lines = Forward(labels, numbers, functions, self.arguments).lines(steps, outputs)
        return [
            "class Model(nn.Module):",
            "    def __init__(self):",
            "        super().__init__()",
            *[f"        {line}" for line in self._members],
            "",
            f"    def forward({', '.join(['self', *self.arguments.values()])}):",
            *[f"        {line}" for line in lines],
        ]

    def _name(self, word: str, part: Step | Block) -> str:
        return identifier(word or "_".join(self._words(part)) or "block")

    def _block(self, blocks: Sequence[Step | Block]) -> Step:
        """What stands for blocks in ``forward``."""
        first = blocks[0]
        steps = first.steps if isinstance(first, Block) else [first]
        inside = {id(step) for step in steps}
        source = next(r for s in steps for r in s.reads if id(r[0]) not in inside)
        return Step("{m}({0})", reads=[source], is_block=True)

    def _take(self, label: Label, word: str, blocks: Sequence[Step | Block]) -> None:
        """Makes the member of the class, and notes what is in it."""
        first, name = blocks[0], label.name
        if isinstance(first, Step):
            self._members += members_of(label, first)
            self._note(first, label, "", f":{name}")
            return
        kinds = [self._classes[id(block)] for block in blocks]
        made = [kind.instance(block) for kind, block in zip(kinds, blocks, strict=True)]  # type: ignore[arg-type]
        if not word:
            self._members.append(f"self.{name} = {made[0]}")
            self._note_block(kinds[0], first, name)
            return
        self._members += [f"self.{name} = nn.Sequential(", *[f"    {text}," for text in made], ")"]
        for i, (kind, block) in enumerate(zip(kinds, blocks, strict=True)):
            self._note_block(kind, block, f"{name}.{i}")  # type: ignore[arg-type]

    def _note_block(self, kind: BlockClass, block: Block, path: str) -> None:
        for step, label in zip(block.steps, kind.labels, strict=True):
            variable = path if step is block.steps[-1] else f"{path}:{label.name}"
            self._note(step, label, f"{path}.", variable)

    def _note(self, step: Step, label: Label, path: str, variable: str) -> None:
        """Where a step's tensors and value are; `path`: of the block that it is in."""
        layer = f"{path}{label.name}"
        if step.layer is not None:
            for key, tensor in step.layer.tensors.items():
                self.tensors[f"{layer}.{key}"] = tensor
        for place, tensor in zip(label.parameters, step.parameters.values(), strict=True):
            self.tensors[f"{path}{place}"] = tensor
        is_layers = step.layer is not None and step.template.endswith(")")  # not a part of it
        seen = layer if is_layers and not step.has_several else variable
        self.nodes[seen] = step.name


def _arguments(graph: Steps) -> dict[str, str]:
    """Return the arguments of ``forward`` by input; none of them hides a name that it uses."""
    used = {name for step in graph.steps for name in _CALLED.findall(step.template)}
    taken = {"self", "torch", "nn", "F", "float", *used}
    return unique_identifiers(graph.inputs, taken, argument_name)


def members_of(label: Label, step: Step) -> Iterator[str]:
    """Lines of ``__init__`` for a step that stands for itself."""
    return members(label, [step], lambda key, values: number(values[0]))


def _reading(step: Step, reads: list[tuple[Step | str, int]]) -> Step:
    """The same step, reading these values."""
    return replace(step, reads=reads)


def _functions(steps: Sequence[Step], free: FreeNames) -> dict[str, str]:
    """Names of functions by source."""
    found: dict[str, str] = {}
    for step in steps:
        if step.function is not None and step.function not in found:
            found[step.function] = free.free(function_name(step.node.op.name))  # type: ignore[union-attr]
    return found


def _function(source: str, name: str) -> Lines:
    return [*source.replace("def forward(", f"def {name}(", 1).splitlines(), "", ""]

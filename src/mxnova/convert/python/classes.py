# SPDX-License-Identifier: Apache-2.0
"""Blocks of one form as a class, whose arguments are the numbers in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.base.unique_names import FreeNames
from .blocks import Block
from .forward import Forward, number
from .names import IN_FUNCTIONS, IN_MODULES, function_name, identifier
from .steps import Label, Step

__all__ = ["BlockClass", "Lines", "call", "classes_of", "members"]

# fmt: off
DEFAULTS: dict[str, Any] = {
    "stride": 1, "padding": 0, "dilation": 1, "groups": 1, "bias": True, "output_padding": 0,
    "eps": 1e-5, "momentum": 0.1, "num_layers": 1, "bidirectional": False,
}
_KINDS = {
    "Convolution": "conv", "Deconvolution": "deconv", "BatchNorm": "bn", "FullyConnected": "fc",
    "elemwise_add": "total", "_plus": "total", "broadcast_add": "total", "Concat": "joined",
    "Pooling": "pool", "LeakyReLU": "act", "elemwise_mul": "product", "broadcast_mul": "product",
}
_ARGUMENTS = {
    "_in": "in_channels", "_out": "out_channels", "_features": "channels", "_kernel": "kernel",
    "_size": "size", "_count": "count",
}
# fmt: on

Lines = list[str]


@dataclass(eq=False)
class BlockClass:
    """A class.

    Attributes:
        name: of the class.
        blocks: its instances.
        functions: names of functions of the file, by source.
        labels: names of the steps in it.
        arguments: values by name, one for each instance.
        lines: the class.
    """

    name: str
    blocks: list[Block]
    functions: Mapping[str, str]
    labels: list[Label] = field(default_factory=list)
    arguments: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        taken = IN_MODULES | IN_FUNCTIONS | set(self.functions.values()) | {"x"}
        self._free = FreeNames(taken)
        self.labels = _labels(self.blocks[0].steps, self._free)
        self.lines = self._text()

    def literal(self, step: int, key: str, values: Sequence[Any]) -> str:
        """A number of a step as text: itself, or the argument that stands for it."""
        if all(type(v) is type(values[0]) and v == values[0] for v in values):
            return number(values[0])
        wanted = tuple(values)
        for name, known in self.arguments.items():
            if known == wanted:
                return name
        base = _ARGUMENTS.get(key, identifier(key))
        name = self._free.free(base)
        self.arguments[name] = wanted
        return name

    def instance(self, block: Block) -> str:
        """The expression that makes an instance."""
        place = self.blocks.index(block)
        given = [f"{name}={number(values[place])}" for name, values in self.arguments.items()]
        return call(self.name, given)

    def _text(self) -> Lines:
        """The class, in lines."""
        steps = self.blocks[0].steps
        made, kept = self._members()
        shown = "".join(f", {name}" for name in self.arguments)
        body = [f"        {line}" for line in [*made, *kept]]
        outputs = [(steps[-1], 0)]
        run = Forward(self.labels, self._numbers_in_forward(), self.functions).lines(steps, outputs)
        return [
            f"class {self.name}(nn.Module):",
            f"    def __init__(self{shown}):",
            "        super().__init__()",
            *body,
            "",
            "    def forward(self, x):",
            *[f"        {line}" for line in run],
        ]

    def _members(self) -> tuple[Lines, Lines]:
        """Lines that make layers and parameters, and those that keep arguments for ``forward``."""
        made: Lines = []
        for place, label in enumerate(self.labels):
            rows = [block.steps[place] for block in self.blocks]
            made += members(label, rows, lambda key, values, i=place: self.literal(i, key, values))
        self._texts = [
            {
                key: self.literal(i, key, [b.steps[i].given[key] for b in self.blocks])
                for key in step.given
            }
            for i, step in enumerate(self.blocks[0].steps)
        ]
        used = {t for texts in self._texts for t in texts.values() if t in self.arguments}
        return made, [f"self.{name} = {name}" for name in self.arguments if name in used]

    def _numbers_in_forward(self) -> list[dict[str, str]]:
        return [
            {k: f"self.{t}" if t in self.arguments else t for k, t in texts.items()}
            for texts in self._texts
        ]


def members(label: Label, rows: Sequence[Step], literal: Any) -> Iterator[str]:
    """Lines of ``__init__`` for a step: its layer, its parameters.

    Args:
        label: names of the attributes.
        rows: the step in each instance.
        literal: text of a number, by its name and its values in each instance.
    """
    layers = [row.layer for row in rows if row.layer is not None]
    if layers:
        given = []
        for key, value in layers[0].given.items():
            text = literal(key, [layer.given[key] for layer in layers])
            if key in DEFAULTS and text == number(DEFAULTS[key]) == number(value):
                continue
            given.append(text if key.startswith("_") else f"{key}={text}")
        yield f"self.{label.name} = {call(layers[0].kind, given)}"
    if rows[0].constant is not None:
        yield f'self.register_buffer("{label.name}", {rows[0].constant}, persistent=False)'
    for i, place in enumerate(label.parameters):
        tensors = [list(row.parameters.values())[i] for row in rows]
        shape = literal("shape", [tuple(t.shape) for t in tensors])
        if tensors[0].is_floating_point():
            yield f"self.{place} = nn.Parameter(torch.empty({shape}))"
        else:
            yield f'self.register_buffer("{place}", torch.empty({shape}, dtype={tensors[0].dtype}))'


def call(name: str, given: Sequence[str]) -> str:
    """A call."""
    return f"{name}({', '.join(given)})"


def _labels(steps: Sequence[Step], free: FreeNames) -> list[Label]:
    """Short names, numbered where there are several of a kind."""
    bases = [_base(step) for step in steps]
    counts = dict.fromkeys(bases, 0)
    found = []
    for step, base in zip(steps, bases, strict=True):
        counts[base] += 1
        name = f"{base}{counts[base]}" if bases.count(base) > 1 else base
        found.append(Label.free(name, step, free))
    return found


def _base(step: Step) -> str:
    op = step.node.op  # type: ignore[union-attr]
    if op.name == "Activation":  # type: ignore[union-attr]
        return identifier(str(op.attr("act_type")))  # type: ignore[union-attr]
    return _KINDS.get(op.name, function_name(op.name))  # type: ignore[union-attr]


def classes_of(
    parts: Sequence[Step | Block], taken: FreeNames, functions: Mapping[str, str]
) -> dict[int, BlockClass]:
    """The class of each block, by the block's id."""
    by_form: dict[Any, list[Block]] = {}
    for part in parts:
        if isinstance(part, Block):
            by_form.setdefault(part.form(), []).append(part)
    found = {}
    for blocks in by_form.values():
        made = BlockClass(_class_name(blocks[0], taken), blocks, functions)
        found.update({id(block): made for block in blocks})
    return found


def _class_name(block: Block, taken: FreeNames) -> str:
    return taken.free(_class_base(block)).replace("_", "")


def _class_base(block: Block) -> str:
    kinds = {step.node.op.name for step in block.steps}  # type: ignore[union-attr]
    if kinds & {"elemwise_add", "broadcast_add", "_plus"}:
        return "Residual"
    if "Concat" in kinds:
        return "Branches"
    return "ConvBlock" if kinds & {"Convolution"} else "Block"

# SPDX-License-Identifier: Apache-2.0
"""Convolutions that take over what follows them, through fused kernels of oneDNN and cuDNN.

A convolution takes over a BatchNorm, which is folded into its weights, the sum of a residual
branch, and an activation. Its weights are laid out for the kernel once, and images flow through the
graph channels-last. ResNet-50, batch 1, 2 cores: 33 ms as torch runs it eagerly, 22 ms so.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ...graph.infer import DTypeTable, ShapeTable
from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.nn.batch_norm import BatchNormBase, BatchNormWithReLU
from ...runtime.threads import run_single_threaded
from ..fused.convolution import Geometry
from ..fused.gpu_convolution import GpuConvolution
from ..fused.winograd_convolution import kind_for
from .batch_split import images_of
from .definition import Pass, Target
from .matching import is_image_convolution, is_sum_of_equals
from .readers import Readers

__all__ = ["PASS", "geometry_of", "parameters_of_convolutions", "with_fused_convolutions"]

_SHORT = (torch.float16, torch.bfloat16)
# Activation functions by the names that oneDNN's convolutions have for them.
_KERNEL_NAMES = {"relu": "relu", "sigmoid": "sigmoid", "tanh": "tanh", "leaky": "leaky_relu"}


def parameters_of_convolutions(symbol: Symbol) -> set[str]:
    """Names of the convolutions' weights, and of what the BatchNorms after them read."""
    readers = Readers(symbol)
    found: set[str] = set()
    for node in filter(is_image_convolution, symbol.nodes):
        norm = _batch_norm_after(readers, Entry(node, 0))
        for reader in (node, norm) if norm else (node,):
            found.update(e.node.name for e in reader.inputs[1:] if e.node.op is None)
    return found


def with_fused_convolutions(
    symbol: Symbol,
    shapes: ShapeTable,
    dtypes: DTypeTable,
    constants: Mapping[str, Tensor],
    dtype: torch.dtype = torch.float32,
    images: int = 0,
) -> Symbol:
    """`symbol` with convolutions that have taken over what follows them.

    Args:
        symbol: any symbol; it stays as it is.
        shapes: of all its nodes.
        dtypes: of all its nodes.
        constants: values of inputs that stay, by name.
        dtype: what products are computed in.
        images: how many are computed at once; 0: as many as there are.
    """
    readers = Readers(symbol)
    sums_left = {n for n in symbol.nodes if is_sum_of_equals(n, shapes, dtypes)}
    found = filter(is_image_convolution, symbol.nodes)
    drafts = [_absorbed(readers, sums_left, n, constants) for n in found]
    convolutions = {d.node: d for d in drafts if d is not None}
    sums = {d.sum: d for d in drafts if d is not None and d.sum is not None}
    last = {d.last.node: d for d in drafts if d is not None}
    for node, draft in sums.items():
        summand = node.inputs[draft.other]
        if summand.node in last and readers.only(summand) is node:
            draft.take_bias(last[summand.node])

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node in convolutions:
            convolutions[node].inputs = [inputs[0]]
        if node in sums:
            draft = sums[node]
            draft.inputs.append(inputs[draft.other])
        if node not in last:
            return None
        draft = last[node]
        read = draft.node.inputs[0]
        shape: Any = shapes[read.node][read.output]
        if images and shape is not None:
            shape = (images, *shape[1:])
        return draft.fused(shape, draft.weight.dtype if draft.weight.is_cuda else dtype)

    return rewrite(symbol, replace)


# Finding ------------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """A convolution and what it takes over; `last` is the entry whose value it gives."""

    node: Node
    weight: Tensor
    bias: Tensor | None
    last: Entry
    sum: Node | None = None
    other: int = 0  # which input of the sum the residual branch is
    unary: str = "none"
    scalars: list[float] = field(default_factory=list)
    absorbed: list[str] = field(default_factory=list)  # names of the nodes
    inputs: list[Entry] = field(default_factory=list)  # in the new graph

    def take(self, node: Node) -> None:
        """Takes over a node, whose first output is its value from now on."""
        self.last = Entry(node, 0)
        self.absorbed.append(node.name)

    def take_bias(self, other: _Draft) -> None:
        """Adds the bias of `other`, which is a summand and nothing else, in its own kernel.

        On a GPU a bias is a kernel of its own where no rectifier follows.
        """
        if other.bias is None or other.unary != "none" or not other.weight.is_cuda:
            return
        self.bias = other.bias if self.bias is None else self.bias + other.bias
        other.bias = None

    def fused(self, shape: Any, dtype: torch.dtype) -> Node:
        """The node in place of all of them, for images of a shape."""
        op: Any = self.node.op
        values = {
            "geometry": geometry_of(op),
            "unary": (self.unary, self.scalars, ""),
            "with_sum": self.sum is not None,
            "absorbed": (self.node.name, *self.absorbed),
            "filters": op.num_filter,
            "kernel": tuple(op.kernel),
            "dtype": dtype,
        }
        bias = None if self.bias is None else self.bias.detach().to(dtype)
        kind = GpuConvolution if self.weight.is_cuda else kind_for(shape, **values)
        made = kind.prepared(self.weight.to(dtype), bias, shape, **values)
        return Node(made, self.last.node.name, dict(self.node.attrs), self.inputs)


def geometry_of(op: Any) -> Geometry:
    """Where the windows of a convolution of images lie."""
    pad, stride, dilate = op.pad or (0, 0), op.stride or (1, 1), op.dilate or (1, 1)
    return Geometry(list(pad), list(stride), list(dilate), op.num_group)


def _absorbed(
    readers: Readers, sums_left: set[Node], node: Node, values: Mapping[str, Tensor]
) -> _Draft | None:
    """What the convolution at `node` can take over; None unless its weights are constant."""
    given = [v for v in _constants(node, values) if v is not None]
    if len(given) < len(node.inputs) - 1 or not all(map(_is_taken, given)):
        return None
    weight, bias = (*given, None)[:2]
    draft = _Draft(node, weight.detach(), bias, Entry(node, 0))  # type: ignore[union-attr]
    _absorb_batch_norm(readers, draft, values)
    _absorb_sum(readers, sums_left, draft)
    _absorb_activation(readers, draft)
    return draft


def _is_taken(weight: Tensor) -> bool:
    """Whether there are fused kernels for weights like this; on a GPU also for short floats."""
    return weight.dtype is torch.float32 or (weight.is_cuda and weight.dtype in _SHORT)


def _constants(node: Node, values: Mapping[str, Tensor]) -> list[Tensor | None]:
    """The values of the inputs after the first, where they are constant."""
    return [values.get(e.node.name) if e.node.op is None else None for e in node.inputs[1:]]


def _batch_norm_after(readers: Readers, entry: Entry) -> Node | None:
    reader = readers.only(entry)
    op = None if reader is None else reader.op
    if not isinstance(op, BatchNormBase) or isinstance(op, BatchNormWithReLU) or op.axis != 1:
        return None
    return reader if reader is not None and reader.inputs[0] == entry else None


def _absorb_batch_norm(readers: Readers, draft: _Draft, values: Mapping[str, Tensor]) -> None:
    norm = _batch_norm_after(readers, draft.last)
    if norm is None or not readers.reads_first_only(norm):
        return
    given = _constants(norm, values)
    statistics = [v.detach().double() for v in given if v is not None]
    if len(statistics) < len(given):
        return
    op: Any = norm.op
    bias = None if draft.bias is None else draft.bias.double()
    exact, bias = op.folded(draft.weight.double(), bias, statistics)
    weight, bias = exact.to(draft.weight.dtype), bias.to(draft.weight.dtype)
    gamma, beta = statistics[:2]
    gamma = torch.ones_like(gamma) if op.fix_gamma else gamma
    if not (bias.isfinite().all() and _is_kept(exact, weight, gamma, beta)):
        return
    draft.weight, draft.bias = weight, bias
    draft.take(norm)


def _is_kept(exact: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor) -> bool:
    """Whether folded weights fit their type: float16 ends at 65504, and is coarse below 6e-5.

    What each filter loses must be no more than what its output, of deviation gamma around beta,
    loses by being of the type. So filters that a BatchNorm has put out do not matter.
    """
    type_ = torch.finfo(weight.dtype)
    error, largest = (t.flatten(1).abs().amax(1) for t in (weight - exact, exact))
    output = torch.maximum(gamma.abs(), beta.abs()).clamp(min=type_.tiny)
    return bool((error * gamma.abs() <= type_.eps * output * largest).all())


def _absorb_sum(readers: Readers, sums_left: set[Node], draft: _Draft) -> None:
    reader = readers.only(draft.last)
    if reader is None or reader not in sums_left:
        return
    sums_left.remove(reader)  # of two convolutions the first has it
    draft.other = 1 if reader.inputs[0] == draft.last else 0
    draft.sum = reader
    draft.take(reader)


def _absorb_activation(readers: Readers, draft: _Draft) -> None:
    found = readers.activation_after(draft.last)
    if found is None:
        return
    reader, (function, numbers) = found
    if function in _KERNEL_NAMES and (function == "relu" or draft.sum is None):
        draft.unary, draft.scalars = _KERNEL_NAMES[function], list(numbers)
        draft.take(reader)


def _fused(symbol: Symbol, target: Target) -> Symbol:
    shapes, dtypes = target.facts.shapes(symbol), target.facts.dtypes(symbol)
    images = images_of(symbol, target)
    fused = functools.partial(
        with_fused_convolutions, symbol, shapes, dtypes, target.constants, target.dtype, images
    )
    return (
        run_single_threaded(fused) if images else fused()
    )  # weights are laid out for who reads them


PASS = Pass(
    "convolution_fusion",
    requires="weights that stay, float32 or on a GPU; one reader of each value that is taken over",
    ensures="convolutions have taken over BatchNorm, a sum and an activation",
    apply=_fused,
)

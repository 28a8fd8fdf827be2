# SPDX-License-Identifier: Apache-2.0
"""What nodes mean to graph passes, read off the traits of their operators."""

from __future__ import annotations

from collections.abc import Iterable

from ...base.shapes import is_known
from ...graph.infer import DTypeTable, ShapeTable
from ...graph.node import Node
from ...op.nn.convolution import Convolution
from ...op.traits import RELU, Form

__all__ = [
    "is_image_convolution",
    "is_pointwise",
    "is_rectifier",
    "is_sum_of_equals",
    "parameter_names",
]

_LAYERS = "weight bias gamma beta moving_mean moving_var parameters"
_RANGES = "min_weight max_weight min_bias max_bias"  # of parameters that are integers
_PARAMETERS = frozenset(f"{_LAYERS} {_RANGES}".split())


def is_image_convolution(node: Node) -> bool:
    """Whether `node` is a convolution of images, channels second."""
    op = node.op
    if not isinstance(op, Convolution):
        return False
    return len(op.kernel) == 2 and op.layout in (None, "NCHW")


def is_pointwise(node: Node, shapes: ShapeTable) -> bool:
    """Whether `node` makes each element of one element of each input, all of one shape.

    Args:
        node: any node.
        shapes: of all nodes, as far as they are known.
    """
    if node.op is None or not node.op.pointwise:
        return False
    return all(shapes[e.node][e.output] == shapes[node][0] for e in node.inputs)


def is_rectifier(node: Node) -> bool:
    """Whether `node` gives ``max(x, 0)``."""
    return node.op is not None and node.op.activation == RELU


def is_sum_of_equals(node: Node, shapes: ShapeTable, dtypes: DTypeTable) -> bool:
    """Whether `node` adds two arrays of one shape and element type, by whatever operator.

    Args:
        node: any node.
        shapes: of its inputs, as far as they are known.
        dtypes: of its inputs, as far as they are known.
    """
    meaning = None if node.op is None else node.op.arithmetic
    if meaning is None or meaning.function != "add" or not meaning.form.has_two_arrays:
        return False
    if meaning.form is Form.ELEMENTWISE:
        return True
    one, other = (shapes[e.node][e.output] for e in node.inputs)
    types = {dtypes[e.node][e.output] for e in node.inputs}
    return is_known(one) and one == other and len(types) == 1 and None not in types


def parameter_names(nodes: Iterable[Node]) -> set[str]:
    """Names of the variables that nodes read as weights, statistics and the like, not as data."""
    found: set[str] = set()
    for node in nodes:
        if node.op is not None:
            named = zip(node.op.inputs(), node.inputs, strict=True)
            found |= {e.node.name for n, e in named if n in _PARAMETERS and e.node.op is None}
    return found

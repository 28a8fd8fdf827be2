# SPDX-License-Identifier: Apache-2.0
"""Graphs of compiled models that would cost a runtime more than their bytes: they are refused.

`mxnova compile` writes no such graphs.
"""

from __future__ import annotations

import re
from math import inf, prod
from typing import Any

from ..core.base.errors import FormatError
from ..core.base.protobuf import fields_of
from .network import Array

__all__ = ["check_ir_constants", "check_ir_text", "check_onnx_graph"]

# What messages of ONNX may have, by field: messages within, or why they are refused.
_Fields = dict[int, "_Fields | str"]
_SPARSE, _WITHIN = "sparse tensors", "graphs within"
_ATTRIBUTE: _Fields = {6: _WITHIN, 11: _WITHIN, 22: _SPARSE, 23: _SPARSE}
_GRAPH: _Fields = {1: {5: _ATTRIBUTE}, 15: _SPARSE}
_MODEL: _Fields = {7: _GRAPH, 25: "functions"}
_MOST_FIELDS = 1 << 22  # of graphs, nodes and attributes: about twenty for a node
_BODY = re.compile(rb"<(then_|else_)?body\b")
_ALLOWANCE = 32 << 20  # bytes of constants that are computed
_FACTOR = 64  # how many times the weights' bytes they may take beside: int4 as float32, eight times


def check_onnx_graph(content: Array) -> None:
    """Refuses a graph for ONNX Runtime that has functions, sparse tensors or graphs within.

    It copies a function to each place that calls it: thirty of them, each of which calls the next
    one twice, become a thousand million nodes. It makes sparse tensors dense, of any size. Branches
    within branches crash ONNX Runtime 1.23.

    Args:
        content: a ModelProto, as bytes.

    Raises:
        FormatError: it has some, breaks the wire format, or has millions of fields.
    """
    try:
        _check_message(content.data, content.nbytes)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"the graph is no ONNX file: {error}") from None


def _check_message(content: memoryview, size: int) -> None:
    n_fields = 0
    inside = [(_MODEL, fields_of(content, 0, size))]  # the message, and those that it is in
    while inside:
        known, fields = inside[-1]
        for field, _, start, end in fields:
            n_fields += 1
            found = known.get(field)
            if isinstance(found, dict):
                inside.append((found, fields_of(content, start, end)))
            if isinstance(found, str) or n_fields > _MOST_FIELDS:
                what = found if isinstance(found, str) else "too many fields"
                raise FormatError(f"the graph has {what}, which `mxnova compile` does not write")
            if found:
                break
        else:
            inside.pop()


def check_ir_text(text: bytes) -> None:
    """Refuses what is no graph of OpenVINO's own format, or has graphs within.

    OpenVINO would take it for one of another format, whose weights may be in any file; and it reads
    graphs within graphs by recursion.

    Raises:
        FormatError: it is or has.
    """
    if not text.startswith((b"<?xml", b"<net")):
        raise FormatError("the graph is no XML")
    if _BODY.search(text):
        raise FormatError("the graph has graphs within, which `mxnova compile` does not write")


def check_ir_constants(model: Any, n_bytes: int) -> None:
    """Refuses a graph whose constants, which are computed when it is compiled, take much memory.

    Shapes are constants, too, in so far as the graph says them.

    Args:
        model: OpenVINO's, not compiled yet.
        n_bytes: of the weights.

    Raises:
        FormatError: they take more than 32 MiB and 64 times the weights, or nobody knows.
    """
    most = _ALLOWANCE + _FACTOR * n_bytes
    constant: set[Any] = set()
    of_open_shapes: set[Any] = set()  # among them
    total = 0.0
    for node in model.get_ordered_ops():
        inputs, outputs = node.input_values(), node.outputs()
        is_stored, is_shape = (node.get_type_name() == kind for kind in ("Constant", "ShapeOf"))
        if not (is_stored or is_shape or (inputs and constant.issuperset(inputs))):
            continue
        size = 0 if is_stored else sum(map(_bytes_of, outputs))
        is_open = is_shape and not inputs[0].get_partial_shape().is_static
        if is_open or not of_open_shapes.isdisjoint(inputs):
            if size == inf:  # the data decide it
                continue
            of_open_shapes.update(outputs)
        constant.update(outputs)
        total += size
        if total > most:
            name = node.get_friendly_name()
            raise FormatError(f"constants of the graph take over {most} bytes, up to {name!r}")


def _bytes_of(value: Any) -> float:
    """Bytes of a value at most."""
    shape = value.get_partial_shape()
    sizes = [-1] if shape.rank.is_dynamic else [size.get_max_length() for size in shape]
    return inf if -1 in sizes else prod(sizes) * max(1, value.get_element_type().size)

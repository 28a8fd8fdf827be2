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

_FUNCTIONS = 25  # the field of a ModelProto
_BODY = re.compile(rb"<(then_|else_)?body\b")
_ALLOWANCE = 32 << 20  # bytes of constants that are computed
_FACTOR = 64  # how many times the weights' bytes they may take beside: int4 as float32, eight times


def check_onnx_graph(content: Array) -> None:
    """Refuses a graph for ONNX Runtime that has functions.

    It copies a function to each place that calls it: thirty of them, each of which calls the next
    one twice, become a thousand million nodes.

    Args:
        content: a ModelProto, as bytes.

    Raises:
        FormatError: it has some, or breaks the wire format.
    """
    try:
        found = {field for field, *_ in fields_of(content.data, 0, content.nbytes)}
    except ValueError as error:
        raise FormatError(f"the graph is no ONNX file: {error}") from None
    if _FUNCTIONS in found:
        raise FormatError("the graph has functions, which `mxnova compile` does not write")


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

    Args:
        model: OpenVINO's, not compiled yet.
        n_bytes: of the weights.

    Raises:
        FormatError: they take more than 32 MiB and 64 times the weights, or nobody knows.
    """
    most = _ALLOWANCE + _FACTOR * n_bytes
    constant: set[Any] = set()
    total = 0.0
    for node in model.get_ordered_ops():
        inputs = node.input_values()
        is_stored = node.get_type_name() == "Constant"
        if not is_stored and not (inputs and all(value in constant for value in inputs)):
            continue
        outputs = node.outputs()
        constant.update(outputs)
        total += 0 if is_stored else sum(map(_bytes_of, outputs))
        if total > most:
            name = node.get_friendly_name()
            raise FormatError(f"constants of the graph take over {most} bytes, up to {name!r}")


def _bytes_of(value: Any) -> float:
    """Bytes of a value at most."""
    shape = value.get_partial_shape()
    sizes = [-1] if shape.rank.is_dynamic else [size.get_max_length() for size in shape]
    return inf if -1 in sizes else prod(sizes) * max(1, value.get_element_type().size)

# SPDX-License-Identifier: Apache-2.0
"""Graphs of compiled models that a runtime would read without an end."""

from __future__ import annotations

from ..core.base.errors import FormatError
from ..core.base.protobuf import fields_of
from .network import Array

__all__ = ["check_onnx_graph"]

_FUNCTIONS = 25  # the field of a ModelProto


def check_onnx_graph(content: Array) -> None:
    """Refuses a graph with functions, which ONNX Runtime has none in the graphs that it writes.

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
        raise FormatError("the graph has functions: `mxnova compile` writes none")

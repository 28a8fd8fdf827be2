# SPDX-License-Identifier: Apache-2.0
"""A group of nodes as a compiled model of OpenVINO's, and running it on tensors."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import openvino
import torch
from openvino import opset13 as ov
from torch import Tensor

from ....base.errors import MXNetError
from ....graph.infer import ShapeTable, infer_shapes
from ....graph.node import Node
from ....graph.symbol import Symbol
from . import arrangement, elementwise, layers, recurrent  # noqa: F401 - they fill the table
from .site import CONVERTERS, Site, floats

__all__ = ["Model", "check_precision", "refusal"]

_DEVICE = "CPU"
_SLOW_BFLOAT16 = "this processor has no instructions for bfloat16"


@functools.cache
def _core() -> Any:
    return openvino.Core()


def check_precision(precision: str) -> None:
    """Whether the processor computes in a precision.

    Raises:
        MXNetError: it does not.
    """
    able = _core().get_property(_DEVICE, "OPTIMIZATION_CAPABILITIES")
    if precision == "bfloat16" and "BF16" not in able:
        raise MXNetError(f"openvino: precision='bfloat16': {_SLOW_BFLOAT16}")


# What can be converted ----------------------------------------------------------------------------


def refusal(node: Node, site: Site) -> str | None:
    """Why a node cannot be part of a model; None where it can."""
    if node.op is None or node.op.name not in CONVERTERS:
        return f"there is no converter for {site.op.name}"
    if any(0 in shape for shape in (*site.shapes, *site.out)):
        return "an array without elements"
    reason = CONVERTERS[node.op.name].refusal
    return None if reason is None else reason(site)


def site_of(node: Node, shapes: ShapeTable, constants: Mapping[str, Tensor]) -> Site:
    """What a converter knows of a node.

    Args:
        node: of an operator.
        shapes: of all nodes.
        constants: variables that stay, by name.
    """
    if node.op is None:
        raise ValueError(f"{node.name} is a variable")
    values = [constants.get(e.node.name) if e.node.op is None else None for e in node.inputs]
    read = [_known(shapes[id(e.node)][e.output]) for e in node.inputs]
    return Site(node.op, read, [_known(s) for s in shapes[id(node)]], values)


def _known(shape: Any) -> tuple[int, ...]:
    return () if shape is None else tuple(shape)  # hidden outputs may have none


# Models -------------------------------------------------------------------------------------------


class Model:
    """A compiled model for inputs of known shapes; any number of threads may run it.

    Args:
        body: the nodes, on variables.
        shapes: of the variables that change, by name.
        constants: values of the others, by name.
        precision: what products may be computed in.
    """

    def __init__(
        self,
        body: Symbol,
        shapes: Mapping[str, tuple[int, ...]],
        constants: Mapping[str, Tensor],
        precision: str,
    ) -> None:
        heads, parameters = _built(body, shapes, constants)
        names = [*shapes]
        # Heads that are inputs are copied: OpenVINO would leave its own memory in their place.
        self._copied = {
            i: names.index(name)
            for i, head in enumerate(heads)
            for name, parameter in parameters.items()
            if head == parameter.output(0)
        }
        results = [ov.result(h) for i, h in enumerate(heads) if i not in self._copied]
        model = openvino.Model(results, [parameters[n] for n in names], "mxnova")
        settings: dict[str, Any] = {
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": 1,
            "INFERENCE_NUM_THREADS": torch.get_num_threads(),
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32",
        }
        if settings["INFERENCE_NUM_THREADS"] == 1:
            # OpenVINO 2026.4 ends the process over chains of products that it compiles for one.
            settings["SNIPPETS_MODE"] = "DISABLE"
        self._compiled = _core().compile_model(model, _DEVICE, settings)
        self._shapes = [tuple(o.get_shape()) for o in model.outputs]
        self._local = threading.local()

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, as tensors of their own."""
        request = getattr(self._local, "request", None)
        if request is None:
            request = self._local.request = self._compiled.create_infer_request()
        given = [t.detach().contiguous() for t in data]
        results = [torch.empty(shape) for shape in self._shapes]
        for i, tensor in enumerate(given):
            request.set_input_tensor(i, openvino.Tensor(tensor.numpy(), shared_memory=True))
        for i, tensor in enumerate(results):
            request.set_output_tensor(i, openvino.Tensor(tensor.numpy(), shared_memory=True))
        request.start_async()  # infer() would make a dictionary of copies
        request.wait()
        for i, source in self._copied.items():  # ascending
            results.insert(i, data[source].clone())
        return results


def _built(
    body: Symbol, shapes: Mapping[str, tuple[int, ...]], constants: Mapping[str, Tensor]
) -> tuple[list[Any], dict[str, Any]]:
    """The heads, and the parameters by name."""
    known = {**shapes, **{n: tuple(t.shape) for n, t in constants.items()}}
    table = infer_shapes(body.nodes, known)
    made: dict[int, list[Any]] = {}
    parameters: dict[str, Any] = {}
    for node in body.nodes:
        if node.op is None and node.name in constants:
            made[id(node)] = [floats(constants[node.name]).output(0)]
        elif node.op is None:
            parameter = ov.parameter(list(known[node.name]), np.float32)
            parameters[node.name] = parameter
            made[id(node)] = [parameter.output(0)]
        else:
            site = site_of(node, table, constants)
            site.inputs = [made[id(e.node)][e.output] for e in node.inputs]
            found = CONVERTERS[node.op.name].build(site)
            nodes = found if isinstance(found, list) else [found]
            made[id(node)] = [n.output(0) if hasattr(n, "output") else n for n in nodes]
    return [made[id(e.node)][e.output] for e in body.entries], parameters

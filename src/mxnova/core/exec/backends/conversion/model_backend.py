# SPDX-License-Identifier: Apache-2.0
"""Backends that run groups of nodes as models of another runtime, on the CPU."""

from __future__ import annotations

import importlib.util
import logging
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ....base.packages import missing_package
from ....base.shapes import is_known
from ....graph.node import Entry, Node
from ....graph.symbol import Symbol
from ....op.nn.pooling import Pooling
from ....runtime import tuning
from ....runtime.context import Context
from ....runtime.forks import after_fork_in_child
from ...fused.group import Group, Runner, function_of, with_groups
from ...passes import stride_hoisting
from ...passes.constant_folding import with_own_outputs
from ...passes.definition import Pass, Target
from ...passes.mkldnn_layer_lowering import parameters_of_layers, with_layers_opened
from ...passes.pipeline import enabled, rewritten
from ...passes.qdq import is_quantized, with_qdq
from ..request import lowest_precision, parameters_of, wants

if TYPE_CHECKING:
    from ...program.program import Program
    from .graph import Part

__all__ = ["MakeModel", "ModelBackend"]

MakeModel = Callable[["Part"], Runner | None]
"""Nodes at some shapes -> what runs them; None: ATen had better."""

_log = logging.getLogger("mxnova")


class _Model(Group):
    """A group that another runtime runs."""

    make: MakeModel

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        _MODELS.add(self)

    def start_anew(self) -> None:
        """Forgets what was made so far."""
        _LEFT.append(self._runners)
        self.__dict__.update(_runners=OrderedDict(), _lock=threading.Lock())

    def _make(self, data: Sequence[Tensor]) -> Runner:
        part = self._part(data)
        if part is not None:
            try:
                made = self.make(part)
            except Exception as reason:  # noqa: BLE001 - whatever a runtime raises
                _log.warning("backend %r makes no model: %s; ATen runs it", self.backend, reason)
            else:
                if made is not None:
                    return made
        return function_of(self, data, Context("cpu", 0), watched=True)

    def _part(self, data: Sequence[Tensor]) -> Part | None:
        """What a model is made of; None for inputs that the graph was not drawn for."""
        from .graph import Part

        shapes = {n: tuple(t.shape) for n, t in zip(self.names, data, strict=True)}
        dtypes = {n: t.dtype for n, t in zip(self.names, data, strict=True)}
        part = Part(self.body, shapes, self.constants, self.precision, dtypes)
        return part if part.can_be_said() else None


_MODELS: weakref.WeakSet[_Model] = weakref.WeakSet()
_LEFT: list[Any] = []  # never ended: that would wait, too


def _start_anew() -> None:
    """A forked child has the models, but none of their threads, which it would wait for."""
    for model in tuple(_MODELS):
        model.start_anew()


after_fork_in_child(_start_anew)


class ModelBackend:
    """One of them. A graph that the runtime knows throughout is one model.

    Of other graphs the largest parts are.

    Attributes:
        name: by which it is asked for.
        extra: that installs what it needs; empty: that of its name.
        packages: what must be installed.
        passes: run before it, as the runtime has none like them.
    """

    name: str
    extra: str = ""
    packages: tuple[str, ...]
    passes: tuple[Pass, ...] = (stride_hoisting.PASS,)

    def make(self, part: Part) -> Runner | None:
        """A model, which any number of threads may run; None: ATen had better run the nodes."""
        raise NotImplementedError

    @property
    def has_integers(self) -> bool:
        """Whether it has exact int8 kernels here, for which graphs are rewritten in QDQ."""
        return False

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        for package in self.packages:
            if importlib.util.find_spec(package) is None:
                return missing_package(package, self.extra or self.name)
        return None

    def precisions(self) -> tuple[str, ...]:
        """What models compute in here."""
        raise NotImplementedError

    def supports(self, program: Program) -> bool:
        """Dense graphs on the CPU."""
        facts = program.facts
        return (
            not facts.groups
            and facts.context.device.type == "cpu"
            and all(a.stype == "default" for a in facts.inputs.values())
        )

    def parameters(self, symbol: Symbol) -> set[str]:
        """Names of what layers call weights, biases, statistics and the like."""
        asking = [node for node in symbol.nodes if wants(node, self.name)]
        return parameters_of(symbol, self.name) | parameters_of_layers(asking)

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol with groups of its nodes as compiled models."""
        program, _ = self._in_qdq(program, constants)
        target = Target(program.facts, enabled(), constants)
        symbol = rewritten(self.passes, program.symbol, target)
        program = program.rewritten(symbol)
        kept = {n: t for n, t in constants.items() if t.dtype is torch.float32}
        refused = self._refusals(program, kept)
        precision = lowest_precision(symbol)

        def made(body: Symbol, stays: dict[str, Tensor]) -> Group:
            return _Model(
                backend=self.name, body=body, constants=stays, precision=precision, make=self.make
            )

        return with_own_outputs(
            with_groups(
                symbol,
                lambda node: wants(node, self.name) and node not in refused,
                _is_worth,
                made,
                kept,
            )
        )

    def _in_qdq(
        self, program: Program, constants: Mapping[str, Tensor]
    ) -> tuple[Program, dict[str, str]]:
        """`program` with int8 operators in QDQ; nodes that QDQ cannot express, with the reason."""
        symbol = program.symbol

        def asks(node: Node) -> bool:
            return is_quantized(node) and wants(node, self.name)

        if not self.has_integers or not any(map(asks, symbol.nodes)):
            return program, {}
        symbol = with_layers_opened(symbol)
        lowered = with_qdq(symbol, constants, program.facts.dtypes(symbol), asks)
        return program.rewritten(lowered.closed(symbol)), lowered.refused

    def compile_training(self, program: Program) -> Symbol:
        """The symbol as it is: what it runs has no gradient."""
        return program.symbol

    def refusals(self, program: Program, constants: Mapping[str, Tensor]) -> dict[Node, str]:
        """Why nodes of operators cannot be part of a model."""
        _, in_qdq = self._in_qdq(program, constants)
        found = self._refusals(program, constants)
        return {n: in_qdq.get(n.name, reason) for n, reason in found.items()}

    def _refusals(self, program: Program, constants: Mapping[str, Tensor]) -> dict[Node, str]:
        from . import graph  # not before anybody asks: with all converters

        symbol = program.symbol
        shapes, dtypes = program.facts.shapes(symbol), program.facts.dtypes(symbol)
        read = {e for n in symbol.nodes for e in n.inputs} | {*symbol.entries}
        further = graph.further_outputs_read(symbol)
        found: dict[Node, str] = {}
        for node in symbol.nodes:
            if node.op is None:
                continue
            met = [(e.node, e.output) for e in node.inputs] + [
                (node, i) for i in range(node.n_outputs()) if Entry(node, i) in read
            ]
            if not all(is_known(shapes[n][i]) for n, i in met):
                found[node] = "shapes are not known beforehand"
                continue
            types = [dtypes[n][i] for n, i in met]
            unknown_type = graph.type_refusal(node, types, self.has_integers)
            if unknown_type is not None:
                found[node] = unknown_type
            elif not graph.is_for_runtimes(node):
                found[node] = f"{node.op.name} is said in files only"
            else:
                site = graph.site_of(node, shapes, constants)
                reason = graph.refusal(node, site, node in further)
                if reason is not None:
                    found[node] = reason
        return found


def _is_worth(nodes: Sequence[Node]) -> bool:
    return len(nodes) >= tuning.RUNTIME_MIN_NODES or any(
        n.op is not None and (n.op.is_product or isinstance(n.op, Pooling)) for n in nodes
    )

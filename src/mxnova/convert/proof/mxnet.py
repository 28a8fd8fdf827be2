# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""MXNet's files, run node by node as MXNet does."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.base.dtypes import dtype_of_flag
from ...core.base.errors import MXNetError
from ...core.base.shapes import is_known, shape_text
from ...core.exec.bind.executor import Executor
from ...core.graph.base_symbol import output_name
from ...core.graph.node import Entry, Node
from ...core.nd.array import NDArray
from ...core.nd.interop import numpy_of
from ...core.runtime.context import Context, cpu
from ...ndarray import array as nd_array
from ...ndarray import zeros
from ..source import Model
from .runner import Array, Runner, Take, given_name

__all__ = ["MXNetRunner"]


class MXNetRunner(Runner):
    """MXNet's files, bound to the parameters where they lie.

    Args:
        model: what was read.
        dtype: float64 to compute in it whatever is float32.
    """

    def __init__(self, model: Model, dtype: str = "float32") -> None:
        self.path, self.model, self._dtype = model.files[0], model, dtype
        self._symbol = model.graph  # refuses parameters alone
        self._parameters = {name: self._typed(a) for name, a in model.arrays.items()}
        declared = {
            n.name: n.attrs.get("__dtype__", "") for n in self._symbol.nodes if n.op is None
        }
        found = {n: dtype_of_flag(int(t)) for n, t in declared.items() if t.isdecimal()}
        self._types = {name: dtype.name for name, dtype in found.items() if dtype is not None}
        self._bound: tuple[dict[str, Any], Executor] | None = None

    def _typed(self, array: NDArray) -> NDArray:
        return array.astype(self._dtype, copy=False) if array.dtype == np.float32 else array

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        return [array.asnumpy() for array in self._executor(self._fed(feed)).forward()]

    def release(self) -> None:
        self._bound = None

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        executor, names = self._executor(self._fed(feed)), self._names()
        begin = time.perf_counter()

        def told(name: str, array: NDArray) -> None:
            nonlocal begin
            seconds = time.perf_counter() - begin
            if name in names and array.stype == "default":
                take(names[name], numpy_of(array._tensor, copy=False), seconds)
            begin = time.perf_counter()

        executor.set_monitor_callback(told)
        try:
            executor.forward()
        finally:
            executor.set_monitor_callback(None)

    def _names(self) -> dict[str, str]:
        """What values are called, by the names of their arrays."""
        return {output_name(entry): name for name, entry in _named(self._symbol.nodes).items()}

    def quantized(self) -> set[str]:
        from ...core.exec.passes.qdq import is_quantized

        return set(_named(filter(is_quantized, self._symbol.nodes)))

    def run_on(
        self, feed: Mapping[str, Array], given: Mapping[str, Array], wanted: Collection[str]
    ) -> dict[str, Array]:
        symbol, made = self._symbol, dict[Node, Node]()
        named = _named(symbol.nodes)
        cut = {e: Entry(Node(None, given_name(n), {}), 0) for n, e in named.items() if n in given}

        def new(entry: Entry) -> Entry:
            return cut.get(entry) or Entry(made[entry.node], entry.output)

        for node in symbol.nodes:
            made[node] = node.copy([new(e) for e in node.inputs])
        heads = {name: entry for name, entry in named.items() if name in wanted}
        parts = type(symbol)([Entry(made[node], i) for node, i in heads.values()])
        names = set(parts.list_inputs())
        instead = {given_name(n): nd_array(v, dtype=v.dtype, ctx=cpu()) for n, v in given.items()}
        known = {n: a for n, a in {**self._fed(feed), **instead}.items() if n in names}
        values = self._bind(parts, known, cpu()).forward()
        return dict(zip(heads, (array.asnumpy() for array in values), strict=True))

    def _fed(self, feed: Mapping[str, Array]) -> dict[str, NDArray]:
        names = set(self._symbol.list_inputs())
        fed = {n: nd_array(v, dtype=v.dtype, ctx=cpu()) for n, v in feed.items() if n in names}
        return {name: self._declared(name, self._typed(array)) for name, array in fed.items()}

    def _declared(self, name: str, array: NDArray) -> NDArray:
        """`array` in the element type that the network says for an input, where it says any."""
        told = self._types.get(name)
        return array if told is None or self._dtype == "float64" else array.astype(told, copy=False)

    def _executor(self, fed: Mapping[str, NDArray]) -> Executor:
        """Return the network, bound to arrays that contain the values of `fed`."""
        facts = {name: (array.shape, array.dtype) for name, array in fed.items()}
        if self._bound is None or self._bound[0] != facts:
            self._bound = facts, self._bind(self._symbol, fed, cpu())
        else:
            self._bound[1].copy_params_from(fed)
        return self._bound[1]

    def _bind(self, symbol: Any, fed: Mapping[str, NDArray], context: Context) -> Executor:
        names = set(symbol.list_inputs())
        known = {n: a for n, a in {**self._parameters, **fed}.items() if n in names}
        shapes, _, state_shapes = symbol.infer_shape_partial(
            **{n: a.shape for n, a in known.items()}
        )
        types, _, state_types = symbol.infer_type_partial(**{n: a.dtype for n, a in known.items()})

        def arrays(names: Sequence[str], shapes: Any, types: Any) -> dict[str, NDArray]:
            rows = zip(names, shapes, types, strict=True)
            return {n: known[n] if n in known else _zeros(n, s, t) for n, s, t in rows}

        def _zeros(name: str, shape: Any, dtype: Any) -> NDArray:
            if shape is None or not is_known(shape):
                raise MXNetError(
                    f"{self.path}: {name} is no parameter, and its shape {shape_text(shape)} does "
                    f"not follow from those of {', '.join(fed) or 'no inputs'}: --shape {name}=…"
                )
            # NumPy has no bfloat16, for which symbols infer bytes.
            return zeros(shape, context, "bfloat16" if dtype is np.void else dtype or np.float32)

        made: Executor = symbol.bind(
            context,
            arrays(symbol.list_arguments(), shapes, types),
            grad_req="null",
            aux_states=arrays(symbol.list_auxiliary_states(), state_shapes, state_types),
        )
        return made


def _named(nodes: Iterable[Node]) -> dict[str, Entry]:
    """Values of operators by their names."""
    return {
        name: Entry(node, i)
        for node in nodes
        if node.op is not None
        for i, name in enumerate(node.value_names())
    }
